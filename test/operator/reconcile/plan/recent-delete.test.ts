// What is remembered of the DELETEs that were sent: one of each object, so that two that take their time are not asked for in turn.
import { describe, expect, test } from 'vitest';
import type { Service } from '../../../../src/operator/client/service-client.ts';
import { execute } from '../../../../src/operator/reconcile/execute/execute.ts';
import { deleteFailedCreate } from '../../../../src/operator/reconcile/plan/next-step.ts';
import { recentDelete } from '../../../../src/operator/reconcile/quarantine.ts';
import { runOf } from '../running.ts';
import { attempts, claimOf, clusterRow, ledgerOf, monotonic, resourceOf, usable, wall } from '../support.ts';

const claim = claimOf(attempts(0));

/** One resource, and a service that takes every DELETE and does nothing. */
function scene() {
  const at = { now: monotonic };
  const service = {
    budget: {
      limits: { requestsPerSecond: Number.POSITIVE_INFINITY },
      take: async () => ({ signal: undefined, release: () => undefined }),
    },
    remove: async () => undefined,
  } as unknown as Service;
  const resource = resourceOf({ ledger: ledgerOf([claim]) });
  const run = runOf(
    usable({ service }),
    resource,
    [resource],
    {},
    {
      leadership: { leading: () => true },
      clock: { wall: () => wall, monotonic: () => at.now, after: () => () => undefined },
    },
  );
  return {
    at,
    send: (id: string) => execute(run, deleteFailedCreate(run.planInput(), claim, id)),
    isRecent: (id: string, status = 'Active') =>
      recentDelete(run.planInput(), clusterRow({ id }), { state: status === 'Active' ? 'ready' : 'deleting' }) !==
      undefined,
  };
}

describe('a DELETE', () => {
  test('of one object is remembered while another one is sent, too', async () => {
    const { send, isRecent } = scene();
    await send('one');
    await send('two');
    expect([isRecent('one'), isRecent('two'), isRecent('three')]).toEqual([true, true, false]);
  });

  test('counts for a minute, and for ten while the service is at it', async () => {
    const { at, send, isRecent } = scene();
    await send('one');
    at.now += 60_000;
    expect([isRecent('one'), isRecent('one', 'Deleting')]).toEqual([false, true]);
    at.now += 540_000;
    expect(isRecent('one', 'Deleting')).toBe(false);
  });

  test('that was sent again counts from then', async () => {
    const { at, send, isRecent } = scene();
    await send('one');
    at.now += 60_000;
    await send('one');
    expect(isRecent('one')).toBe(true);
  });

  test('is forgotten when 64 others were sent since', async () => {
    const { send, isRecent } = scene();
    const ids = Array.from({ length: 65 }, (_, n) => `id-${n}`);
    for (const id of ids) await send(id);
    expect(ids.filter((id) => !isRecent(id))).toEqual(['id-0']);
  });
});
