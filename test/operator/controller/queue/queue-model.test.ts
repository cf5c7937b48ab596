// The queue against a plain account of what it promises, under random adds, ends, failures and the passing of time.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { When } from '../../../../src/operator/controller/queue/due.ts';
import { settle } from '../../../support/clock.ts';
import { Bench, RETRY_MS } from '../bench.ts';

const LANE_LIMITS: Readonly<Record<string, number>> = { a: 1, b: 2, c: 100 };
const keys = ['a:1', 'a:2', 'a:3', 'b:1', 'b:2', 'b:3', 'b:4', 'c:1', 'c:2', 'c:3', 'c:4', 'c:5', 'c:6'];

const when = fc.record({
  priority: fc.constantFrom('change', 'poll'),
  delayMs: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(60_000)),
});
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), key: fc.constantFrom(...keys), when }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      pick: fc.nat(),
      next: fc.option(when, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass time' as const), ms: fc.oneof(fc.nat(20), fc.nat(60_000)) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What is owed: for each key with pending work its time. */
class Account {
  readonly bench = new Bench({ limitOf: (lane) => LANE_LIMITS[lane] ?? 1 });
  readonly #owed = new Map<string, number>();

  constructor() {
    this.bench.onStart = (key) => this.#started(key);
    this.bench.begun();
  }

  async do(action: Step): Promise<void> {
    if (action.do === 'add') this.#add(action.key, action.when);
    else if (action.do === 'pass time') await this.#passTime(action.ms);
    else await this.#end(action);
    await settle();
    this.#inspect();
  }

  /** Ends all that runs and lets time pass until nothing is owed: every wish must have led to a start by then. */
  async finish(): Promise<void> {
    for (let round = 0; round < 100 && this.#owed.size + this.bench.running.size > 0; round += 1) {
      await this.bench.endAll();
      await this.#passTime(RETRY_MS + 60_000);
    }
    expect([...this.#owed.keys()]).toEqual([]);
    expect(this.bench.queue.statistics()).toMatchObject({ depth: 0, delayed: 0, running: 0, longest: undefined });
    expect(this.bench.clock.pending).toBe(0);
  }

  #add(key: string, wish: When): void {
    expect(this.bench.queue.add(key, wish)).toBe(true);
    this.#owe(key, wish);
  }

  async #passTime(ms: number): Promise<void> {
    await this.bench.clock.advance(ms);
  }

  async #end(action: Exclude<Step, { do: 'add' | 'pass time' }>): Promise<void> {
    const key = [...this.bench.running.keys()][action.pick % Math.max(1, this.bench.running.size)];
    if (key === undefined) return;
    const next: When | undefined = action.do === 'fail' ? { priority: 'poll', delayMs: RETRY_MS } : action.next;
    if (next !== undefined) this.#owe(key, next);
    await this.bench.end(key, action.do === 'fail' ? { error: new Error('no') } : { answer: next });
  }

  #owe(key: string, { delayMs = 0 }: When): void {
    const at = this.bench.clock.monotonic() + delayMs;
    this.#owed.set(key, Math.min(at, this.#owed.get(key) ?? at));
  }

  /** A start must be owed, due, and within every limit; that no key runs twice at once is checked by the bench. */
  #started(key: string): void {
    const at = this.#owed.get(key);
    expect(at, `${key} started unasked`).toBeDefined();
    expect(at).toBeLessThanOrEqual(this.bench.clock.monotonic());
    this.#owed.delete(key);
    for (const [lane, limit] of Object.entries(LANE_LIMITS)) expect(this.#runningIn(lane)).toBeLessThanOrEqual(limit);
  }

  /** When all is quiet: whoever is due and does not run lacks room; the figures agree. */
  #inspect(): void {
    const waiting = [...this.#owed].filter(([key]) => !this.bench.running.has(key));
    const due = waiting.filter(([, at]) => at <= this.bench.clock.monotonic());
    for (const [key] of due) expect(this.#hasRoom(key), `${key} is due and has room, but does not run`).toBe(false);
    const { depth, delayed, running } = this.bench.queue.statistics();
    expect([depth, delayed, running]).toEqual([due.length, waiting.length - due.length, this.bench.running.size]);
  }

  #hasRoom(key: string): boolean {
    const lane = key.charAt(0);
    return this.#runningIn(lane) < (LANE_LIMITS[lane] ?? 1);
  }

  #runningIn(lane: string): number {
    return [...this.bench.running.keys()].filter((key) => key.startsWith(lane)).length;
  }
}

describe('the queue', () => {
  test('keeps its promises whatever happens', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
      const account = new Account();
      for (const action of steps) await account.do(action);
      await account.finish();
    });
    await fc.assert(property, { numRuns: 200 });
  });

  test('drains whatever happened before', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
      const account = new Account();
      for (const action of steps) await account.do(action);
      const { bench } = account;
      const drained = bench.queue.drain(1_000);
      const starts = bench.starts.length;
      await bench.endAll();
      expect(await drained).toEqual([]);
      await bench.clock.advance(120_000);
      expect(bench.starts.length).toBe(starts);
      expect(bench.queue.statistics()).toMatchObject({ depth: 0, delayed: 0, running: 0 });
      expect(bench.clock.pending).toBe(0);
    });
    await fc.assert(property, { numRuns: 50 });
  });
});
