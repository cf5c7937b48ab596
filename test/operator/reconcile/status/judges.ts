// How those judge a status who watch it: kstatus (Flux), `kubectl wait` and the health rule for Argo CD, each in its own order.
import type { RawResource } from '../../../../src/operator/api/definition.ts';

interface Seen {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly observedGeneration?: number;
}

function statusOf({ status }: RawResource) {
  const { observedGeneration, conditions = [] } = (status ?? {}) as {
    observedGeneration?: number;
    conditions?: readonly Seen[];
  };
  return { observedGeneration, conditions };
}

export type Kstatus = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

/** Deletion, then generation, then the first of Reconciling and Stalled in the list, then Ready; what says nothing is Current. */
export function kstatus(resource: RawResource): Kstatus {
  const { metadata } = resource;
  const { observedGeneration, conditions } = statusOf(resource);
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return 'InProgress';
  for (const { type, status } of conditions) {
    if (type === 'Reconciling' && status === 'True') return 'InProgress';
    if (type === 'Stalled' && status === 'True') return 'Failed';
  }
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (!ready) return 'Current';
  return ready.status === 'True' ? 'Current' : 'InProgress';
}

/** `kubectl wait --for=condition=<type>`: the first entry of that type decides, unless it speaks of an older generation. */
export function kubectlWait(resource: RawResource, type: string): boolean {
  const { observedGeneration, conditions } = statusOf(resource);
  const found = conditions.find((one) => one.type?.toLowerCase() === type.toLowerCase());
  if (!found) return false;
  const generation = found.observedGeneration ?? observedGeneration;
  if (generation !== undefined && generation < resource.metadata.generation) return false;
  return found.status?.toLowerCase() === 'true';
}

export type ArgoHealth = 'Progressing' | 'Degraded' | 'Healthy';

export function argoHealth(resource: RawResource): ArgoHealth {
  const { generation, deletionTimestamp } = resource.metadata;
  const { observedGeneration, conditions } = statusOf(resource);
  const of = (type: string) => conditions.find((one) => one.type === type);
  if (deletionTimestamp !== undefined || observedGeneration !== generation) return 'Progressing';
  if ((of('Ready')?.observedGeneration ?? generation) !== generation) return 'Progressing';
  if (of('Stalled')?.status === 'True') return 'Degraded';
  if (of('Reconciling')?.status === 'True') return 'Progressing';
  return of('Ready')?.status === 'True' ? 'Healthy' : 'Progressing';
}
