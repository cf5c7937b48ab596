// The end of a Connection: it serves until the last resource that needs it is gone.
import type { RawResource } from '../../api/definition.ts';
import { nameText } from '../../reconcile/pass-ports.ts';
import type { Requeue } from '../../reconcile/requeue.ts';
import type { Context } from './connection-context.ts';
import { writeConnectionStatus } from './connection-status.ts';

const blockersShown = 20;

export function leaving(key: Context['key']) {
  return { mayCreate: false, leaving: true, message: `${nameText(key)} is being deleted` } as const;
}

/** With the namespace, where that is not the one of the Connection. */
function placeIn({ namespace }: Context['key'], { metadata }: RawResource): string {
  return namespace === metadata.namespace ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** A terminating Connection still serves resources that have to observe and delete. It is removed after the last of them. */
export async function leave(context: Context): Promise<Requeue> {
  const { ports, key, resource } = context;
  const users = ports.users(key);
  ports.registry.judge(key, leaving(key));
  if (users.length === 0) {
    ports.registry.forget(key);
    await ports.store.release(resource);
    return { next: 'watch' };
  }
  const shown = users.slice(0, blockersShown).map((user) => ({
    kind: user.kind,
    name: placeIn(key, user),
    reason: 'InUse' as const,
    message: `${user.kind} ${placeIn(key, user)} needs this ${key.kind} until it is deleted`,
  }));
  const message =
    users.length === 1
      ? 'still needed by 1 resource: delete it first, or wait for its deletion'
      : `still needed by ${users.length} resources: delete them first, or wait for their deletion`;
  await writeConnectionStatus(context, {
    standing: { state: 'progressing', reason: 'Deleting', message },
    blockedOn: shown,
  });
  return { next: 'watch' };
}
