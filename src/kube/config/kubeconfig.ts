// The configuration from kubeconfigs, merged from several files or with plugins. The only file that imports the client library, which
// takes 0.15 s and 40 MB in a build, so it is loaded only where there is no service account.
import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { dirname, resolve } from 'node:path';
import { type Cluster, KubeConfig } from '@kubernetes/client-node';
import { codeOf } from '../../lib/errors.ts';
import { singleFlight } from '../../lib/timing/single-flight.ts';
import { readDocuments } from '../yaml/documents.ts';
import type { ClusterConfig, Credentials, KubeconfigOptions, Trust } from './config-types.ts';

/** Limits file reads and plugin runs to one in ten seconds. Short, because the lifetime of a plugin's token is not known. */
const credentialsFreshMs = 10_000;

/** Rejects with `cannot load cluster configuration: ...` if a file or the context cannot be used. */
export async function kubeconfigConfig(options: KubeconfigOptions): Promise<ClusterConfig> {
  let loaded = await load(options);
  let refused = false;
  const credentials = singleFlight(options.clock, credentialsFreshMs, async () => {
    // Reading the files again is the only way to empty the library's cache of plugin tokens.
    if (refused) loaded = await load(options);
    refused = false;
    return authenticate(loaded);
  });
  return {
    ...target(loaded.config),
    trust: trustOf(await applied(loaded.config)),
    credentials: () => credentials.get(),
    renew(): void {
      refused = true;
      credentials.drop();
    },
  };
}

interface Loaded {
  readonly config: KubeConfig;
  /** The library does not support the field `tokenFile` of a user. */
  readonly tokenFile: string | undefined;
}

async function load(options: KubeconfigOptions): Promise<Loaded> {
  try {
    const config = new KubeConfig();
    const tokenFiles = new Map<string, string>();
    for (const path of options.paths) {
      const content = parse(await readFile(path, 'utf8'));
      const part = new KubeConfig();
      part.loadFromString(JSON.stringify(content));
      part.makePathsAbsolute(dirname(resolve(path)));
      config.mergeConfig(part, config.currentContext !== undefined);
      for (const [user, file] of tokenFilesOf(content)) tokenFiles.set(user, resolve(dirname(path), file));
    }
    config.clusters = config.clusters.map(withoutVerification);
    if (options.context !== undefined) config.setCurrentContext(options.context);
    return { config, tokenFile: tokenFiles.get(config.getCurrentUser()?.name ?? '') };
  } catch (cause) {
    // The message of the cause may quote the file, which contains secrets.
    throw new Error(`cannot load cluster configuration: ${options.paths.join(', ')}: ${errorCode(cause)}`);
  }
}

/** The library refuses servers without TLS, such as `kubectl proxy`, unless they say that there is nothing to verify. */
function withoutVerification(cluster: Cluster): Cluster {
  return cluster.server.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster;
}

/** As kubectl reads YAML. The library knows less of it: no merge keys, for example. */
function parse(text: string): object {
  try {
    const [content] = readDocuments(text);
    return Object(content);
  } catch {
    throw new SyntaxError('it is not YAML');
  }
}

interface Users {
  readonly users?: readonly { readonly name?: string; readonly user?: { readonly tokenFile?: string } }[];
}

function tokenFilesOf({ users = [] }: Users): readonly (readonly [string, string])[] {
  return users.flatMap(({ name, user }) =>
    name !== undefined && user?.tokenFile !== undefined ? [[name, user.tokenFile] as const] : [],
  );
}

function target(config: KubeConfig): { readonly server: string; readonly namespace: string } {
  const name = config.getCurrentContext();
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`cannot load cluster configuration: there is no context ${name}`);
  if (cluster.proxyUrl !== undefined && cluster.proxyUrl !== null) {
    throw new Error(`cannot load cluster configuration: context ${name} has a proxy-url, which is not supported`);
  }
  return {
    server: cluster.server.replace(/\/+$/, ''),
    // An empty one is none, as for kubectl, and must not mean all namespaces.
    namespace: config.getContextObject(name)?.namespace || 'default',
  };
}

async function authenticate({ config, tokenFile }: Loaded): Promise<Credentials> {
  const options = await applied(config);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value).trim();
  if (typeof options.auth === 'string')
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  if (tokenFile !== undefined) headers['authorization'] = `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}`;
  return {
    headers,
    ...(options.cert === undefined ? {} : { cert: options.cert as string | Buffer }),
    ...(options.key === undefined ? {} : { key: options.key as string | Buffer }),
  };
}

async function applied(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    throw new Error(`cannot obtain credentials of context ${config.getCurrentContext()}: ${refused(config, cause)}`);
  }
  return options;
}

/** The output of a plugin may contain secrets, so the user has to run it to see the error. */
function refused(config: KubeConfig, cause: unknown): string {
  const command: unknown = config.getCurrentUser()?.exec?.command;
  if (typeof command !== 'string') return errorCode(cause);
  return `the plugin ${command} failed (${errorCode(cause)}); run it by hand to see why`;
}

function trustOf(options: RequestOptions): Trust {
  return {
    ...(options.ca === undefined ? {} : { ca: options.ca as string | Buffer }),
    ...(options.servername === undefined ? {} : { servername: options.servername }),
    rejectUnauthorized: options.rejectUnauthorized !== false,
  };
}

/** Never the message, which may contain the output of a plugin or the content of a file. */
function errorCode(error: unknown): string {
  return error instanceof Error ? codeOf(error) : 'unknown error';
}
