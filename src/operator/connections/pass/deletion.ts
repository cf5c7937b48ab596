// The end of a Connection: it serves until the last resource that needs it is gone.
import type { Requeue } from '../../reconcile/requeue.ts';
import type { Context } from './connection-context.ts';
import { writeConnectionStatus } from './connection-status.ts';

const blockersShown = 20;

export function leaving({ name }: Context['key']) {
  return { mayCreate: false, leaving: true, message: `Connection ${name} is being deleted` } as const;
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
    name: user.metadata.name,
    reason: 'InUse' as const,
    message: `${user.kind} ${user.metadata.name} needs this Connection until it is deleted`,
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
