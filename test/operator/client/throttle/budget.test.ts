// Permits: rate, burst, places in flight, turns between users, and the call to those who went away without one.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Limits } from '../../../../src/operator/client/limits.ts';
import { Budget, type Permit } from '../../../../src/operator/client/throttle/budget.ts';
import { ManualClock, settle } from '../../../support/clock.ts';

const wide: Limits = { requestsPerSecond: 10, burst: 5, maxInFlight: 100 };

function start(limits: Limits = wide) {
  const clock = new ManualClock();
  const budget = new Budget(limits, clock);
  const free: string[] = [];
  budget.onFree((user) => free.push(user));
  return { clock, budget, free };
}

async function takeAll(budget: Budget, count: number, user = 'a'): Promise<readonly Permit[]> {
  const taken = await Promise.all(Array.from({ length: count }, () => budget.take({ user, withinMs: 0 })));
  return taken.filter((permit) => permit !== undefined);
}

describe('rate and burst', () => {
  test('a burst goes at once, then one a tenth of a second', async () => {
    const { clock, budget } = start();
    expect(await takeAll(budget, 8)).toHaveLength(5);
    await clock.advance(99);
    expect(await takeAll(budget, 1)).toHaveLength(0);
    await clock.advance(1);
    expect(await takeAll(budget, 3)).toHaveLength(1);
    await clock.advance(60_000);
    expect(await takeAll(budget, 8)).toHaveLength(5);
  });

  test('places in flight limit, too, and come back once', async () => {
    const { clock, budget } = start({ ...wide, maxInFlight: 2 });
    const [first, second] = await takeAll(budget, 3);
    expect(second).toBeDefined();
    first?.release();
    first?.release();
    expect(await takeAll(budget, 3)).toHaveLength(1);
    await clock.advance(10_000);
    expect(await takeAll(budget, 1)).toHaveLength(0);
  });

  test('settings change in place', async () => {
    const { clock, budget } = start({ ...wide, maxInFlight: 1 });
    await takeAll(budget, 1);
    const waiting = budget.take({ user: 'a', withinMs: 1000 });
    budget.configure({ ...wide, maxInFlight: 2 });
    expect(await waiting).toBeDefined();
    budget.configure({ requestsPerSecond: 1, burst: 1, maxInFlight: 100 });
    expect(await takeAll(budget, 3)).toHaveLength(1);
    await clock.advance(999);
    expect(await takeAll(budget, 1)).toHaveLength(0);
    await clock.advance(1);
    expect(await takeAll(budget, 1)).toHaveLength(1);
  });

  test.each([
    { requestsPerSecond: 0, burst: 1, maxInFlight: 1 },
    { requestsPerSecond: 1, burst: 0, maxInFlight: 1 },
    { requestsPerSecond: 1, burst: 1, maxInFlight: 0.5 },
    { requestsPerSecond: Number.NaN, burst: 1, maxInFlight: 1 },
    { requestsPerSecond: Number.POSITIVE_INFINITY, burst: 1, maxInFlight: 1 },
  ])('refuses limits under which nothing could ever be sent: %o', (limits) => {
    expect(() => new Budget(limits, new ManualClock())).toThrow(RangeError);
    expect(() => start().budget.configure(limits)).toThrow(RangeError);
  });
});

