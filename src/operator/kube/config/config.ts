// How to reach the API server: from inside a cluster, or by a kubeconfig.

import { delimiter, join } from 'node:path';
import type { Clock } from '../../../lib/ports.ts';
import { inClusterConfig } from './in-cluster.ts';
import type { ClusterConfig, ProcessEnvironment } from './types.ts';

export interface ClusterConfigOptions {
  /** Path of a kubeconfig; goes before everything else. */
  readonly kubeconfig?: string | undefined;
  /** A context of the kubeconfig; without it, its current one. */
  readonly context?: string | undefined;
  readonly environment: ProcessEnvironment;
  readonly clock: Clock;
}

/**
 * The order: the given kubeconfig, KUBECONFIG, the service account of a pod, `~/.kube/config`.
 * Rejects with `cannot load cluster configuration: ...` when none of them can be used.
 */
export async function loadClusterConfig(options: ClusterConfigOptions): Promise<ClusterConfig> {
  const { environment, clock } = options;
  const explicit = options.kubeconfig === undefined ? environmentPaths(environment) : [options.kubeconfig];
  if (explicit.length === 0 && environment['KUBERNETES_SERVICE_HOST'] !== undefined) {
    return inClusterConfig({ environment, clock });
  }
  const paths = explicit.length > 0 ? explicit : [join(environment['HOME'] ?? '', '.kube', 'config')];
  // Imported only here: a pod never needs it.
  const { kubeconfigConfig } = await import('./kubeconfig.ts');
  return kubeconfigConfig({ paths, context: options.context, clock });
}

/** KUBECONFIG may name several files, which are merged. */
function environmentPaths(environment: ProcessEnvironment): readonly string[] {
  return (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
}
