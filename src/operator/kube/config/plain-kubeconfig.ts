// A kubeconfig that takes no client library to use: one file, with certificates or a token in it or beside it.

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Credentials, Kubeconfig, KubeconfigOptions, Trust } from './types.ts';

const text = z.string().min(1);
// Strict: a field that is not known here could change what is sent, and then the library knows better.
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

/** Undefined where the client library is needed, or is better at telling what is wrong. */
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
    return parse(await readFile(path, 'utf8'));
  } catch {
    // The library meets the same trouble, and tells of it without quoting the file.
    return undefined;
  }
}

/** Of two entries with one name, which one counts is the library's business. */
function only<E extends { readonly name: string }>(entries: readonly E[], name: string | undefined): E | undefined {
  const [found, ...doubles] = entries.filter((one) => one.name === name);
  return doubles.length > 0 ? undefined : found;
}

/** Data goes before a file, which is relative to the kubeconfig. */
type Read = (data: string | undefined, file: string | undefined) => Promise<Buffer | undefined>;

function reader(folder: string): Read {
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

async function trustOf(at: z.output<typeof cluster>, read: Read): Promise<Trust> {
  const ca = await read(at['certificate-authority-data'], at['certificate-authority']);
  const servername = at['tls-server-name'];
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(servername === undefined ? {} : { servername }),
    rejectUnauthorized: at['insecure-skip-tls-verify'] !== true,
  };
}

async function authenticate(who: z.output<typeof user>, read: Read): Promise<Credentials> {
  const cert = await read(who['client-certificate-data'], who['client-certificate']);
  const key = await read(who['client-key-data'], who['client-key']);
  const token = (await read(undefined, who.tokenFile))?.toString('utf8').trim() ?? who.token;
  return {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
