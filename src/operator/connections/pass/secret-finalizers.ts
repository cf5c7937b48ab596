// The finalizer on the Secrets of Connections: put on with a Connection that references them, and removed with the last one.
import type { RawResource } from '../../api/definition.ts';
import { connectionKind, finalizer, sharedConnectionKind } from '../../api/shared-api.ts';
import { repeatLostRace } from '../../reconcile/lost-race.ts';
import { type Key, keyText, type ResourceStore } from '../../reconcile/pass-ports.ts';
import type { Requeue } from '../../reconcile/requeue.ts';
import { type ConnectionPorts, secretsOf } from './connection-context.ts';
import { secretKeys } from './connection-settings.ts';

/** Our finalizer keeps the Secrets readable as long as something may have to be deleted with them. */
export async function holdSecrets(ports: ConnectionPorts, resource: RawResource): Promise<void> {
  for (const secret of secretsOf(ports, resource)) {
    const { deletionTimestamp, finalizers } = secret.metadata;
    if (deletionTimestamp === undefined && !finalizers?.includes(finalizer)) await ports.store.claim(secret, undefined);
  }
}

/** A Secret of our type has our finalizer exactly as long as a Connection refers to it. */
export function createSecretPass(store: ResourceStore): (key: Key) => Promise<Requeue> {
  return async (key) => {
    const secret = store.read(key);
    if (!secret) return { next: 'gone' };
    const held = secret.metadata.finalizers?.includes(finalizer) ?? false;
    // Terminating Connections count: what was made through them may still have to be deleted.
    const connections = [connectionKind, sharedConnectionKind].flatMap((kind) => [...store.list(kind)]);
    const wanted = connections.some((one) => secretKeys(one).some((used) => keyText(used) === keyText(key)));
    return await repeatLostRace(async () => {
      if (held && !wanted) await store.release(secret);
      else if (!held && wanted && secret.metadata.deletionTimestamp === undefined) await store.claim(secret, undefined);
      return { next: 'watch' };
    });
  };
}
