// Worlds of the simulation: the whole selection of seeds meets everything that can go wrong, and what once found something keeps every invariant since.
import { expect, test } from 'vitest';
import { drawPlan } from './plan/draw.ts';
import { missingProbes } from './plan/probes.ts';
import { run } from './run.ts';
import { keepInvariants, selection } from './selection.ts';

/** What found bugs of the product once. */
const found: readonly (readonly [seed: number, bug: string])[] = [
  [505720, 'a name was taken, no list showed by what, and the attempt was taken for ended'],
  [600992, 'what the service found again was forgotten, because the last list was older than that'],
  [1596, 'between the end of one object and the next of its resource, a copy of the ledger was taken for the only one'],
  [20913, 'two resources, each with a refused create, woke one another past their backoff'],
  [10111, 'what nobody claimed for a moment was told as unclaimed for ten minutes'],
  [16140, 'an address was listed again as a former one, after the passes that it woke had read the settings'],
  [35508, 'what is in a service was not counted again when an address was listed as a former one'],
  [22799, 'what a refused create had left was deleted again and again, while the lists lagged'],
  [21013301, 'a create was on its way when a user replaced its resource by a backup'],
  [21015280, 'while a pass was under way a Connection came to lead elsewhere, and a copy was taken for the only one'],
  [21009676, 'while a Connection led elsewhere, a copy was taken for what its original had left'],
  [506544, 'what others had changed was tried again every second, while the watch lagged'],
  [48017141, 'a former revision was deleted while the list lacked a new cluster that refers to it'],
  [52008776, 'a service that had moved refused its first request, and a copy was taken for the only one'],
  [52005397, 'the status of a refused copy, put off for seconds, was written ten minutes later'],
  [91002708, 'each second, three requests asked for old revisions that nobody waited for'],
  [
    97012861,
    'a template that was missing was looked for after two minutes instead of half a minute, and again two minutes after its loss was confirmed',
  ],
  [100001524, 'a run waited for its cluster to go, and the cluster, which somebody had deleted, for the run'],
  [52002824, 'who refers to a former revision was asked at each poll while a request that may refer to it was open'],
  [600015856, 'while the service deleted what refused creates had left, each was tried again every four seconds'],
  [600016047, 'runs that were gone for good were told as a mass deletion by each new leader'],
];

test('the selection keeps every invariant, and meets all troubles and states', async () => {
  expect(missingProbes(await keepInvariants(selection))).toEqual([]);
});

test.each(found)(
  'seed %i: %s',
  async (seed) => {
    expect((await run(drawPlan(seed))).violations).toEqual([]);
  },
  120_000,
);
