// How Flux, kpt and everything else on cli-utils judge an object: the order of its kstatus library.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { statusOf } from '../../operator/kinds/support/invariants.ts';

export type KStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating';

/** The first rule that applies decides. An object of which nothing is known is taken for done. */
export function kstatus(resource: RawResource): KStatus {
  const { deletionTimestamp, generation } = resource.metadata;
  const { observedGeneration, conditions = [] } = statusOf(resource);
  if (deletionTimestamp !== undefined) return 'Terminating';
  if (observedGeneration !== undefined && observedGeneration !== generation) return 'InProgress';
  const abnormal = conditions.find(
    ({ type, status }) => (type === 'Reconciling' || type === 'Stalled') && status === 'True',
  );
  if (abnormal) return abnormal.type === 'Stalled' ? 'Failed' : 'InProgress';
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress';
}
