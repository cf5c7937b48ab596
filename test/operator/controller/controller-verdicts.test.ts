// What the controller makes of verdicts and of passes that throw.
import { beforeEach, describe, expect, test } from 'vitest';
import type { LogFields } from '../../../src/lib/ports.ts';
import { Controller, type PassNote, type ResourceIndex } from '../../../src/operator/controller/controller.ts';
import { externalText } from '../../../src/operator/controller/dependents.ts';
import type { Requeue } from '../../../src/operator/reconcile/requeue.ts';
import { ManualClock, settle } from '../../support/clock.ts';
import { FakeSource, resource } from './resources.ts';

const knowledge: ResourceIndex = {
  owns: () => true,
  laneOf: () => 'lane',
  limitOf: () => 1,
  referencesOf: () => [],
  externalsOf: () => [externalText('team/main', 'clusters', 'left')],
  factsOf: () => '',
  annotations: [],
  commands: [],
};

let clock: ManualClock;
let source: FakeSource;
let starts: number[];
let names: string[];
let polls: number[];
let notes: PassNote[];
let errors: LogFields[];
let verdicts: (Requeue | Error)[];
let controller: Controller;

beforeEach(() => {
  clock = new ManualClock(0);
  source = new FakeSource();
  [starts, names, polls, notes, errors, verdicts] = [[], [], [], [], [], []];
  const quiet = () => undefined;
  controller = new Controller({
    source,
    leadership: { leading: () => true },
    knowledge,
    pass: async (key, { pollMs }) => {
      starts.push(clock.monotonic());
      names.push(key.name);
      polls.push(pollMs);
      await new Promise<void>((resolve) => void clock.after(5, resolve));
      const requeue = verdicts.shift() ?? { next: 'at', afterMs: 1e9 };
      if (requeue instanceof Error) throw requeue;
      return requeue;
    },
    clock,
    random: { next: () => 0.5 },
    log: { debug: quiet, info: quiet, warn: quiet, error: (fields) => errors.push(fields) },
    observer: { started: quiet, passed: (note) => notes.push(note) },
  });
  controller.start();
});

describe('after a requeue', () => {
  test('of progress the next passes come after about a second, each told how old an observation may be', async () => {
    verdicts = Array.from({ length: 5 }, () => ({ next: 'progress', sharedPoll: 'team/main Cluster' }));
    source.put(resource());
    await clock.advance(40_000);
    expect(starts).toEqual([0, 1_255, 2_260, 3_265, 4_270, 5_275]);
    expect(polls).toEqual([500, 625, 500, 500, 500, 500]);
  });

  test('that a look failed which many share all of them look within the steady interval', async () => {
    const all = { next: 'settled', pollMs: 30_000, sharedPoll: 'team/main Cluster' } as const;
    verdicts = [...Array.from({ length: 400 }, () => all), { next: 'retry', sharedPoll: 'team/main Cluster' }];
    for (let n = 0; n < 400; n += 1) source.put(resource({ name: `c${n}` }));
    await clock.advance(17_000);
    // Their only one so far was the first: of the few that settled before the others one is back, and sees the look fail.
    const seen = starts.length;
    expect(seen).toBeGreaterThan(400);
    verdicts = [];
    await clock.advance(34_000);
    expect(new Set(names.slice(400)).size).toBe(400);
  });

  test('that something was done the next pass comes at once', async () => {
    verdicts = [{ next: 'again' }, { next: 'again' }];
    source.put(resource());
    await clock.advance(100);
    expect(starts).toEqual([0, 5, 10]);
  });

  test('that all is settled the first poll is spread and the next ones are steady', async () => {
    verdicts = Array.from({ length: 3 }, () => ({ next: 'settled', pollMs: 30_000 }));
    source.put(resource());
    await clock.advance(80_000);
    expect(starts).toEqual([0, 15_005, 45_010, 75_015]);
  });

  test('of a failure what the failed write left does not hurry the retry, and a user does', async () => {
    verdicts = Array.from({ length: 6 }, () => ({ next: 'retry' }));
    source.put(resource());
    await clock.advance(2);
    // Seen while the first pass runs, and while the next retry is due in a second.
    for (let n = 0; n < 8; n += 1) {
      source.put({ ...resource(), status: n });
      await clock.advance(25);
    }
    expect(starts).toEqual([0, 5]);
    await clock.advance(1_500);
    expect(starts).toEqual([0, 5, 1_010]);
    source.put(resource({ generation: 2 }));
    await clock.advance(2);
    expect(starts.length).toBe(4);
  });

  test('of a failure what others see of the failed write does not hurry the retry', async () => {
    verdicts = Array.from({ length: 6 }, () => ({ next: 'retry' }));
    source.put(resource());
    await clock.advance(10);
    for (let n = 0; n < 8; n += 1) {
      controller.wakeExternal('team/main', 'clusters', ['left']);
      await clock.advance(25);
    }
    expect(starts).toEqual([0]);
    await clock.advance(1_000);
    expect(starts).toEqual([0, 505]);
  });

  test('that the object is gone nothing comes and nothing is kept', async () => {
    verdicts = [{ next: 'retry' }, { next: 'gone' }];
    source.put(resource());
    await clock.advance(1e8);
    expect(starts.length).toBe(2);
    expect(controller.statistics()).toMatchObject({ depth: 0, delayed: 0, running: 0 });
    expect(clock.pending).toBe(0);
  });

  test('that the object is gone it is looked at again if it was made anew meanwhile', async () => {
    verdicts = [{ next: 'gone' }];
    source.put(resource());
    await settle();
    source.put(resource({ uid: 'another' }));
    await clock.advance(1_000);
    expect(starts).toEqual([0, 5]);
  });

  test('that something was done the next pass comes before the polls of its lane', async () => {
    verdicts = [{ next: 'again' }];
    source.put(resource({ name: 'a' }));
    for (const name of ['b', 'c']) source.put(resource({ name }), true);
    await clock.advance(100);
    expect(names).toEqual(['a', 'a', 'b', 'c']);
  });
});

describe('a pass that throws', () => {
  test('is logged, counted and tried again with backoff', async () => {
    verdicts = [new Error('first'), new Error('second'), { next: 'settled', pollMs: 60_000 }];
    source.put(resource());
    await clock.advance(10_000);
    expect(starts).toEqual([0, 505, 1_510]);
    expect(errors).toMatchObject([
      { kind: 'Cluster', namespace: 'team', name: 'etl', outcome: 'thrown', err: { message: 'first' } },
      { err: { message: 'second' } },
    ]);
    const common = { kind: 'Cluster', durationMs: 5 };
    expect(notes).toEqual(['thrown', 'thrown', 'settled'].map((outcome) => ({ ...common, outcome })));
  });

  test('does not hold up the others of its lane', async () => {
    verdicts = [new Error('no'), { next: 'watch' }];
    source.put(resource({ name: 'broken' }));
    source.put(resource({ name: 'fine' }));
    await clock.advance(10);
    expect(names).toEqual(['broken', 'fine']);
  });
});
