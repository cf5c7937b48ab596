// Two replicas of the operator: one works, the other takes over when that one goes. When it stands still, or loses the API server: lease.long.test.ts.
import { describe, expect, inject, test } from 'vitest';
import { listRemote } from '../../dev/demo/remote.ts';
import { limitMs } from '../support/patience.ts';
import { type Bench, useBench } from './support/bench.ts';
import { applyAll, expectNothing, removeAll, untilGone, untilReady } from './support/checks.ts';
import {
  figureOf,
  leaderOf,
  leaseOf,
  leaseTimes,
  manifestsOf,
  shortLease,
  startReplica,
  untilLeads,
} from './support/replicas.ts';

const kubeconfig = inject('kubeconfig');
const patience = { timeout: limitMs, interval: 50 };

/** What the operators wrote to the API server so far: how often the lease, and what else. */
async function ownWrites(bench: Bench): Promise<{ readonly renewals: number; readonly other: readonly string[] }> {
  const writes = (await bench.asked()).filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
  const other = writes.filter(({ resource }) => !resource.startsWith('leases.'));
  return {
    renewals: writes.length - other.length,
    other: other.map(({ verb, resource, name }) => `${verb} ${resource} ${name ?? ''}`),
  };
}

/** The API server records a write some time after its answer: with the second renewal from now on, all that was written before is on record. */
async function afterRenewals(bench: Bench, count: number): ReturnType<typeof ownWrites> {
  const { renewals } = await ownWrites(bench);
  await expect.poll(async () => (await ownWrites(bench)).renewals, patience).toBeGreaterThanOrEqual(renewals + count);
  return ownWrites(bench);
}

describe.skipIf(kubeconfig === '')('two replicas', () => {
  const bench = useBench(kubeconfig, 'lease');

  test('work one at a time, and take over at once when the leader goes', async () => {
    const { objects } = bench();
    const { url } = await bench().startService();
    const { access, template } = await manifestsOf(bench(), url);
    const [before, after] = [template('before'), template('after')];
    const first = await startReplica(bench(), 'first', ...shortLease);
    await untilLeads(bench(), first);
    const second = await startReplica(bench(), 'second', ...shortLease);
    await applyAll(objects, [...access, before]);
    await untilReady(objects, [...access, before]);
    expect(await second.program.log()).toMatch(/standing by: first_\w+ leads/);
    expect([await figureOf(first, 'leader'), await figureOf(second, 'leader')]).toEqual([1, 0]);
    expect(await figureOf(first, 'resources{kind="Connection"}')).toBe(1);
    expect(await figureOf(second, 'resources{kind="Connection"}')).toBeNaN();

    // What the Connection counts is written when things are quiet.
    const [connection] = access.filter(({ kind }) => kind === 'Connection');
    if (connection === undefined) throw new Error('the examples have no Connection');
    const managed = async () => {
      const { status } = ((await objects.read(connection)) ?? {}) as { status?: { managedCount?: number } };
      return status?.managedCount;
    };
    await expect.poll(managed, patience).toBe(1);

    // In the order in which it happens: nothing but the lease is written, for three renewals.
    const idle = await afterRenewals(bench(), 2);
    expect((await afterRenewals(bench(), 3)).other).toEqual(idle.other);

    expect(await first.program.end('SIGTERM', limitMs)).toBe('code 0');
    const handed = await untilLeads(bench(), second);
    await objects.apply(after);
    await untilReady(objects, [...access, before, after]);
    expect((await leaseOf(bench())).leaseTransitions).toBe(1);
    expect(await figureOf(second, 'lease_transitions_total')).toBe(1);
    console.info(`takeover after SIGTERM: ${Math.round(handed)} ms`);
    // It was given back, so nobody waited for its end, which is further away than this.
    expect(handed).toBeLessThan(leaseTimes.durationMs / 2);
    expect((await listRemote(bench().tenant(url), 'node-group-templates')).length).toBe(2);

    await removeAll(objects, [before, after, ...access]);
    await untilGone(objects, [before, after, ...access]);
    await expectNothing(bench().tenant(url));
    expect(await second.program.end('SIGTERM', limitMs)).toBe('code 0');
    expect(await leaderOf(bench())).toBe('');
  });
});
