// The schedule: the tables of delays, their bounds, and what a requeue leaves behind.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Random } from '../../../src/lib/ports.ts';
import { progressMs } from '../../../src/operator/controller/busy-polls.ts';
import { Schedule, spreadMs, steadyMs } from '../../../src/operator/controller/schedule.ts';
import { sharedMs } from '../../../src/operator/controller/shared-polls.ts';
import type { Requeue } from '../../../src/operator/reconcile/requeue.ts';

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const fixed = (value: number): Random => ({ next: () => value });
/** A clock that moves only by hand, at once. */
function standing() {
  let now = 0;
  return { monotonic: () => now, advance: (ms: number) => void (now += ms) };
}

const retry = { next: 'retry' } as const;
const progress = { next: 'progress', sharedPoll: 'team/main Cluster' } as const;
const again = { next: 'again' } as const;
const settled = { next: 'settled', pollMs: 30_000 } as const;

function seeded(): Random {
  let state = 1;
  return { next: () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 };
}

function delays(random: Random, verdicts: readonly Requeue[]): (number | undefined)[] {
  const clock = standing();
  const schedule = new Schedule(random, clock);
  return verdicts.map((requeue) => {
    const delayMs = schedule.delayMs('key', requeue);
    clock.advance(delayMs ?? 0);
    return delayMs;
  });
}

describe('the delays', () => {
  test('of progress are a second at first, and then a tenth of the time that it has taken, up to 30 s', () => {
    const elapsed = [0, 1_000, 10_000, 20_000, 300_000, 3_600_000];
    expect(elapsed.map(progressMs)).toEqual([1_250, 1_000, 1_000, 2_000, 30_000, 30_000]);
  });

  test('of steady polls stay within 10 %, and those of first polls within the interval', () => {
    const property = fc.property(fc.integer({ min: 1, max: 1e7 }), chance, (pollMs, at) => {
      expect(Math.abs(steadyMs(pollMs, at) - pollMs)).toBeLessThanOrEqual(pollMs * 0.1 + 1e-6);
      expect(spreadMs(pollMs, at)).toBeGreaterThanOrEqual(0);
      expect(spreadMs(pollMs, at)).toBeLessThan(pollMs);
    });
    fc.assert(property);
  });
});

