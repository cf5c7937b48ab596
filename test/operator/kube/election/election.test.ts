// The election case by case: who leads when, on clocks that a test moves.
import { beforeEach, describe, expect, test } from 'vitest';
import { ManualClock, settle } from '../../../support/clock.ts';
import { FakeLeases } from '../support/fake-leases.ts';
import { leasePath, Replica, type ReplicaOptions, times } from '../support/replica.ts';

let clock: ManualClock;
let leases: FakeLeases;
beforeEach(() => {
  clock = new ManualClock();
  leases = new FakeLeases();
});

const replica = (name: string, options: Partial<ReplicaOptions> = {}) =>
  new Replica(name, { leases, clock, ...options }).stand();
const spec = () => leases.get(leasePath)?.spec ?? {};
const methods = ({ line }: Replica) => line.calls.map(({ method }) => method);

/** A leader that has just renewed, and one that knows of it. */
async function two(): Promise<readonly [leader: Replica, standby: Replica]> {
  const leader = replica('a');
  await settle();
  const standby = replica('b');
  await clock.advance(8_000);
  expect([leader.leads(), standby.leads()]).toEqual([true, false]);
  return [leader, standby];
}

/** Moves time on until `condition` holds; answers with the ms that it took. */
async function timeUntil(condition: () => boolean, limitMs = 60_000): Promise<number> {
  const start = clock.monotonic();
  while (!condition()) {
    if (clock.monotonic() - start > limitMs) throw new Error(`nothing happened within ${limitMs} ms`);
    await clock.advance(50);
  }
  return clock.monotonic() - start;
}

describe('alone', () => {
  test('it makes the lease, and leads at once', async () => {
    const only = replica('a');
    await settle();
    expect(only.leads()).toBe(true);
    const now = '2026-01-01T00:00:01.000000Z';
    expect(spec()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    });
  });

  test('it renews every retry period by one write, and stays since when it leads', async () => {
    const only = replica('a');
    await settle();
    await clock.advance(20_000);
    expect(methods(only)).toEqual(['GET', 'POST', ...Array.from({ length: 10 }, () => 'PUT')]);
    expect(spec()).toMatchObject({
      acquireTime: '2026-01-01T00:00:01.000000Z',
      renewTime: '2026-01-01T00:00:21.000000Z',
      leaseTransitions: 0,
    });
    expect(only.leads()).toBe(true);
  });

  test.each([
    ['that nobody has', { holderIdentity: '', leaseDurationSeconds: 1 }],
    ['that was made by hand and says nothing', {}],
    ['that is full of nonsense', { holderIdentity: 7, leaseDurationSeconds: 'x', leaseTransitions: -3 }],
  ])('it takes a lease %s, and keeps what others wrote on it', async (_name, given) => {
    leases.put(leasePath, { spec: { ...given, strategy: 'theirs' }, metadata: { labels: { team: 'a' } } });
    const only = replica('a');
    await settle();
    expect(only.leads()).toBe(true);
    expect(leases.get(leasePath)).toMatchObject({
      metadata: { labels: { team: 'a' } },
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 1, strategy: 'theirs' },
    });
  });
});

