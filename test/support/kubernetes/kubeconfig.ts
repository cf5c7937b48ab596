// What a kubeconfig of the tests says of its first cluster and its first user.
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

export interface Kubeconfig {
  readonly server: string;
  /** PEM, here and below; empty where there is none. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** Of a user without a certificate; empty where there is none. */
  readonly token: string;
}

export async function readKubeconfig(path: string): Promise<Kubeconfig> {
  const config = parse(await readFile(path, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
  };
  const [cluster, user] = [config.clusters[0]?.cluster ?? {}, config.users[0]?.user ?? {}];
  const pem = (encoded = ''): string => Buffer.from(encoded, 'base64').toString();
  return {
    server: cluster['server'] ?? '',
    ca: pem(cluster['certificate-authority-data']),
    cert: pem(user['client-certificate-data']),
    key: pem(user['client-key-data']),
    token: user['token'] ?? '',
  };
}
