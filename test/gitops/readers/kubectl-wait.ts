// The rule of `kubectl wait --for=condition=...`, and the real kubectl where there is one.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { type ShownCondition, statusOf } from '../../operator/kinds/support/invariants.ts';

export type Wait = 'met' | 'waits';

/** The first condition of the type decides, by its own observedGeneration or else that of the status. */
export function kubectlWait(resource: RawResource, type: string): Wait {
  const { conditions = [], observedGeneration: common } = statusOf(resource);
  const wanted = type.toLowerCase();
  const found: Partial<ShownCondition> | undefined = conditions.find((one) => one.type.toLowerCase() === wanted);
  if (found === undefined) return 'waits';
  const observed = found.observedGeneration ?? common;
  if (observed !== undefined && observed < resource.metadata.generation) return 'waits';
  return found.status?.toLowerCase() === 'true' ? 'met' : 'waits';
}

const run = promisify(execFile);

export const haveKubectl: boolean = await run('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);

export interface Asking {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** `clusters.dataprocessing.dev/etl`. */
  readonly object: string;
}

/** What the real one says when it looks once. Throws when it could not look. */
export async function realKubectlWait({ kubeconfig, namespace, object }: Asking, type: string): Promise<Wait> {
  const target = ['--kubeconfig', kubeconfig, '--namespace', namespace];
  const what = [`--for=condition=${type}`, '--timeout=0s', object];
  try {
    await run('kubectl', [...target, 'wait', ...what]);
    return 'met';
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    if (stderr.includes('timed out waiting for the condition') || stderr.includes('condition not met')) return 'waits';
    throw error;
  }
}
