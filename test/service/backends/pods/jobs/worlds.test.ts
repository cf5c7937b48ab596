// Whatever goes wrong, at each step of an execution in a pod: no program is started twice, none runs without a record that says so, and no record
// says that it has ended while its program may run. `worlds.long.test.ts` plays all pairs.
import { describe, expect, test } from 'vitest';
import { writeReport } from '../../../../support/reports.ts';
import { flaws } from './world/flaws.ts';
import { pairs, playAll, single } from './world/plots.ts';
import { type Mishap, play } from './world/world.ts';

/** A prime number, so that all mishaps and steps have their turn. */
const share = 997;

test('nothing goes wrong', async () => {
  const { broken, status, steps } = await play(new Map());
  expect([broken, status]).toEqual([undefined, 'SUCCEEDED']);
  expect(steps).toBeGreaterThan(20);
});

test('one thing goes wrong', async () => {
  const { passed, broken } = await playAll(single);
  expect(broken).toBeUndefined();
  writeReport('mishaps', { passed, all: single.length });
});

test('a run that Kueue preempts is run once its Job is admitted again, unless its program had begun', async () => {
  const plots = single.filter((plot) => [...plot.values()].includes('preempt'));
  const ends = new Set<string>();
  for (const plot of plots) {
    const { broken, status, message = '' } = await play(plot);
    expect(broken).toBeUndefined();
    ends.add(`${status} ${message.replace(/Job run-\w+/, 'Job')}`);
  }
  const preempted = 'Job was suspended while it ran: run the job again, because no run is started twice';
  expect(ends).toEqual(new Set(['SUCCEEDED ', `FAILED ${preempted}`]));
});

const selected = [...pairs(share)];

test(`two things go wrong: one of ${share} pairs`, async () => {
  expect((await playAll(selected)).broken).toBeUndefined();
});

/** What has to go wrong for a flaw to show: of the plots above, those without it are not played again. */
const needs = {
  'a run that cannot be observed is FAILED': 'restart',
  'a refusal of the API server is final': 'restart',
  'a run that is given up is not killed': 'delete cluster',
  'a kill writes no tombstone': 'hang',
  'a kill does not wait for the end of the pod': 'cancel',
  'a run is over when its Job is gone': 'delete Job',
  'runs that appear late are not looked for': 'delete Job alone',
  'the permit is given to every pod that asks': 'preempt',
  'a runner whose permit does not arrive gets no other one': 'kill after',
} as const satisfies Readonly<Record<keyof typeof flaws, Mishap>>;

describe('is found:', () => {
  test.each(Object.entries(needs) as (readonly [keyof typeof flaws, Mishap])[])('%s', async (name, mishap) => {
    const plots = [...single, ...selected].filter((plot) => [...plot.values()].includes(mishap));
    expect((await playAll(plots, flaws[name])).broken).toBeDefined();
  });
});
