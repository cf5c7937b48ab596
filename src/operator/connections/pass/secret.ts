// One pass over a Secret of our type: it has our finalizer exactly as long as a Connection refers to it.
import { finalizer } from '../../api/common.ts';
import { outcomeOfError } from '../../reconcile/outcome.ts';
import type { Key, ResourceStore } from '../../reconcile/ports.ts';
import type { Requeue } from '../../reconcile/requeue.ts';
import { secretNames } from './settings.ts';

export function createSecretPass(store: ResourceStore): (key: Key) => Promise<Requeue> {
  return async (key) => {
    const secret = store.read(key);
    if (!secret) return { next: 'gone' };
    const held = secret.metadata.finalizers?.includes(finalizer) ?? false;
    // Terminating Connections count: what was made through them may still have to be deleted.
    const wanted = [...store.list('Connection')].some(
      (one) => one.metadata.namespace === key.namespace && secretNames(one.spec).includes(key.name),
    );
    try {
      if (held && !wanted) await store.release(secret);
      else if (!held && wanted && secret.metadata.deletionTimestamp === undefined) await store.claim(secret, undefined);
      return { next: 'watch' };
    } catch (error) {
      // The controller handles anything else: it logs and retries.
      if (outcomeOfError(error).result !== 'conflict') throw error;
      return { next: 'retry', maxMs: 1_000 };
    }
  };
}
