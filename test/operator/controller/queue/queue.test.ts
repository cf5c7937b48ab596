// The queue case by case, on a clock that stands still.
import { describe, expect, test } from 'vitest';
import { settle } from '../../../support/clock.ts';
import { Bench, RETRY_MS } from '../bench.ts';

const change = { priority: 'change' } as const;
const poll = { priority: 'poll' } as const;

describe('a key', () => {
  test('that is added often runs once', async () => {
    const bench = new Bench().begun();
    for (let n = 0; n < 100; n += 1) bench.queue.add('a', change);
    await settle();
    expect(bench.starts).toEqual(['a']);
    expect(bench.queue.statistics()).toMatchObject({ depth: 0, delayed: 0, running: 1, adds: 100 });
  });

  test('that is added while it runs runs again afterwards, and only once more', async () => {
    const bench = new Bench().begun();
    bench.queue.add('a', change);
    await settle();
    for (let n = 0; n < 10; n += 1) bench.queue.add('a', change);
    await settle();
    expect(bench.starts).toEqual(['a']);
    await bench.end('a');
    expect(bench.starts).toEqual(['a', 'a']);
    await bench.end('a');
    expect(bench.starts).toEqual(['a', 'a']);
    expect(bench.queue.statistics()).toMatchObject({ depth: 0, delayed: 0, running: 0, longest: undefined });
  });

  test('never starts on the stack of the one who adds it', async () => {
    const bench = new Bench().begun();
    bench.queue.add('a', change);
    expect(bench.starts).toEqual([]);
    await settle();
    expect(bench.starts).toEqual(['a']);
  });

  test('waits for the start of the queue', async () => {
    const bench = new Bench();
    bench.queue.add('a', change);
    await bench.clock.advance(60_000);
    expect(bench.starts).toEqual([]);
    bench.begun();
    await settle();
    expect(bench.starts).toEqual(['a']);
  });

  test('is not late because the start was, and leaves nothing behind when it is forgotten before', async () => {
    const waits: number[] = [];
    const bench = new Bench({ started: (ms) => void waits.push(ms) });
    bench.queue.add('a', change);
    bench.queue.add('gone', change);
    bench.queue.add('later', { ...poll, delayMs: 7_200_000 });
    bench.queue.forget('gone');
    await bench.clock.advance(3_600_000);
    expect(bench.queue.statistics()).toMatchObject({ depth: 0, delayed: 0, oldestWaitMs: 0 });
    bench.begun();
    await settle();
    expect([bench.starts, waits]).toEqual([['a'], [0]]);
    await bench.clock.advance(3_600_000);
    expect(bench.starts).toEqual(['a', 'later']);
  });

  test('that came before the start keeps the earlier time and the more urgent priority', async () => {
    const bench = new Bench({ limitOf: () => 1 });
    bench.queue.add('a', poll);
    bench.queue.add('b', { ...poll, delayMs: 60_000 });
    bench.queue.add('b', change);
    bench.begun();
    await settle();
    expect(bench.starts).toEqual(['b']);
  });
});

describe('of two times the earlier one wins', () => {
  test('when the later is added first', async () => {
    const bench = new Bench().begun();
    bench.queue.add('a', { ...poll, delayMs: 60_000 });
    bench.queue.add('a', { ...poll, delayMs: 1_000 });
    await bench.clock.advance(1_000);
    expect(bench.startedAt).toEqual([1_000]);
    await bench.end('a');
    await bench.clock.advance(120_000);
    expect(bench.startedAt).toEqual([1_000]);
  });

  test('when the earlier is added first', async () => {
    const bench = new Bench().begun();
    bench.queue.add('a', { ...poll, delayMs: 1_000 });
    bench.queue.add('a', { ...poll, delayMs: 60_000 });
    await bench.clock.advance(999);
    expect(bench.starts).toEqual([]);
    await bench.clock.advance(1);
    await bench.end('a');
    await bench.clock.advance(120_000);
    expect(bench.startedAt).toEqual([1_000]);
  });

  test('when one comes from outside and one from the run itself', async () => {
    const bench = new Bench().begun();
    bench.queue.add('a', change);
    await settle();
    bench.queue.add('a', { ...poll, delayMs: 5_000 });
    await bench.end('a', { answer: { ...poll, delayMs: 30_000 } });
    await bench.clock.advance(60_000);
    expect(bench.startedAt).toEqual([0, 5_000]);
  });

  test('also over an immediate one that was added meanwhile', async () => {
    const bench = new Bench().begun();
    bench.queue.add('a', { ...poll, delayMs: 5_000 });
    await bench.clock.advance(10);
    bench.queue.add('a', change);
    await settle();
    expect(bench.startedAt).toEqual([10]);
    expect(bench.clock.pending).toBe(0);
  });
});