describe('a standby', () => {
  test('waits for as long as the leader renews, and only reads', async () => {
    const [leader, standby] = await two();
    await clock.advance(10 * 60_000);
    expect([leader.leads(), standby.leads()]).toEqual([true, false]);
    expect(new Set(methods(standby))).toEqual(new Set(['GET']));
    expect(standby.said()).toEqual(['info: standing by: a leads']);
    expect(standby.election.observation.lease?.transitions).toBe(0);
  });

  test.each([-86_400_000, 86_400_000])('does not care that its clock is off by %i ms', async (wallOffset) => {
    const leader = replica('a');
    await settle();
    const standby = replica('b', { wallOffset });
    await clock.advance(60_000);
    expect([leader.leads(), standby.leads()]).toEqual([true, false]);
    leader.freeze();
    expect(await timeUntil(() => standby.leads())).toBeGreaterThan(times.durationMs - times.retryMs);
  });

  test.each([0, 0.5, 0.999])('takes the lease of a leader that died, in time (chance %f)', async (random) => {
    const leader = replica('a');
    await settle();
    const standby = replica('b', { random });
    await clock.advance(8_000);
    leader.freeze();
    const ms = await timeUntil(() => standby.leads());
    expect(ms).toBeGreaterThanOrEqual(times.durationMs - times.retryMs);
    expect(ms).toBeLessThanOrEqual(times.durationMs + times.retryMs + 2_000);
    expect(leader.leads()).toBe(false);
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    expect(standby.election.observation.lease?.transitions).toBe(1);
  });

  test('counts from the renewal that it saw, not from when it started to look', async () => {
    const leader = replica('a');
    await settle();
    leader.freeze();
    await clock.advance(3_600_000);
    const standby = replica('b');
    expect(await timeUntil(() => standby.leads())).toBeGreaterThanOrEqual(times.durationMs);
  });

  test('takes no change of labels for a renewal', async () => {
    const [leader, standby] = await two();
    leader.freeze();
    const labelled = () => {
      leases.put(leasePath, { metadata: { labels: { at: String(clock.monotonic()) } } });
      return standby.leads();
    };
    expect(await timeUntil(labelled)).toBeLessThanOrEqual(times.durationMs + times.retryMs + 2_000);
  });

  test('honours the duration that the holder was promised, whatever its own is', async () => {
    leases.put(leasePath, { spec: { holderIdentity: 'x', leaseDurationSeconds: 40 } });
    const standby = replica('b');
    expect(await timeUntil(() => standby.leads())).toBeGreaterThanOrEqual(40_000);
  });

  test('waits its own duration where a holder has none', async () => {
    leases.put(leasePath, { spec: { holderIdentity: 'x' } });
    const standby = replica('b');
    expect(await timeUntil(() => standby.leads())).toBeGreaterThanOrEqual(times.durationMs);
  });

  test('is one of several that want it, and one gets it', async () => {
    const [leader, ...standbys] = ['a', 'b', 'c', 'd'].map((name) => replica(name));
    await clock.advance(10_000);
    leader?.freeze();
    await timeUntil(() => standbys.some((one) => one.leads()));
    await clock.advance(60_000);
    expect(standbys.filter((one) => one.leads())).toHaveLength(1);
    expect(spec()).toMatchObject({ leaseTransitions: 1 });
  });

  test('says once that it may not, and what; and goes on trying', async () => {
    const standby = replica('b');
    standby.line.weather = 'refused';
    await clock.advance(60_000);
    const why = 'cannot reach the API server: ECONNREFUSED';
    expect(standby.said()).toEqual([`warn: cannot use the lease: ${why}`]);
    expect(standby.election.observation.trouble()).toMatchObject({ why, ms: expect.any(Number) });
    standby.line.weather = 'fine';
    await timeUntil(() => standby.leads());
    expect(standby.election.observation.trouble()).toBeUndefined();
    expect(standby.lost).toBe(0);
  });

  test('says that the namespace of the lease is not there', async () => {
    leases.namespaces.clear();
    const standby = replica('b');
    await clock.advance(10_000);
    expect(standby.election.observation.trouble()?.why).toBe('namespaces "operators" not found');
  });
});

describe('a leader', () => {
  test.each(['refused', 'hang', 'late'] as const)(
    'that reaches nobody (%s) stops writing, gives up, and stays out',
    async (weather) => {
      const [leader, standby] = await two();
      leader.line.weather = weather;
      const silentMs = await timeUntil(() => !leader.leads());
      expect(silentMs).toBeGreaterThan(times.renewDeadlineMs * 0.8 - times.retryMs - 100);
      expect(silentMs).toBeLessThanOrEqual(times.renewDeadlineMs * 0.8);
      expect([leader.lost, standby.leads()]).toEqual([0, false]);
      expect(silentMs + (await timeUntil(() => leader.lost > 0))).toBeLessThanOrEqual(times.renewDeadlineMs);
      expect(standby.leads()).toBe(false);
      leader.line.weather = 'fine';
      await clock.advance(120_000);
      expect([leader.lost, leader.leads(), standby.leads()]).toEqual([1, false, true]);
      expect(leader.said().at(-1)).toMatch(/^error: lost the lease: cannot reach the API server: /);
    },
  );

  test('that stood still for nearly the renew deadline begins no write before it has renewed', async () => {
    const [leader, standby] = await two();
    leader.freeze();
    await clock.advance(8_500);
    expect(leader.leads()).toBe(false);
    leader.thaw();
    expect(leader.leads()).toBe(false);
    await timeUntil(() => leader.leads(), 100);
    await clock.advance(60_000);
    expect([leader.leads(), leader.lost, standby.leads()]).toEqual([true, 0, false]);
  });

  test('survives a call that hangs: the next one is made in time', async () => {
    const [leader] = await two();
    leader.line.weather = 'hang';
    await clock.advance(times.retryMs + 1);
    leader.line.weather = 'fine';
    await clock.advance(60_000);
    expect([leader.leads(), leader.lost]).toEqual([true, 0]);
    for (const { timeoutMs } of leader.line.calls) expect(timeoutMs).toBeLessThanOrEqual(times.renewDeadlineMs / 2);
  });

  test('goes on after a renewal whose answer was lost', async () => {
    const [leader] = await two();
    leader.line.weather = 'lost';
    await clock.advance(times.retryMs + 1);
    leader.line.weather = 'fine';
    await clock.advance(60_000);
    expect([leader.leads(), leader.lost]).toEqual([true, 0]);
    expect(spec()).toMatchObject({ leaseTransitions: 0 });
  });

  test.each([
    ['for a moment', 12_000],
    ['for an hour', 3_600_000],
  ])('that stood still %s leads no more when it goes on, before anything of it runs', async (_name, ms) => {
    const [leader] = await two();
    leader.freeze();
    await clock.advance(ms);
    expect(leader.leads()).toBe(false);
    leader.thaw();
    expect(leader.leads()).toBe(false);
    await clock.advance(5_000);
    expect([leader.leads(), leader.lost]).toEqual([false, 1]);
  });

  test('that stood still while its renewal was answered counts from when it was sent', async () => {
    const [leader, standby] = await two();
    leader.line.weather = 'slow';
    await clock.advance(times.retryMs);
    leader.freeze();
    await timeUntil(() => standby.leads());
    leader.thaw();
    for (let ms = 0; ms < 5_000; ms += 50) {
      expect(leader.leads()).toBe(false);
      await clock.advance(50);
    }
    expect(leader.lost).toBe(1);
  });

  test('gives up at once when somebody else has the lease', async () => {
    const leader = replica('a');
    await settle();
    leases.put(leasePath, { spec: { holderIdentity: 'x' } });
    await clock.advance(times.retryMs);
    expect([leader.leads(), leader.lost]).toEqual([false, 1]);
    expect(leader.said().at(-1)).toBe('error: lost the lease: x holds it');
    expect(spec()).toMatchObject({ holderIdentity: 'x' });
  });

  test('makes the lease anew when it was deleted, and takes it again when it was emptied', async () => {
    const leader = replica('a');
    await settle();
    leases.delete(leasePath);
    await clock.advance(times.retryMs);
    expect(spec()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
    leases.put(leasePath, { spec: { holderIdentity: '' } });
    await clock.advance(times.retryMs);
    expect(spec()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 1 });
    expect([leader.leads(), leader.lost]).toEqual([true, 0]);
  });
});

