// The keys of one plane on disk, and kubeconfigs for its users.
import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesOf } from '../directory.ts';
import { type Authority, createKey, type Subject, signCertificate, writeKey } from './certificate.ts';

const AUTHORITY = 'plane-authority';

/** Makes the authority, the certificate of the API server and the key that signs the tokens of ServiceAccounts. */
export async function createKeys(directory: string, address: string): Promise<void> {
  const files = filesOf(directory);
  const authority = { name: AUTHORITY, key: createKey() };
  const [server, accounts, now] = [createKey(), createKey(), new Date()];
  const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const role = { kind: 'server', names, addresses: [address, '10.0.0.1'] } as const;
  const contents: readonly (readonly [string, string])[] = [
    [files.authority, await signCertificate(authority, authority.key, { kind: 'authority' }, authority, now)],
    [files.authorityKey, writeKey(authority.key)],
    [files.server, await signCertificate({ name: 'kube-apiserver' }, server, role, authority, now)],
    [files.serverKey, writeKey(server)],
    [files.accountKey, writeKey(accounts)],
    [files.accountPublicKey, createPublicKey(accounts).export({ type: 'spki', format: 'pem' }).toString()],
  ];
  await Promise.all(contents.map(async ([path, content]) => writeFile(path, content, { mode: 0o600 })));
}

/** Writes a new key and a certificate with which a server shows that it has the name and the address. */
export async function createServerKeys(
  directory: string,
  server: { readonly name: string; readonly address: string },
  paths: { readonly certificate: string; readonly key: string },
): Promise<void> {
  const [authority, key] = [await readAuthority(directory), createKey()];
  const role = { kind: 'server', names: [server.name], addresses: [server.address] } as const;
  const certificate = await signCertificate({ name: server.name }, key, role, authority, new Date());
  await writeFile(paths.certificate, certificate, { mode: 0o600 });
  await writeFile(paths.key, writeKey(key), { mode: 0o600 });
}

async function readAuthority(directory: string): Promise<Authority> {
  return { name: AUTHORITY, key: createPrivateKey(await readFile(filesOf(directory).authorityKey)) };
}

/** A new key and client certificate for a user of the plane, as PEM. */
export async function createCredentials(
  directory: string,
  user: Subject,
): Promise<{ certificate: string; key: string }> {
  const [authority, key] = [await readAuthority(directory), createKey()];
  return {
    certificate: await signCertificate(user, key, { kind: 'client' }, authority, new Date()),
    key: writeKey(key),
  };
}

/**
 * Writes a kubeconfig for a user with a client certificate, and returns its path.
 *
 * Works in any process that can read the `directory` of a running plane. RBAC applies to the user, unless one of the
 * groups is system:masters.
 */
export async function writeKubeconfig(directory: string, user: Subject, path = newPath(directory)): Promise<string> {
  const files = filesOf(directory);
  const { certificate, key } = await createCredentials(directory, user);
  const [authority, url] = await Promise.all([readFile(files.authority, 'utf8'), readFile(files.url, 'utf8')]);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  // JSON strings are YAML strings, so a name may hold any character.
  const lines = [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `  - {name: plane, cluster: {server: ${JSON.stringify(url)}, certificate-authority-data: ${base64(authority)}}}`,
    'users:',
    `  - name: ${JSON.stringify(user.name)}`,
    `    user: {client-certificate-data: ${base64(certificate)}, client-key-data: ${base64(key)}}`,
    'contexts:',
    `  - {name: plane, context: {cluster: plane, user: ${JSON.stringify(user.name)}}}`,
    'current-context: plane',
  ];
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  return path;
}

function newPath(directory: string): string {
  return join(directory, `${randomUUID()}.kubeconfig`);
}

/** A kubeconfig without credentials, for a proxy that brings its own: over plain HTTP none would be sent. */
export function proxyKubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server } }],
    users: [{ name: 'proxy', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'proxy', namespace: 'default' } }],
    'current-context': 'proxy',
  });
}
