// Loads a kubeconfig that does not need the client library: a single file with certificates or a token.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { readDocuments } from '../yaml/documents.ts';
import type { Credentials, Kubeconfig, KubeconfigOptions, Trust } from './types.ts';

const text = z.string().min(1);
// Strict: with a field that is not supported here, the client library must load the file.
const cluster = z.strictObject({
  server: text,
  'certificate-authority': text.optional(),
  'certificate-authority-data': text.optional(),
  'tls-server-name': text.optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
});
const user = z.strictObject({
  token: text.optional(),
  tokenFile: text.optional(),
  'client-certificate': text.optional(),
  'client-certificate-data': text.optional(),
  'client-key': text.optional(),
  'client-key-data': text.optional(),
});
const context = z.strictObject({ cluster: text, user: text, namespace: text.optional() });

const document = z.looseObject({
  'current-context': z.string().optional(),
  clusters: z.array(z.strictObject({ name: text, cluster: z.unknown() })),
  users: z.array(z.strictObject({ name: text, user: z.unknown() })),
  contexts: z.array(z.strictObject({ name: text, context: z.unknown() })),
});

/** Undefined if the client library is needed, or reports the problem better. */
export async function loadPlain({ paths, context: wanted }: KubeconfigOptions): Promise<Kubeconfig | undefined> {
  const [path, ...others] = paths;
  if (path === undefined || others.length > 0) return undefined;
  const whole = document.safeParse(await readYaml(path)).data;
  if (whole === undefined) return undefined;
  const current = context.safeParse(only(whole.contexts, wanted ?? whole['current-context'])?.context).data;
  const at = cluster.safeParse(only(whole.clusters, current?.cluster)?.cluster).data;
  const who = user.safeParse(only(whole.users, current?.user)?.user).data;
  if (current === undefined || at === undefined || who === undefined) return undefined;
  const read = reader(dirname(resolve(path)));
  return {
    server: at.server.replace(/\/+$/, ''),
    namespace: current.namespace ?? 'default',
    trust: () => trustOf(at, read),
    authenticate: () => authenticate(who, read),
  };
}

async function readYaml(path: string): Promise<unknown> {
  try {
    const [whole, ...others] = readDocuments(await readFile(path, 'utf8'));
    return others.length > 0 ? undefined : whole;
  } catch {
    // The library fails as well, with an error that does not quote the file.
    return undefined;
  }
}

/** Undefined for duplicate names, which the library resolves. */
function only<E extends { readonly name: string }>(entries: readonly E[], name: string | undefined): E | undefined {
  const [found, ...doubles] = entries.filter((one) => one.name === name);
  return doubles.length > 0 ? undefined : found;
}

/** Inline data takes precedence over a file, whose path is relative to the kubeconfig. */
type ReadReference = (data: string | undefined, file: string | undefined) => Promise<Buffer | undefined>;

function reader(folder: string): ReadReference {
  return async (data, file) => {
    if (data !== undefined) return Buffer.from(data, 'base64');
    if (file === undefined) return undefined;
    try {
      return await readFile(resolve(folder, file));
    } catch (cause) {
      throw new Error(`cannot load cluster configuration: ${resolve(folder, file)} is not readable`, { cause });
    }
  };
}

async function trustOf(at: z.output<typeof cluster>, read: ReadReference): Promise<Trust> {
  const ca = await read(at['certificate-authority-data'], at['certificate-authority']);
  const servername = at['tls-server-name'];
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(servername === undefined ? {} : { servername }),
    rejectUnauthorized: at['insecure-skip-tls-verify'] !== true,
  };
}

async function authenticate(who: z.output<typeof user>, read: ReadReference): Promise<Credentials> {
  const cert = await read(who['client-certificate-data'], who['client-certificate']);
  const key = await read(who['client-key-data'], who['client-key']);
  const token = (await read(undefined, who.tokenFile))?.toString('utf8').trim() ?? who.token;
  return {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
