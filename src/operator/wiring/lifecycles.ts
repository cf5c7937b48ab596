// Wakes a Cluster with a lifecycle when a run on it appears, ends or is gone; and bounds how many Clusters expire at a time.
import type { Clock } from '../../lib/ports.ts';
import type { RawResource } from '../api/definition.ts';
import { cluster } from '../kinds/cluster/schema.ts';
import { type Key, keyFromText, type ResourceChange, type ResourceStore } from '../reconcile/pass-ports.ts';
import { endIn } from '../reconcile/resource/facts.ts';
import { readStatus } from '../reconcile/resource/read-conditions.ts';
import { clusterTextOfRun } from '../reconcile/resource/runs-on.ts';
import { executionKind } from '../schedules/schedule-executions.ts';
import { ExpiryLimit } from './expiry-limit.ts';

function hasLifecycle(resource: RawResource | undefined): boolean {
  return (resource?.spec as { readonly lifecycle?: unknown } | null | undefined)?.lifecycle !== undefined;
}

/** Handles changes of the cache by any client. A Cluster that a run names by its id finds out with its next poll. */
export function createUseWaker(
  read: (key: Key) => RawResource | undefined,
  wake: (key: Key) => void,
): (change: ResourceChange) => void {
  return ({ key, previous, current }) => {
    if (key.kind !== executionKind || factsOf(previous) === factsOf(current)) return;
    const run = current ?? previous;
    const text = run && clusterTextOfRun(run);
    const of = text === undefined ? undefined : keyFromText(text);
    if (of && hasLifecycle(read(of))) wake(of);
  };
}

/** What a Cluster sees of a run. */
function factsOf(run: RawResource | undefined): string {
  if (run === undefined) return '';
  return JSON.stringify([run.metadata.uid, endIn(readStatus(run.status).conditions)?.reason]);
}

export function expiryLimit(clock: Clock, store: Pick<ResourceStore, 'list'>): (key: Key) => boolean {
  const limit = new ExpiryLimit(clock, () => [...store.list(cluster.kind)].filter(hasLifecycle).length);
  return (key) => limit.admit(key);
}