describe('waiting', () => {
  test('is served as soon as a permit is there', async () => {
    const { clock, budget } = start();
    await takeAll(budget, 5);
    const waiting = budget.take({ user: 'a', withinMs: 500 });
    await clock.advance(100);
    expect(await waiting).toBeDefined();
    expect(clock.pending).toBe(0);
  });

  test('ends empty-handed after its time, and leaves no timer', async () => {
    const { clock, budget, free } = start({ ...wide, requestsPerSecond: 1 });
    await takeAll(budget, 5);
    const waiting = budget.take({ user: 'a', withinMs: 100 });
    await clock.advance(100);
    expect(await waiting).toBeUndefined();
    await clock.advance(900);
    expect(free).toEqual(['a']);
    expect(clock.pending).toBe(0);
  });

  test('serves users in turn, whatever the number of their requests', async () => {
    const { clock, budget } = start();
    await takeAll(budget, 5);
    const order: string[] = [];
    for (const user of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) {
      void budget.take({ user, withinMs: 5000 }).then(() => order.push(user));
    }
    await clock.advance(700);
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a']);
  });

  test('nobody overtakes those who wait', async () => {
    const { clock, budget } = start();
    await takeAll(budget, 5);
    const waiting = budget.take({ user: 'a', withinMs: 500 });
    await clock.advance(99);
    const late = budget.take({ user: 'b', withinMs: 0 });
    expect(await late).toBeUndefined();
    await clock.advance(1);
    expect(await waiting).toBeDefined();
  });

  test('a signal ends it without a call later', async () => {
    const { clock, budget, free } = start();
    await takeAll(budget, 5);
    const abort = new AbortController();
    const waiting = budget.take({ user: 'a', withinMs: 500, signal: abort.signal });
    abort.abort();
    expect(await waiting).toBeUndefined();
    expect(await budget.take({ user: 'a', withinMs: 500, signal: abort.signal })).toBeUndefined();
    await clock.advance(1000);
    expect(free).toEqual([]);
  });

  test('a permit carries the signal that it was taken with', async () => {
    const { budget } = start();
    const { signal } = new AbortController();
    expect((await budget.take({ user: 'a', withinMs: 0, signal }))?.signal).toBe(signal);
    expect((await budget.take({ user: 'a', withinMs: 0 }))?.signal).toBeUndefined();
  });

  test('closing sends everybody away', async () => {
    const { clock, budget, free } = start();
    await takeAll(budget, 6);
    const waiting = [budget.take({ user: 'a', withinMs: 500 }), budget.take({ user: 'b', withinMs: 500 })];
    budget.close();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(await budget.take({ user: 'c', withinMs: 500 })).toBeUndefined();
    await clock.advance(10_000);
    expect(free).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe('the call to those who missed', () => {
  test('comes once, when a permit is there', async () => {
    const { clock, budget, free } = start();
    await takeAll(budget, 5);
    await budget.take({ user: 'late', withinMs: 0 });
    await budget.take({ user: 'late', withinMs: 0 });
    await clock.advance(99);
    expect(free).toEqual([]);
    await clock.advance(1);
    expect(free).toEqual(['late']);
    await clock.advance(10_000);
    expect(free).toEqual(['late']);
  });

  test('goes to one user for each permit, and on to the next when it is not used', async () => {
    const { clock, budget, free } = start({ ...wide, maxInFlight: 1 });
    const [only] = await takeAll(budget, 1);
    for (const user of ['a', 'b', 'c']) await budget.take({ user, withinMs: 0 });
    await clock.advance(60_000);
    expect(free).toEqual([]);
    only?.release();
    expect(free).toEqual(['a']);
    const [used] = await takeAll(budget, 1, 'a');
    await clock.advance(1000);
    expect(free).toEqual(['a']);
    used?.release();
    expect(free).toEqual(['a', 'b']);
    await clock.advance(1000);
    expect(free).toEqual(['a', 'b', 'c']);
  });

  test('is not made to somebody who came back by himself', async () => {
    const { clock, budget, free } = start();
    await takeAll(budget, 5);
    await budget.take({ user: 'a', withinMs: 0 });
    const again = budget.take({ user: 'a', withinMs: 1000 });
    await clock.advance(100);
    expect(await again).toBeDefined();
    await clock.advance(10_000);
    expect(free).toEqual([]);
  });
});

describe('pauses', () => {
  test('hold everybody, and a shorter one does not shorten them', async () => {
    const { clock, budget, free } = start();
    budget.pauseFor(3000);
    budget.pauseFor(10);
    expect(await takeAll(budget, 1, 'missed')).toHaveLength(0);
    const waiting = budget.take({ user: 'a', withinMs: 10_000 });
    await clock.advance(2999);
    expect(free).toEqual([]);
    await clock.advance(1);
    expect(await waiting).toBeDefined();
    await clock.advance(100);
    expect(free).toEqual(['missed']);
  });
});

describe('any sequence', () => {
  const step = fc.oneof(
    fc.record({ act: fc.constant('take' as const), user: fc.constantFrom('a', 'b', 'c'), withinMs: fc.nat(500) }),
    fc.record({ act: fc.constant('release' as const), which: fc.nat(20) }),
    fc.record({ act: fc.constant('advance' as const), ms: fc.nat(400) }),
    fc.record({ act: fc.constant('pause' as const), ms: fc.nat(300) }),
  );

  test('keeps rate, burst and places in flight, answers everybody, and calls each one that missed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const limits = { requestsPerSecond: 10, burst: 3, maxInFlight: 4 };
        const { clock, budget } = start(limits);
        const held: Permit[] = [];
        const missed = new Set<string>();
        budget.onFree((user) => missed.delete(user));
        let [asked, granted, answered] = [0, 0, 0];
        const begin = clock.monotonic();
        const take = async (user: string, withinMs: number) => {
          asked++;
          const permit = await budget.take({ user, withinMs });
          answered++;
          if (permit === undefined) return void missed.add(user);
          granted++;
          missed.delete(user);
          held.push(permit);
          expect(held.length).toBeLessThanOrEqual(limits.maxInFlight);
          const most = limits.burst + ((clock.monotonic() - begin) / 1000) * limits.requestsPerSecond;
          expect(granted).toBeLessThanOrEqual(most + 1e-3);
        };
        for (const one of steps) {
          if (one.act === 'take') void take(one.user, one.withinMs);
          if (one.act === 'release') held.splice(one.which % Math.max(held.length, 1), 1)[0]?.release();
          if (one.act === 'advance') await clock.advance(one.ms);
          if (one.act === 'pause') budget.pauseFor(one.ms);
          await settle();
        }
        await clock.advance(1000);
        expect(answered).toBe(asked);
        for (const permit of held.splice(0)) permit.release();
        await clock.advance(5000);
        expect([...missed]).toEqual([]);
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('who watches', () => {
  test('hears how long each wish waited, and which were not met', async () => {
    const clock = new ManualClock();
    const waits: (number | undefined)[] = [];
    const budget = new Budget({ ...wide, maxInFlight: 1 }, clock, (waitedMs) => waits.push(waitedMs));
    const first = await budget.take({ user: 'a', withinMs: 0 });
    await budget.take({ user: 'a', withinMs: 0 });
    void budget.take({ user: 'b', withinMs: 1_000 });
    void budget.take({ user: 'c', withinMs: 200 });
    void budget.take({ user: 'c', withinMs: 200 });
    expect([budget.inFlight, budget.waiting]).toEqual([1, 3]);
    await clock.advance(200);
    first?.release();
    await settle();
    expect([budget.inFlight, budget.waiting]).toEqual([1, 0]);
    expect(waits).toEqual([0, undefined, undefined, undefined, 200]);
  });
});
