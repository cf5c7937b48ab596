// Draws which features a life has, each by dice of its own.
import { approvals } from './approvals.ts';
import { Dice, randomOf } from './chance.ts';
import { declaredJobs } from './declared.ts';
import type { Draw, Feature, Living } from './feature.ts';
import { imports } from './imports.ts';
import { losses, lostLedger, moved, restored } from './losses.ts';
import { nodeGroups } from './node-groups.ts';
import { copied, fixedName, images, renewed, revisions, runs, runsAlone } from './objects.ts';
import { schedules } from './schedules.ts';
import { suspensions } from './suspensions.ts';

/** How often a life has each; drawn by dice of its own, so that one more changes no other. */
const features: readonly (readonly [string, number, Draw])[] = [
  ['revisions', 0.25, revisions],
  ['fixed name', 0.12, fixedName],
  ['images', 0.12, images],
  ['restored', 0.15, restored],
  ['copied', 0.08, copied],
  ['lost ledger', 0.08, lostLedger],
  ['losses', 0.1, losses],
  ['moved', 0.1, moved],
  ['renewed', 0.08, renewed],
];

/** Lives before the first one of each have none, so that seeds which found something before there were any still mean the same. */
const later: readonly { readonly first: number; readonly features: typeof features }[] = [
  {
    first: 25_000_000,
    features: [
      ['runs', 0.5, runs],
      ['runs alone', 0.3, runsAlone],
    ],
  },
  { first: 75_000_000, features: [['schedules', 0.6, schedules]] },
  { first: 150_000_000, features: [['declared jobs', 0.6, declaredJobs]] },
  { first: 300_000_000, features: [['node groups', 0.7, nodeGroups]] },
  { first: 400_000_000, features: [['suspensions', 0.7, suspensions]] },
  { first: 450_000_000, features: [['imports', 0.7, imports]] },
  { first: 550_000_000, features: [['approvals', 0.7, approvals]] },
];

/** From this life on, all features are drawn. */
export const firstWithAll = Math.max(...later.map(({ first }) => first));

export function drawFeatures(life: number, living: Living): Feature {
  const all = [...features, ...later.flatMap((one) => (life < one.first ? [] : one.features))];
  const steps = all.flatMap(([name, share, draw]) => {
    const dice = new Dice(randomOf(life, `feature ${name}`));
    return dice.toss(share) ? draw(dice, living) : [];
  });
  const made = steps.flatMap(({ deed }) => {
    if (deed.does === 'copy') return [{ kind: deed.kind, name: deed.to }];
    return deed.does === 'apply' ? [{ kind: deed.kind, name: deed.name }] : [];
  });
  return { steps, made };
}