describe('the end', () => {
  test('of an idle leader gives the lease back: the next leads within a retry period', async () => {
    const [leader, standby] = await two();
    expect(await leader.stop()).toBeUndefined();
    expect(spec()).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(leader.leads()).toBe(false);
    expect(await timeUntil(() => standby.leads())).toBeLessThanOrEqual(times.retryMs * 1.8);
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    expect(leader.lost).toBe(0);
  });

  test('of one that may still write leaves the lease to run out', async () => {
    const [leader, standby] = await two();
    expect(await leader.stop(false)).toBe('the lease is not released, because a write may still be in progress');
    expect(leader.leads()).toBe(false);
    expect(await timeUntil(() => standby.leads())).toBeGreaterThan(times.durationMs - times.retryMs);
  });

  test('of a standby writes nothing', async () => {
    const [leader, standby] = await two();
    expect(await standby.stop()).toBeUndefined();
    expect(new Set(methods(standby))).toEqual(new Set(['GET']));
    const calls = standby.line.calls.length;
    await clock.advance(60_000);
    expect([standby.line.calls.length, leader.leads()]).toEqual([calls, true]);
  });

  test('gives back what was got without an answer', async () => {
    leases.put(leasePath, { spec: { holderIdentity: '' } });
    const only = replica('a');
    only.line.weather = ({ method }) => (method === 'PUT' ? 'lost' : 'fine');
    await clock.advance(10);
    expect([spec()['holderIdentity'], only.leads()]).toEqual(['a', false]);
    only.line.weather = 'fine';
    expect(await only.stop()).toBeUndefined();
    expect(spec()).toMatchObject({ holderIdentity: '' });
  });

  test.each([
    ['once: gives the lease back all the same', 1, undefined, ''],
    ['again and again: says so', 9, expect.stringMatching(/^cannot release the lease, .*faster/), 'a'],
  ])('while an aborted renewal takes effect %s', async (_name, times, answer, holderIdentity) => {
    const [leader] = await two();
    let late = 0;
    leader.line.weather = ({ method }) => {
      if (method === 'PUT' && late < times)
        leases.put(leasePath, { metadata: { labels: { late: String((late += 1)) } } });
      return 'fine';
    };
    expect(await leader.stop()).toEqual(answer);
    expect(spec()).toMatchObject({ holderIdentity });
  });

  test('says that the lease could not be given back, and does not hang', async () => {
    const [leader] = await two();
    leader.line.weather = 'hang';
    const stopped = leader.stop();
    await clock.advance(times.renewDeadlineMs / 2);
    expect(await stopped).toBe(
      'cannot release the lease, so the next replica waits until it expires: cannot reach the API server: no answer',
    );
  });

  test('leaves no timer behind', async () => {
    const [leader, standby] = await two();
    await Promise.all([leader.stop(), standby.stop()]);
    expect(clock.pending).toBe(0);
  });
});
