// However a process dies, fails over or lags behind, no scheduled time runs twice, and the last one within the deadline runs.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastScheduleAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { SchedulePorts } from '../../../src/operator/schedules/schedule-context.ts';
import { Crash, FakeCluster, named } from './fake-cluster.ts';
import { at, timesOf } from './support.ts';

const minuteMs = 60_000;

type Step =
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'pass'; readonly crash: { readonly call: number; readonly after: boolean } | undefined }
  | { readonly do: 'deliver' | 'restart' | 'fail over' | 'forget' | 'take up' | 'release' }
  /** The newest one, or the one before, ... */
  | { readonly do: 'delete'; readonly back: number }
  | { readonly do: 'finish'; readonly as: 'Complete' | 'Failed' };

const crashes = fc.record({ call: fc.integer({ min: 1, max: 6 }), after: fc.boolean() });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 20 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('pass' as const), crash: fc.option(crashes, { nil: undefined }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('deliver', 'restart', 'fail over') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('take up', 'release') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('delete' as const), back: fc.integer({ min: 0, max: 2 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('finish' as const), as: fc.constantFrom('Complete', 'Failed') }),
  },
);

const wait = (minutes: number): Step => ({ do: 'wait', minutes });
const pass = (crash?: { readonly call: number; readonly after: boolean }): Step => ({ do: 'pass', crash });
const finish: Step = { do: 'finish', as: 'Complete' };
const deliver: Step = { do: 'deliver' };
const failOver: Step = { do: 'fail over' };
const takeUp: Step = { do: 'take up' };
const remove: Step = { do: 'delete', back: 0 };
const release: Step = { do: 'release' };
const forget: Step = { do: 'forget' };

const policies = fc.record({
  concurrencyPolicy: fc.constantFrom('Allow', 'Forbid', 'Replace'),
  startingDeadlineSeconds: fc.option(fc.integer({ min: 60, max: 7_200 }), { nil: undefined }),
  successfulHistoryLimit: fc.integer({ min: 0, max: 1 }),
  failedHistoryLimit: fc.integer({ min: 0, max: 1 }),
});

async function runOnce(cluster: FakeCluster): Promise<void> {
  try {
    await cluster.run();
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    // A process that died knows nothing any more. The next step may let the other replica lead.
    cluster.restart();
  }
  cluster.crash = undefined;
}

async function play(cluster: FakeCluster, step: Step): Promise<void> {
  switch (step.do) {
    case 'wait':
      cluster.now += step.minutes * minuteMs;
      return;
    case 'pass':
      cluster.crash = step.crash;
      return runOnce(cluster);
    case 'deliver':
      return cluster.deliver();
    case 'restart':
      return cluster.restart();
    case 'fail over':
      return cluster.failOver();
    case 'take up':
      return cluster.takeUp();
    case 'delete': {
      const name = cluster.executions.at(-1 - step.back);
      return name === undefined ? undefined : cluster.delete(name);
    }
    case 'release':
      return cluster.release();
    case 'forget':
      // A tool that applies the object removes annotations that it does not know. The status stays.
      return cluster.mark(lastScheduleAnnotation, undefined);
    case 'finish':
      return cluster.finish(cluster.active[0] ?? '', step.as);
  }
}

/** The same for certain, in the orders in which each precaution matters. */
const orders: readonly (readonly [string, readonly Step[]])[] = [
  [
    'the execution of a time is deleted, and a replica leads whose watch has delivered neither it nor its record',
    [wait(20), pass(), finish, deliver, pass(), failOver, pass()],
  ],
  [
    'a process dies after it created an execution, and again after it deleted that',
    [
      wait(20),
      pass({ call: 2, after: true }),
      finish,
      deliver,
      pass({ call: 1, after: true }),
      pass(),
      deliver,
      pass(),
    ],
  ],
  ['a process dies before it records', [wait(20), pass({ call: 4, after: false }), pass()]],
  [
    'a process dies before it records, and the execution, which ran, is deleted',
    [wait(20), pass({ call: 4, after: false }), takeUp, remove, release, deliver, pass(), deliver, release, pass()],
  ],
  ['the watch does not deliver what was created', [wait(20), pass(), wait(20), pass(), failOver, pass()]],
  [
    'a process dies between its two records, and the first is removed while the execution, which ran, is deleted',
    [
      wait(20),
      pass({ call: 2, after: true }),
      takeUp,
      remove,
      finish,
      deliver,
      pass({ call: 2, after: false }),
      forget,
      release,
      deliver,
      pass(),
      deliver,
      release,
      pass(),
    ],
  ],
];

async function playAll(cluster: FakeCluster, plays: readonly Step[]): Promise<FakeCluster> {
  for (const step of plays) await play(cluster, step);
  return cluster;
}

const often = { schedule: '*/20 * * * *', successfulHistoryLimit: 0 };
const isTwice = ({ mayHaveRun }: FakeCluster): boolean => new Set(mayHaveRun).size < mayHaveRun.length;

test.each(orders)('%s', async (_, plays) => {
  for (const concurrencyPolicy of ['Allow', 'Forbid']) {
    const cluster = await playAll(new FakeCluster({ ...often, concurrencyPolicy }), plays);
    expect(isTwice(cluster)).toBe(false);
    if (concurrencyPolicy === 'Forbid') expect(cluster.active.length).toBeLessThanOrEqual(1);
  }
});

test('an execution that is deleted before it was taken up and recorded cannot have run, and is created again', async () => {
  const plays = [wait(20), pass({ call: 4, after: false }), remove, deliver, pass()];
  const cluster = await playAll(new FakeCluster(often), plays);
  expect(cluster.executions).toEqual([named('00:20')]);
});

/** Else the orders above would prove nothing. */
test('a time would run twice if a new leader believed its watch', async () => {
  const planted = ({ store, ...ports }: SchedulePorts): SchedulePorts => ({
    ...ports,
    store: { ...store, readFresh: async (key) => store.read(key) },
  });
  const worlds = orders.map(async ([, plays]) => playAll(new FakeCluster(often, planted), plays));
  expect((await Promise.all(worlds)).some(isTwice)).toBe(true);
});

test('in any order of crashes, failovers and late watches', async () => {
  await fc.assert(
    fc.asyncProperty(policies, fc.array(steps, { minLength: 20, maxLength: 60 }), async (policy, plays) => {
      const cluster = new FakeCluster({ schedule: '*/20 * * * *', ...policy });
      for (const step of plays) {
        await play(cluster, step);
        expect(isTwice(cluster)).toBe(false);
        if (policy.concurrencyPolicy === 'Forbid') expect(cluster.active.length).toBeLessThanOrEqual(1);
      }
      for (const name of cluster.active) cluster.finish(name, 'Complete');
      cluster.restart();
      for (let again = 0; again < 3; again += 1) {
        await runOnce(cluster);
        cluster.deliver();
      }
      expect(isTwice(cluster)).toBe(false);
      const latest = timesOf('*/20 * * * *').latest(cluster.now) ?? 0;
      const isLate = cluster.now - latest >= (policy.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
      if (latest > at('00:10') && !isLate) expect(cluster.created).toContain(`nightly-${latest / minuteMs}`);
    }),
    { numRuns: 150 },
  );
});