describe('a requeue', () => {
  test.each<[Requeue, number | undefined]>([
    [{ next: 'again' }, 0],
    [progress, 1_250],
    [{ ...progress, withinMs: 5_000 }, 1_250],
    [{ ...progress, withinMs: 700 }, 700],
    [{ next: 'watch' }, 600_000],
    [{ next: 'budget' }, 30_000],
    [{ next: 'retry' }, 500],
    [{ next: 'retry', afterMs: 9_000 }, 9_450],
    [{ next: 'retry', maxMs: 200 }, 100],
    [{ next: 'at', afterMs: 123_456 }, 123_456],
    [{ next: 'gone' }, undefined],
  ])('%o leads to %s ms', (requeue, expected) => {
    expect(delays(fixed(0.5), [requeue])[0]).toBe(expected);
  });

  test('of progress counts on over failures and waiting, and anew after an effect or a settled pass', () => {
    expect(delays(fixed(0), [progress, progress, retry, progress])).toEqual([1_250, 1_000, 0, 1_000]);
    expect(delays(fixed(0), [progress, { next: 'watch' }, progress])).toEqual([1_250, 540_000, 30_000]);
    expect(delays(fixed(0), [progress, progress, again, progress])).toEqual([1_250, 1_000, 0, 1_250]);
    expect(delays(fixed(0.5), [progress, progress, settled, progress])).toEqual([1_250, 1_000, 15_000, 1_250]);
  });

  test('of failure backs off further each time, until a pass did not fail', () => {
    expect(delays(fixed(0.5), [retry, retry, retry])).toEqual([500, 1_000, 2_000]);
    for (const good of [settled, progress, { next: 'watch' } as const]) {
      expect(delays(fixed(0.5), [retry, retry, good, retry]).at(-1)).toBe(500);
    }
  });

  test.each<Requeue>([again, { next: 'budget' }, { next: 'at', afterMs: 5 }])(
    '%o does not defeat the backoff',
    (between) => {
      expect(delays(fixed(0.5), [retry, retry, between, retry]).at(-1)).toBe(2_000);
    },
  );

  test('that something was done is not believed for ever', () => {
    const many = delays(
      fixed(0),
      Array.from({ length: 25 }, () => again),
    );
    expect(many.slice(0, 20).every((ms) => ms === 0)).toBe(true);
    expect(many.slice(20)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
    const broken = [...Array.from({ length: 20 }, () => again), progress, again];
    expect(delays(fixed(0), broken).at(-1)).toBe(0);
  });

  test('that all is settled spreads the first polls of 10,000 keys over the interval, and then keeps them apart', () => {
    const random = seeded();
    const schedule = new Schedule(random, standing());
    const perSecond = Array.from({ length: 30 }, () => 0);
    for (let n = 0; n < 10_000; n += 1) {
      const second = Math.floor((schedule.delayMs(String(n), settled) ?? 0) / 1_000);
      perSecond[second] = (perSecond[second] ?? 0) + 1;
    }
    expect(Math.max(...perSecond)).toBeLessThan(450);
    expect(Math.min(...perSecond)).toBeGreaterThan(230);
    const second = schedule.delayMs('0', settled) ?? 0;
    expect(second).toBeGreaterThanOrEqual(27_000);
    expect(second).toBeLessThanOrEqual(33_000);
  });
});

describe('keys that are seen in one LIST', () => {
  const shared = (sharedPoll: string) => ({ ...settled, sharedPoll }) as const;

  test.each([
    [1, 30_000],
    [20, 30_000],
    [40, 60_000],
    [400, 600_000],
    [1_600, 2_400_000],
    [10_000, 2_400_000],
  ])('%i of them are passed every %i ms each', (sharers, expected) => {
    expect(sharedMs(30_000, sharers)).toBe(expected);
  });

  test('a poll that is longer than the net stays as it is', () => {
    expect(sharedMs(7_200_000, 10_000)).toBe(7_200_000);
  });

  test.each([1, 5, 20, 21, 100, 1_000, 1_600])(
    '%i of them together ask for it as often as one of them would',
    (sharers) => {
      const schedule = new Schedule(seeded(), standing());
      const due = Array.from({ length: sharers }, (_, n) => ({ key: String(n), at: 0 }));
      let newest = Number.NEGATIVE_INFINITY;
      let oldest = 0;
      let passes = 0;
      for (let now = 0; now < 14_400_000; ) {
        const next = due.reduce((one, other) => (other.at < one.at ? other : one));
        now = next.at;
        passes += 1;
        if (now > 600_000) oldest = Math.max(oldest, now - newest);
        if (now - newest > 0.9 * settled.pollMs) newest = now;
        next.at = now + (schedule.delayMs(next.key, shared('ns/main Cluster')) ?? 0);
      }
      expect(oldest).toBeLessThan(1.4 * settled.pollMs);
      expect(passes).toBeLessThan(4 * 120 * 20 + 7 * sharers);
    },
  );

  test('counts for no other LIST, and not after it is gone or at work', () => {
    const schedule = new Schedule(fixed(0.5), standing());
    const keys = Array.from({ length: 40 }, (_, n) => String(n));
    const settle = (key: string, look: string) => {
      schedule.delayMs(key, shared(look));
      return schedule.delayMs(key, shared(look));
    };
    for (const key of keys) settle(key, 'ns/main Cluster');
    expect(settle('0', 'ns/main Cluster')).toBe(60_000);
    expect(settle('other', 'ns/main ClusterTemplate')).toBe(30_000);
    for (const key of keys.slice(30)) schedule.delayMs(key, { next: 'gone' });
    expect(settle('0', 'ns/main Cluster')).toBe(45_000);
    for (const key of keys.slice(10, 30)) schedule.delayMs(key, progress);
    expect(settle('0', 'ns/main Cluster')).toBe(30_000);
    expect(settle('alone', 'ns/main Cluster')).toBe(30_000);
  });

  test('do not make do with an older observation for it', () => {
    const schedule = new Schedule(fixed(0.5), standing());
    for (let n = 0; n < 100; n += 1) schedule.delayMs(String(n), shared('ns/main Cluster'));
    expect(schedule.delayMs('0', shared('ns/main Cluster'))).toBe(150_000);
    expect(schedule.pollMs('0')).toBe(27_000);
  });
});

describe('who comes by sooner than was planned', () => {
  const shared = { ...settled, sharedPoll: 'ns/main Cluster' } as const;
  const failed = { ...retry, sharedPoll: 'ns/main Cluster' } as const;

  function scheduleOf(sharers: number) {
    const schedule = new Schedule(fixed(0.5), standing());
    for (let n = 0; n < sharers; n += 1) schedule.delayMs(String(n), shared);
    return schedule;
  }

  test('all who share a look that begins to fail, within the interval of one that shares it with nobody', () => {
    const schedule = scheduleOf(100);
    expect(schedule.called().size).toBe(0);
    schedule.delayMs('7', failed);
    const called = schedule.called();
    expect([called.size, called.has('7'), called.get('8')]).toEqual([99, false, 15_000]);
    schedule.delayMs('8', failed);
    expect(schedule.called().size).toBe(0);
  });

  test('again when it works and then fails once more', () => {
    const schedule = scheduleOf(100);
    schedule.delayMs('7', failed);
    expect(schedule.called().size).toBe(99);
    schedule.delayMs('8', shared);
    schedule.delayMs('9', failed);
    expect(schedule.called().size).toBe(98);
  });

  test('nobody where each comes by often anyway, or where something else failed', () => {
    const few = scheduleOf(20);
    few.delayMs('7', failed);
    expect(few.called().size).toBe(0);
    const many = scheduleOf(100);
    many.delayMs('7', retry);
    many.delayMs('unknown', { ...retry, sharedPoll: 'ns/other Cluster' });
    expect(many.called().size).toBe(0);
  });

  test('those who are left of many that went', () => {
    const schedule = scheduleOf(1_000);
    for (let n = 0; n < 950; n += 1) schedule.delayMs(String(n), { next: 'gone' });
    expect(schedule.called().size).toBe(0);
    schedule.delayMs('950', { next: 'gone' });
    expect([...schedule.called().keys()]).toEqual(Array.from({ length: 49 }, (_, n) => String(951 + n)));
    schedule.delayMs('951', { next: 'gone' });
    expect(schedule.called().size).toBe(0);
  });
});

describe('what is remembered', () => {
  test('ends with the key', () => {
    const schedule = new Schedule(fixed(0.5), standing());
    for (const requeue of [retry, retry, settled]) schedule.delayMs('key', requeue);
    schedule.delayMs('other', retry);
    expect(schedule.size).toBe(2);
    schedule.delayMs('key', { next: 'gone' });
    expect(schedule.size).toBe(1);
    expect(schedule.delayMs('key', retry)).toBe(500);
  });

  test('is kept for each key by itself', () => {
    const schedule = new Schedule(fixed(0.5), standing());
    for (let n = 0; n < 5; n += 1) schedule.delayMs('failing', retry);
    expect(schedule.delayMs('fine', retry)).toBe(500);
  });

  test('a pass that something else led to is no look: the next one stays due when it was', () => {
    const clock = standing();
    const schedule = new Schedule(fixed(0), clock);
    expect(schedule.delayMs('key', progress)).toBe(1_250);
    clock.advance(400);
    expect(schedule.delayMs('key', progress)).toBe(850);
    clock.advance(850);
    expect(schedule.delayMs('key', progress)).toBe(1_000);
    clock.advance(999);
    expect(schedule.delayMs('key', progress)).toBe(1);
  });

  test('counts anew when the service was told to do something else, and looks soon', () => {
    const clock = standing();
    const schedule = new Schedule(fixed(0), clock);
    schedule.delayMs('key', progress);
    clock.advance(600_000);
    expect(schedule.delayMs('key', progress)).toBe(30_000);
    clock.advance(100);
    expect(schedule.delayMs('key', { ...progress, anew: true })).toBe(1_250);
    clock.advance(1_250);
    expect(schedule.delayMs('key', progress)).toBe(1_000);
  });

  test('tells how old an observation may be: less than the poll delay, and half a second where no poll led to it', () => {
    const clock = standing();
    const schedule = new Schedule(fixed(0.5), clock);
    const ages: number[] = [schedule.pollMs('key')];
    for (const requeue of [settled, settled, again, progress, progress, retry, settled] as const) {
      clock.advance(schedule.delayMs('key', requeue) ?? 0);
      ages.push(schedule.pollMs('key'));
    }
    expect(ages).toEqual([500, 13_500, 27_000, 500, 625, 500, 500, 27_000]);
  });

  test('never asks for an observation younger than half a second', () => {
    const schedule = new Schedule(fixed(0), standing());
    expect(schedule.delayMs('key', settled)).toBe(0);
    expect(schedule.pollMs('key')).toBe(500);
  });
});
