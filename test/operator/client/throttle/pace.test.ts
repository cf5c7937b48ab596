// How the rate follows the answers of a service: step by step, without a budget or a clock.
import { describe, expect, test } from 'vitest';
import type { Ceiling } from '../../../../src/operator/client/limits.ts';
import { type Answer, type LoweredBy, Pace } from '../../../../src/operator/client/throttle/pace.ts';

interface Stretch {
  readonly seconds: number;
  /** Requests, at equal intervals. By default as many as are allowed. */
  readonly perSecond?: number;
  readonly ms?: number | ((sent: number) => number);
  readonly outcome?: Answer['outcome'];
  readonly of?: string;
}

/** Requests that are answered in the order in which their answers come. */
class Trial {
  readonly pace: Pace;
  now = 0;
  readonly lowered: LoweredBy[] = [];
  #sent = 0;

  constructor(ceiling: Ceiling = {}) {
    this.pace = new Pace(ceiling, 0);
  }

  get rate(): number {
    return this.pace.limits.requestsPerSecond;
  }

  play({ seconds, perSecond, ms = 20, outcome = 'good', of = 'GET /clusters' }: Stretch): this {
    const end = this.now + seconds * 1_000;
    let waiting: { readonly sentAt: number; readonly at: number }[] = [];
    const answer = (until: number) => {
      const due = waiting.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
      waiting = waiting.filter(({ at }) => at > until);
      for (const { sentAt, at } of due) {
        const cause = this.pace.answered({ of, sentAt, outcome }, at);
        if (cause) this.lowered.push(cause);
      }
    };
    while (this.now < end) {
      this.pace.sent();
      this.#sent += 1;
      waiting.push({ sentAt: this.now, at: this.now + (typeof ms === 'number' ? ms : ms(this.#sent)) });
      this.now += 1_000 / (perSecond ?? this.rate);
      answer(this.now);
    }
    answer(Number.POSITIVE_INFINITY);
    return this;
  }
}

describe('what is allowed', () => {
  test.each<readonly [string, Ceiling, readonly [rate: number, burst: number, inFlight: number]]>([
    ['nothing set', {}, [20, 4, 12]],
    ['a rate below the first one', { requestsPerSecond: 5 }, [5, 1, 64]],
    ['all set, as it was', { requestsPerSecond: 20, burst: 100, maxInFlight: 16 }, [20, 100, 16]],
    ['a high rate', { requestsPerSecond: 1_000, burst: 1_000, maxInFlight: 100 }, [20, 20, 100]],
    ['one in flight', { maxInFlight: 1 }, [20, 4, 1]],
  ])('at first with %s', (_name, ceiling, [requestsPerSecond, burst, maxInFlight]) => {
    expect(new Pace(ceiling, 0).limits).toEqual({ requestsPerSecond, burst, maxInFlight });
  });

  test.each<readonly [string, Ceiling, readonly [rate: number, burst: number, inFlight: number]]>([
    ['nothing set', {}, [500, 100, 64]],
    ['a lower ceiling', { requestsPerSecond: 50, maxInFlight: 16 }, [50, 10, 16]],
    ['a higher one', { requestsPerSecond: 2_000, burst: 100, maxInFlight: 200 }, [2_000, 100, 200]],
  ])('at most with %s', (_name, ceiling, [requestsPerSecond, burst, maxInFlight]) => {
    expect(new Trial(ceiling).play({ seconds: 15 }).pace.limits).toEqual({ requestsPerSecond, burst, maxInFlight });
  });

  test('at least: one request a second, with one place in flight', () => {
    const trial = new Trial({ maxInFlight: 4 }).play({ seconds: 60, outcome: 'refused' });
    expect(trial.pace.limits).toEqual({ requestsPerSecond: 1, burst: 1, maxInFlight: 1 });
  });

  test('with another ceiling: what was learned, as far as it fits', () => {
    const trial = new Trial().play({ seconds: 3 });
    const learned = trial.rate;
    expect(learned).toBeGreaterThan(30);
    trial.pace.configure({ requestsPerSecond: 1_000 });
    expect(trial.rate).toBe(learned);
    trial.pace.configure({ requestsPerSecond: 10 });
    expect(trial.rate).toBe(10);
    trial.pace.configure({});
    expect(trial.rate).toBe(20);
  });

  test('is never nothing', () => {
    expect(() => new Pace({ requestsPerSecond: 0 }, 0)).toThrow(RangeError);
    expect(() => new Pace({}, 0).configure({ maxInFlight: 0 })).toThrow(RangeError);
  });
});

describe('more', () => {
  test.each<readonly [string, Stretch, number]>([
    ['half as many more a second where all are used', { seconds: 2.2 }, 45],
    ['none where half of them are used', { seconds: 60, perSecond: 10 }, 20],
    ['none where nobody asks', { seconds: 600, perSecond: 0.1 }, 20],
    [
      'none where a service that is slow from the start has room in flight',
      { seconds: 60, perSecond: 2, ms: 2_000 },
      20,
    ],
    ['none where requests fail', { seconds: 10, outcome: 'failed' }, 20],
  ])('%s', (_name, stretch, rate) => {
    expect(new Trial().play(stretch).rate).toBeCloseTo(rate, 5);
  });

  test('where a service that is slow from the start has no room in flight', () => {
    expect(new Trial().play({ seconds: 10, perSecond: 6, ms: 2_000 }).pace.limits.maxInFlight).toBeGreaterThan(20);
  });

  test('slowly near the rate that was refused, and quickly again beyond it', () => {
    const trial = new Trial().play({ seconds: 4.2 });
    const refused = trial.rate;
    trial.play({ seconds: 0.1, outcome: 'refused' });
    expect(trial.rate).toBe(refused / 2);
    trial.play({ seconds: 20 });
    expect(trial.rate).toBeGreaterThan(0.6 * refused);
    expect(trial.rate).toBeLessThan(0.75 * refused);
    trial.play({ seconds: 75 });
    expect(trial.rate).toBeLessThan(1.5 * refused);
    trial.play({ seconds: 15 });
    expect(trial.rate).toBeGreaterThan(3 * refused);
  });

  test('after an outage quickly, up to half of what was well before', () => {
    const trial = new Trial().play({ seconds: 6 });
    const before = trial.rate;
    trial.play({ seconds: 30, outcome: 'refused' });
    expect(trial.rate).toBe(1);
    trial.play({ seconds: 14 });
    expect(trial.rate).toBeGreaterThan(before / 2);
  });
});

describe('half as many', () => {
  test('once a second, however many requests are refused', () => {
    const trial = new Trial().play({ seconds: 1.9, perSecond: 100, ms: 5, outcome: 'refused' });
    expect([trial.rate, trial.lowered]).toEqual([5, ['refused', 'refused']]);
  });

  test('not because of requests that were sent before', () => {
    const pace = new Pace({}, 0);
    const refused = { of: 'GET /clusters', sentAt: 0, outcome: 'refused' } as const;
    expect(pace.answered(refused, 2_000)).toBe('refused');
    expect(pace.answered({ ...refused, sentAt: 1_999 }, 4_000)).toBeUndefined();
    expect(pace.answered({ ...refused, sentAt: 2_001 }, 4_000)).toBe('refused');
  });

  const before: Stretch = { seconds: 10, perSecond: 10, ms: 100 };
  test.each<readonly [string, Stretch, readonly LoweredBy[]]>([
    ['where answers take longer', { ms: 600, seconds: 2.5 }, ['slow']],
    ['where none come in time', { ms: 30_000, outcome: 'failed', seconds: 2.5 }, ['slow']],
    ['not where they take a little longer', { ms: 250, seconds: 60 }, []],
    ['not where one of ten takes long', { ms: (sent) => (sent % 10 === 0 ? 1_000 : 100), seconds: 60 }, []],
    ['not where other requests take longer', { ms: 5_000, of: 'POST /clusters', seconds: 60 }, []],
    ['not where requests fail at once', { ms: 1, outcome: 'failed', seconds: 60 }, []],
  ])('%s', (_name, stretch, lowered) => {
    expect(new Trial().play(before).play({ perSecond: 10, ...stretch }).lowered).toEqual(lowered);
  });

  test('not where many answers are late at once', () => {
    const trial = new Trial().play({ seconds: 12, ms: 10 });
    const sentAt = trial.now;
    for (let count = 0; count < 200; count++)
      trial.pace.answered({ of: 'GET /clusters', sentAt, outcome: 'good' }, sentAt + 400);
    trial.now += 400;
    expect(trial.play({ seconds: 5, ms: 10 }).lowered).toEqual([]);
  });

  test('three times at most where that makes no answer faster: then the load is not the cause', () => {
    const trial = new Trial().play({ seconds: 10, ms: 20 });
    const { lowered, rate } = trial.play({ seconds: 60, ms: 500 });
    expect(lowered).toEqual(['slow', 'slow', 'slow']);
    expect(rate).toBeGreaterThan(250);
  });

  test('nor for ever where there is one request a second already', () => {
    const trial = new Trial().play({ seconds: 10, ms: 20 }).play({ seconds: 30, outcome: 'refused' });
    expect(trial.rate).toBe(1);
    expect(trial.play({ seconds: 120, ms: 500 }).rate).toBeGreaterThan(20);
  });
});

test('the rate grows while somebody gets no permit, however few requests are sent', () => {
  const rateAfter = (isMissed: boolean): number => {
    const pace = new Pace({}, 0);
    for (let at = 0; at < 3_000; at += 500) {
      if (isMissed) pace.missed();
      pace.sent();
      pace.answered({ of: 'GET', sentAt: at, outcome: 'good' }, at + 10);
    }
    return pace.limits.requestsPerSecond;
  };
  expect(rateAfter(false)).toBe(20);
  expect(rateAfter(true)).toBeGreaterThan(20);
});
