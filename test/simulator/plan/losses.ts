// Draws what is lost, found and moved in some lives: objects restored from a backup, a ledger, all that the service has, the service itself.
import { takeOverAnnotation } from '../../../src/operator/api/shared-api.ts';
import { type Draw, someTime } from './feature.ts';
import { type Deed, elsewhere, endpoint, movedEndpoint, type Step } from './plan.ts';

/** An object comes back from a backup: here, or in an installation that has to be told to take it over. */
export const restored: Draw = (dice, { clusters }) => {
  const [first = ''] = clusters;
  const [kind, name] = dice.pick<readonly [string, string]>([
    ['Cluster', first],
    ['Cluster', first],
    ['NodeGroupTemplate', 'worker'],
    ['ClusterTemplate', 'small'],
  ]);
  const from = dice.pick(['here', 'here', 'elsewhere'] as const);
  const at = someTime(dice);
  const annotation = takeOverAnnotation;
  return [
    { at, deed: { does: 'restore', kind, name, from } },
    { at: at + dice.number(0, 60_000), deed: { does: 'annotate', kind, name, annotation, value: elsewhere } },
  ];
};

/** A user takes the ledger away; its mirror is still there. */
export const lostLedger: Draw = (dice, { clusters }) => {
  const [first = ''] = clusters;
  const [kind, name] = dice.pick<readonly [string, string]>([
    ['Cluster', first],
    ['NodeGroupTemplate', 'worker'],
    ['ClusterTemplate', 'small'],
  ]);
  return [{ at: someTime(dice), deed: { does: 'lose ledger', kind, name } }];
};

/** The service forgets everything at once, and perhaps finds it again. */
export const losses: Draw = (dice) => {
  const at = someTime(dice, 30_000);
  const found: Step[] = dice.toss(0.4) ? [{ at: at + dice.number(1_000, 100_000), deed: { does: 'find all' } }] : [];
  return [{ at, deed: { does: 'lose all' } }, ...found];
};

/** The service moves; for a while nobody says any more where it was before. */
export const moved: Draw = (dice) => {
  const at = someTime(dice);
  const edit = (spec: object): Deed => ({ does: 'edit', kind: 'Connection', name: 'default', spec });
  const forgotten = at + dice.number(1_000, 60_000);
  const forgets: Step[] = dice.toss(0.5)
    ? [
        { at: forgotten, deed: edit({ formerEndpoints: null }) },
        { at: forgotten + dice.number(1_000, 60_000), deed: edit({ formerEndpoints: [endpoint] }) },
      ]
    : [];
  return [{ at, deed: edit({ endpoint: movedEndpoint, formerEndpoints: [endpoint] }) }, ...forgets];
};
