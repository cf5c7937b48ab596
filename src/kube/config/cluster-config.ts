// Finds the configuration of the API server: the service account of a pod, or a kubeconfig.
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { delimiter, join } from 'node:path';
import type { Clock } from '../../lib/ports.ts';
import { singleFlight } from '../../lib/timing/single-flight.ts';
import type { ClusterConfig, Credentials, ProcessEnvironment } from './config-types.ts';

interface ClusterConfigOptions {
  /** Path of a kubeconfig. Takes precedence over everything else. */
  readonly kubeconfig?: string | undefined;
  /** Defaults to the current context of the kubeconfig. */
  readonly context?: string | undefined;
  readonly environment: ProcessEnvironment;
  readonly clock: Clock;
}

/**
 * In this order: the given kubeconfig, KUBECONFIG, the service account of the pod, `~/.kube/config`.
 * Rejects with `cannot load cluster configuration: ...` if none of them can be used.
 */
export async function loadClusterConfig(options: ClusterConfigOptions): Promise<ClusterConfig> {
  const { environment, clock } = options;
  const explicit = options.kubeconfig === undefined ? environmentPaths(environment) : [options.kubeconfig];
  if (explicit.length === 0 && environment['KUBERNETES_SERVICE_HOST'] !== undefined) {
    return inClusterConfig({ environment, clock });
  }
  const paths = explicit.length > 0 ? explicit : [join(environment['HOME'] ?? '', '.kube', 'config')];
  // Loaded on demand, because a pod does not need it.
  const { kubeconfigConfig } = await import('./kubeconfig.ts');
  return kubeconfigConfig({ paths, context: options.context, clock });
}

/** KUBECONFIG may list several files, which are merged. */
function environmentPaths(environment: ProcessEnvironment): readonly string[] {
  return (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
}

interface InClusterOptions {
  readonly environment: ProcessEnvironment;
  readonly clock: Clock;
  /** Where the service account is mounted. */
  readonly folder?: string;
}

const defaultFolder = '/var/run/secrets/kubernetes.io/serviceaccount';
/** The kubelet renews a token long before it expires. client-go rereads it every minute, too. */
const tokenFreshMs = 60_000;

/** Rejects with `cannot load cluster configuration: ...` if a file is missing. */
export async function inClusterConfig(options: InClusterOptions): Promise<ClusterConfig> {
  const { environment, clock, folder = defaultFolder } = options;
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? '443';
  const ca = await readAccount(join(folder, 'ca.crt'));
  const namespace = await readAccount(join(folder, 'namespace'));
  const token = singleFlight(clock, tokenFreshMs, () => readToken(join(folder, 'token')));
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim(),
    trust: { ca, rejectUnauthorized: true },
    credentials: () => token.get(),
    renew: () => token.drop(),
  };
}

async function readAccount(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`cannot load cluster configuration: ${path} is not readable`, { cause });
  }
}

async function readToken(path: string): Promise<Credentials> {
  const token = (await readAccount(path)).trim();
  return { headers: { authorization: `Bearer ${token}` } };
}
