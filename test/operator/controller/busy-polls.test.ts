// Keys that wait for the service: one of them polls, and another takes over when it no longer waits.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BusyPolls, progressMs } from '../../../src/operator/controller/busy-polls.ts';

const list = 'team/main Cluster';

describe('keys that wait for a change in one LIST', () => {
  test('leave the polls to one of them, and come back themselves after ten seconds', () => {
    const polls = new BusyPolls();
    expect(polls.wait('a', list, { since: 0, now: 0 })).toEqual({ delayMs: 1_250, ageMs: 625 });
    expect(polls.wait('b', list, { since: 100, now: 100 })).toEqual({ delayMs: 10_000, ageMs: 5_000 });
    expect(polls.wait('a', list, { since: 0, now: 1_250 })).toEqual({ delayMs: 1_000, ageMs: 500 });
  });

  test('are polled at the pace of the youngest', () => {
    const polls = new BusyPolls();
    expect(polls.wait('old', list, { since: 0, now: 300_000 })).toEqual({ delayMs: 30_000, ageMs: 15_000 });
    expect(polls.wait('new', list, { since: 301_000, now: 301_000 })).toEqual({ delayMs: 1_250, ageMs: 625 });
    // The old one comes as it had planned to, and is only a safety net then.
    expect(polls.wait('old', list, { since: 0, now: 302_240 }).delayMs).toBeGreaterThanOrEqual(30_000);
    polls.leave('new', list, 302_250);
    expect([...polls.appointed()]).toEqual([['old', expect.objectContaining({ delayMs: 30_000 })]]);
  });

  test('have another one that polls when the first is done, fails or goes', () => {
    const polls = new BusyPolls();
    for (const [index, key] of ['a', 'b', 'c'].entries()) polls.wait(key, list, { since: index, now: index });
    polls.leave('a', list, 1_250);
    expect([...polls.appointed()]).toEqual([['b', { delayMs: 1_000, ageMs: 500 }]]);
    expect(polls.appointed().size).toBe(0);
    polls.leave('b', list, 1_500);
    expect([...polls.appointed()]).toEqual([['c', { delayMs: 750, ageMs: 500 }]]);
    polls.leave('c', list, 1_600);
    expect(polls.appointed().size).toBe(0);
  });

  test('do not fail one after the other when the LIST fails: the next poll comes a second later', () => {
    const polls = new BusyPolls();
    for (let n = 0; n < 100; n += 1) polls.wait(`${n}`, list, { since: n, now: n });
    polls.leave('0', list, 1_250);
    for (const { delayMs } of polls.appointed().values()) expect(delayMs).toBeGreaterThanOrEqual(1_000);
  });

  test('of other LISTs do not count', () => {
    const polls = new BusyPolls();
    polls.wait('a', list, { since: 0, now: 0 });
    expect(polls.wait('b', 'team/other Cluster', { since: 0, now: 0 }).delayMs).toBe(1_250);
  });
});

test('whatever keys come and go, one of them polls in time for the youngest', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    ms: fc.integer({ min: 1, max: 4_000 }),
    leaves: fc.boolean(),
  });
  const property = fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
    const polls = new BusyPolls();
    const since = new Map<string, number>();
    const due = new Map<string, number>();
    let now = 0;
    const pass = (key: string, leaves: boolean) => {
      due.delete(key);
      if (leaves) {
        polls.leave(key, list, now);
        since.delete(key);
      } else {
        const begun = since.get(key) ?? now;
        since.set(key, begun);
        due.set(key, now + polls.wait(key, list, { since: begun, now }).delayMs);
      }
      for (const [other, { delayMs }] of polls.appointed())
        due.set(other, Math.min(due.get(other) ?? Number.POSITIVE_INFINITY, now + delayMs));
      const youngest = Math.max(...since.values());
      if (since.size > 0)
        expect(Math.min(...due.values()) - now).toBeLessThanOrEqual(
          Math.max(progressMs(0), progressMs(now - youngest)) + 1e-6,
        );
    };
    for (const { key, ms, leaves } of steps) {
      // What is due by then is reconciled first, and goes on to wait.
      const until = now + ms;
      for (;;) {
        const [next] = [...due].toSorted(([, one], [, other]) => one - other);
        if (next === undefined || next[1] > until) break;
        now = next[1];
        pass(next[0], false);
      }
      now = until;
      pass(key, leaves);
    }
  });
  fc.assert(property, { numRuns: 300 });
});
