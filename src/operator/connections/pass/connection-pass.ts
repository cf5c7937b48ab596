// The pass over a Connection, which checks its service and reports in status whether that works.
import type { RawResource } from '../../api/definition.ts';
import { finalizer } from '../../api/shared-api.ts';
import { repeatLostRace } from '../../reconcile/lost-race.ts';
import { outcomeOfError } from '../../reconcile/outcome.ts';
import { type Key, keyText } from '../../reconcile/pass-ports.ts';
import type { Requeue } from '../../reconcile/requeue.ts';
import { specProblems } from '../../reconcile/resource/facts.ts';
import type { ConnectionMemory, ConnectionPorts, Context } from './connection-context.ts';
import { definitionOf } from './connection-settings.ts';
import { isStalled, writeCheckingStatus, writeConnectionStatus } from './connection-status.ts';
import { leave } from './deletion.ts';
import { type Opened, open } from './opening.ts';
import { check, checkLeaving, close, failed } from './reachability.ts';
import { holdSecrets } from './secret-finalizers.ts';
import { toldToUsers } from './told-to-users.ts';

const deletingMs = 60_000;
/** How long the Secret of a Connection may be on its way, in ms. */
const applyingMs = 10_000;

export function createConnectionPass(ports: ConnectionPorts): (key: Key, signal: AbortSignal) => Promise<Requeue> {
  const memories = new Map<string, ConnectionMemory>();
  return async (key, signal) => {
    const name = keyText(key);
    const resource = ports.store.read(key);
    if (!resource) {
      memories.delete(name);
      ports.registry.forget(key);
      return { next: 'gone' };
    }
    const known = memories.get(name);
    const memory = known?.uid === resource.metadata.uid ? known : { uid: resource.metadata.uid };
    memories.set(name, memory);
    return await repeatLostRace(() => reconcile({ ports, key, resource, memory, signal }));
  };
}

async function reconcile(context: Context): Promise<Requeue> {
  const { ports, key, resource, memory } = context;
  const { deletionTimestamp, finalizers } = resource.metadata;
  const deleting = deletionTimestamp !== undefined;
  if (deleting && !finalizers?.includes(finalizer)) {
    ports.registry.forget(key);
    return { next: 'watch' };
  }
  const parsed = definitionOf(key.kind).spec.safeParse(resource.spec);
  if (!parsed.success) return unreadable(context, specProblems(parsed.error));
  const current = await writeCheckingStatus({ ...context, resource: await ensureFinalizers(context) });
  const opened = await open(current, parsed.data);
  if (opened.state === 'unfit') return unreadable(current, `spec.endpoint: ${opened.message}`);
  if (opened.state !== 'missing') memory.missingSince = undefined;
  if (opened.state === 'missing') {
    const message = toldToUsers(key, 'has no credentials', opened);
    ports.registry.broken(key, { message, credentials: true });
  }
  if (opened.state === 'failed' && deleting) close(current, opened.outcome);
  if (deleting) return requeueLeaving(await leave(current), opened, current);
  switch (opened.state) {
    case 'missing':
      return missing(current, opened.message);
    case 'failed':
      return failed(current, opened.outcome);
    case 'open':
      return check(current, opened);
  }
}

/**
 * Puts the finalizer on the Connection and its Secrets. If the API server refuses that, the status reports it, and the error is thrown again: the controller logs it and
 * retries.
 */
async function ensureFinalizers(context: Context): Promise<RawResource> {
  const { ports, resource } = context;
  const { deletionTimestamp, finalizers } = resource.metadata;
  const isHeld = deletionTimestamp !== undefined || finalizers?.includes(finalizer) === true;
  try {
    const held = isHeld ? resource : await ports.store.claim(resource, undefined);
    await holdSecrets(ports, held);
    return held;
  } catch (error) {
    const outcome = outcomeOfError(error);
    if (outcome.result !== 'failed' || deletionTimestamp !== undefined) throw error;
    const { reason, message } = outcome;
    await writeConnectionStatus(context, { standing: { state: 'retrying', reason, message } });
    throw error;
  }
}

/** A Connection and its Secret are often applied together, in any order: only what stays missing needs the user. */
async function missing(context: Context, message: string): Promise<Requeue> {
  const { memory, ports, resource } = context;
  const reason = 'CredentialsMissing';
  const now = ports.clock.monotonic();
  delete memory.checked;
  memory.missingSince ??= now;
  const leftMs = isStalled(resource, reason) ? 0 : memory.missingSince + applyingMs - now;
  await writeConnectionStatus(context, {
    standing: { state: leftMs > 0 ? 'progressing' : 'stalled', reason, message },
  });
  return leftMs > 0 ? { next: 'at', afterMs: leftMs } : { next: 'watch' };
}

/** Resources that still have to be deleted need the log-in, which nothing else would try again. */
async function requeueLeaving(left: Requeue, opened: Opened, context: Context): Promise<Requeue> {
  if (opened.state === 'failed') return { next: 'retry', maxMs: deletingMs };
  const needed = opened.state === 'open' && context.ports.users(context.key).length > 0;
  return needed ? checkLeaving(context, opened, left) : left;
}

async function unreadable(context: Context, message: string): Promise<Requeue> {
  const { ports, key, resource } = context;
  ports.registry.broken(key, { message: toldToUsers(key, 'cannot be used', { message }), credentials: false });
  if (resource.metadata.deletionTimestamp) return leave(context);
  await writeConnectionStatus(context, { standing: { state: 'stalled', reason: 'InvalidSpec', message } });
  return { next: 'watch' };
}
