// Finds the configuration of the API server: the service account of a pod, or a kubeconfig.

import { delimiter, join } from 'node:path';
import type { Clock } from '../../../lib/ports.ts';
import { inClusterConfig } from './in-cluster.ts';
import type { ClusterConfig, ProcessEnvironment } from './types.ts';

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
