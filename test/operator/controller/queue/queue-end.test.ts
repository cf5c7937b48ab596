// The queue at its edges: very long delays, figures, draining, real time and large numbers.

import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../../src/lib/ports.ts';
import { systemClock } from '../../../../src/lib/system.ts';
import { Queue } from '../../../../src/operator/controller/queue/queue.ts';
import { ManualClock, settle } from '../../../support/clock.ts';
import { cpuMs } from '../../../support/cpu.ts';
import { Bench } from '../bench.ts';

const change = { priority: 'change' } as const;
const poll = { priority: 'poll' } as const;

describe('delays', () => {
  test('longer than any timer are waited for in pieces', async () => {
    const longest = 2 ** 31 - 1;
    const manual = new ManualClock(0);
    // As a real timer does: one that is too long fires at once.
    const after: Clock['after'] = (ms, callback) => manual.after(ms > longest ? 1 : ms, callback);
    const clock: Clock = { wall: () => 0, monotonic: () => manual.monotonic(), after };
    const starts: number[] = [];
    const run = async () => void starts.push(manual.monotonic());
    const queue = new Queue({
      clock,
      run: () => run().then(() => undefined),
      failed: () => undefined,
      laneOf: () => '',
      limitOf: () => 1,
    });
    queue.start();
    queue.add('a', { ...poll, delayMs: 2 * longest + 5 });
    expect(manual.pending).toBe(1);
    await manual.advance(10);
    expect(manual.pending).toBe(1);
    await manual.advance(2 * longest - 6);
    expect(starts).toEqual([]);
    await manual.advance(1);
    expect(starts).toEqual([2 * longest + 5]);
  });

  test('below zero mean at once', async () => {
    const waits: number[] = [];
    const bench = new Bench({ started: (waitedMs) => waits.push(waitedMs) }).begun();
    bench.queue.add('a', { ...poll, delayMs: -5 });
    await settle();
    expect([bench.starts, waits]).toEqual([['a'], [0]]);
  });
});

describe('figures', () => {
  test('say what waits, what runs, and what has run longest', async () => {
    const waits: number[] = [];
    const bench = new Bench({ limitOf: () => 2, started: (waitedMs) => waits.push(waitedMs) }).begun();
    bench.queue.add('later', { ...poll, delayMs: 60_000 });
    bench.queue.add('a', change);
    await bench.clock.advance(300);
    bench.queue.add('b', change);
    bench.queue.add('c', change);
    await bench.clock.advance(200);
    const longest = { key: 'a', ms: 500 };
    expect(bench.queue.statistics()).toEqual({ depth: 1, delayed: 1, running: 2, longest, oldestWaitMs: 200, adds: 4 });
    await bench.end('a');
    expect(bench.queue.statistics()).toMatchObject({ depth: 0, running: 2, longest: { key: 'b', ms: 200 } });
    expect(waits).toEqual([0, 0, 200]);
  });
});

describe('draining', () => {
  test('refuses adds, drops what waits and lets the running end', async () => {
    const bench = new Bench({ limitOf: () => 1 }).begun();
    bench.queue.add('a', change);
    await settle();
    bench.queue.add('waiting', change);
    bench.queue.add('later', { ...poll, delayMs: 1_000 });
    bench.queue.add('a', change);
    const drained = bench.queue.drain(10_000);
    expect(bench.queue.add('new', change)).toBe(false);
    expect(bench.queue.statistics()).toMatchObject({ depth: 0, delayed: 0, running: 1 });
    await bench.clock.advance(9_000);
    expect(bench.signalOf('a')?.aborted).toBe(false);
    await bench.end('a', { answer: change });
    expect(await drained).toEqual([]);
    expect(bench.clock.pending).toBe(0);
    await bench.clock.advance(100_000);
    expect(bench.starts).toEqual(['a']);
  });

  test('aborts what does not end in the time of grace', async () => {
    const bench = new Bench().begun();
    bench.queue.add('slow', change);
    await settle();
    const drained = bench.queue.drain(10_000);
    bench.signalOf('slow')?.addEventListener('abort', () => void bench.end('slow', { error: new Error('aborted') }));
    await bench.clock.advance(10_000);
    expect(await drained).toEqual([]);
    expect(bench.failures.map(({ key }) => key)).toEqual(['slow']);
  });

  test('leaves behind what hangs in spite of that, and names it', async () => {
    const bench = new Bench().begun();
    for (const key of ['hung', 'quick']) bench.queue.add(key, change);
    await settle();
    const drained = bench.queue.drain(5_000);
    await bench.end('quick');
    await bench.clock.advance(5_999);
    expect(bench.signalOf('hung')?.aborted).toBe(true);
    await bench.clock.advance(1);
    expect(await drained).toEqual(['hung']);
  });

  test('leaves no timer behind, not even that of a replica that may not start anything', async () => {
    const bench = new Bench({ mayStart: () => false }).begun();
    bench.queue.add('a', change);
    await settle();
    expect(bench.clock.pending).toBe(1);
    await bench.queue.drain(10_000);
    expect(bench.clock.pending).toBe(0);
  });

  test('has nothing to wait for when nothing runs, not even before the start', async () => {
    const bench = new Bench();
    bench.queue.add('a', change);
    expect(await bench.queue.drain(10_000)).toEqual([]);
    bench.begun();
    await settle();
    expect(bench.starts).toEqual([]);
  });
});

describe('in real time', () => {
  test('keys run when they are due', async () => {
    const clock = systemClock;
    const began = clock.monotonic();
    const runs: { readonly key: string; readonly at: number }[] = [];
    const done = Promise.withResolvers<void>();
    const run = async (key: string) => {
      runs.push({ key, at: clock.monotonic() - began });
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (runs.length === 4) done.resolve();
      return key === 'twice' && runs.length < 3 ? { ...poll, delayMs: 20 } : undefined;
    };
    const queue = new Queue({ clock, run, failed: () => undefined, laneOf: () => 'a', limitOf: () => 2 });
    queue.start();
    queue.add('late', { ...poll, delayMs: 60 });
    queue.add('twice', poll);
    queue.add('now', poll);
    await done.promise;
    // On a machine that is busy both delays may be over when the timer fires: then either may run first.
    expect(runs.map(({ key }) => key).sort()).toEqual(['late', 'now', 'twice', 'twice']);
    expect(runs.findLast(({ key }) => key === 'twice')?.at).toBeGreaterThanOrEqual(20);
    expect(runs.find(({ key }) => key === 'late')?.at).toBeGreaterThanOrEqual(60);
    expect(await queue.drain(1_000)).toEqual([]);
  });

  test.each([1, 1_000])('10,000 keys in %i lanes are added and run quickly', async (lanes) => {
    const done = Promise.withResolvers<void>();
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs === 10_000) done.resolve();
      return undefined;
    };
    const laneOf = (key: string) => String(Number(key) % lanes);
    const queue = new Queue({ clock: systemClock, run, failed: () => undefined, laneOf, limitOf: () => 8 });
    const before = cpuMs();
    for (let n = 0; n < 10_000; n += 1) queue.add(String(n), { priority: n % 2 === 0 ? 'poll' : 'change' });
    queue.start();
    await done.promise;
    // About 0.1 s on its own and 0.5 s within the test runner.
    expect(cpuMs() - before).toBeLessThan(3_000);
    await settle();
    expect(queue.statistics()).toMatchObject({ depth: 0, delayed: 0, running: 0 });
  });
});