describe('urgency', () => {
  test('is the highest of all adds of a key', async () => {
    const bench = new Bench();
    bench.queue.add('poll', poll);
    bench.queue.add('raised', poll);
    bench.queue.add('raised', change);
    bench.queue.add('raised', poll);
    bench.begun();
    await settle();
    expect(bench.starts).toEqual(['raised', 'poll']);
  });

  test('is kept while a key waits for its time and while it runs', async () => {
    const bench = new Bench({ limitOf: () => 1 }).begun();
    bench.queue.add('a', { ...change, delayMs: 1_000 });
    bench.queue.add('b', poll);
    await settle();
    bench.queue.add('c', poll);
    bench.queue.add('b', change);
    await bench.clock.advance(1_000);
    for (let n = 0; n < 4; n += 1) await bench.endAll();
    expect(bench.starts).toEqual(['b', 'a', 'b', 'c']);
  });
});

describe('limits', () => {
  test('bound the runs of a lane, and those of one lane leave the others alone', async () => {
    const bench = new Bench({ limitOf: (lane) => (lane === 'x' ? 2 : 100) }).begun();
    for (let n = 0; n < 4; n += 1) for (const lane of ['x', 'y']) bench.queue.add(`${lane}:${n}`, change);
    await settle();
    expect([...bench.running.keys()]).toEqual(['x:0', 'y:0', 'x:1', 'y:1', 'y:2', 'y:3']);
    for (const key of ['x:0', 'y:0']) await bench.end(key);
    expect([...bench.running.keys()].filter((key) => key.startsWith('x'))).toEqual(['x:1', 'x:2']);
    while (bench.running.size > 0) await bench.endAll();
    expect(new Set(bench.starts).size).toBe(8);
  });

  test('nothing starts while it may not, and all does once it may', async () => {
    let leading = false;
    const bench = new Bench({ mayStart: () => leading }).begun();
    for (const key of ['a', 'b', 'c']) bench.queue.add(key, change);
    await bench.clock.advance(30_000);
    expect(bench.starts).toEqual([]);
    expect(bench.clock.pending).toBe(1);
    leading = true;
    await bench.clock.advance(1_000);
    expect(bench.starts).toEqual(['a', 'b', 'c']);
  });
});

describe('runs that wait for nothing', () => {
  /** A hundred of them, due at once. */
  function startMany() {
    const begun: string[] = [];
    const bench = new Bench({
      run: async (key) => {
        begun.push(key);
        return undefined;
      },
    });
    for (let n = 0; n < 100; n += 1) bench.queue.add(`k${n}`, poll);
    bench.queue.start();
    return { bench, begun };
  }

  test('leave the event loop its turns', async () => {
    const { begun } = startMany();
    const counts: number[] = [];
    for (let before = 0; begun.length < 100; before = begun.length) {
      await settle();
      counts.push(begun.length - before);
      expect(counts.at(-1)).toBeGreaterThan(0);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(16);
    expect(new Set(begun).size).toBe(100);
  });

  test('do not start any more in the turn after a drain', async () => {
    const { bench, begun } = startMany();
    await Promise.resolve();
    expect(await bench.queue.drain(1_000)).toEqual([]);
    const atDrain = begun.length;
    await settle();
    expect(begun).toHaveLength(atDrain);
    expect(atDrain).toBeLessThan(100);
  });
});

describe('a run that throws', () => {
  test('is reported and tried again', async () => {
    const bench = new Bench().begun();
    bench.queue.add('a', change);
    await settle();
    const error = new Error('no');
    await bench.end('a', { error });
    expect(bench.failures).toEqual([{ key: 'a', error }]);
    await bench.clock.advance(RETRY_MS);
    expect(bench.startedAt).toEqual([0, RETRY_MS]);
  });

  test('is tried at once when it was added meanwhile', async () => {
    const bench = new Bench().begun();
    bench.queue.add('a', change);
    await settle();
    bench.queue.add('a', change);
    await bench.end('a', { error: new Error('no') });
    expect(bench.startedAt).toEqual([0, 0]);
  });
});
