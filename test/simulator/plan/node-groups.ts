// Draws NodeGroups: one or two for the same group of a Cluster, which are made, scaled and deleted while users change that Cluster, too.
import type { Dice } from './chance.ts';
import { type Draw, someTime } from './feature.ts';
import { countOf, named } from './objects.ts';
import type { Deed, Step } from './plan.ts';

const own = 'sized';
const groupName = 'worker';

export const setter = (name: string, cluster: string, count: number): Deed => ({
  does: 'apply',
  kind: 'NodeGroup',
  name,
  spec: { clusterRef: { name: cluster }, nodeGroup: groupName, count },
});

const drawCount = (dice: Dice): number => dice.number(0, 5);

const drawCluster = (dice: Dice): Deed => named(own, { nodeGroups: [{ name: groupName, count: drawCount(dice) }] });

/** What becomes of one NodeGroup. Who makes it anew waits until the old one is gone. */
function drawChanges(dice: Dice, name: string, cluster: string): readonly Step[] {
  return dice
    .times(dice.number(0, 4), () => someTime(dice, 10_000))
    .flatMap((at): readonly Step[] => {
      const remove: Step = { at, deed: { does: 'delete', kind: 'NodeGroup', name } };
      switch (dice.pick(['scale', 'scale', 'delete', 'again', 'poke'])) {
        case 'scale':
          return [{ at, deed: { does: 'edit', kind: 'NodeGroup', name, spec: { count: drawCount(dice) } } }];
        case 'poke':
          return [{ at, deed: { does: 'poke', kind: 'NodeGroup', name } }];
        case 'delete':
          return [remove];
        default:
          return [remove, { at: at + dice.number(0, 20_000), deed: setter(name, cluster, drawCount(dice)) }];
      }
    });
}

/** Half of them right when somebody does something with a NodeGroup. */
function drawClusterChanges(dice: Dice, steps: readonly Step[]): readonly Step[] {
  return dice
    .times(dice.number(0, 4), () => {
      const near = dice.toss(0.5) ? steps[dice.number(0, steps.length - 1)] : undefined;
      return near === undefined ? someTime(dice, 20_001) : near.at + dice.number(0, 2_000);
    })
    .flatMap((at): readonly Step[] => {
      switch (dice.pick(['scale', 'scale', 'scale', 'again', 'vanish', 'recreate'])) {
        case 'scale':
          return [{ at, deed: countOf(own, drawCount(dice)) }];
        case 'again':
          return [
            { at, deed: { does: 'delete', kind: 'Cluster', name: own } },
            { at: at + dice.number(0, 30_000), deed: drawCluster(dice) },
          ];
        case 'vanish':
          return [{ at, deed: { does: 'vanish', name: own } }];
        default:
          return [{ at, deed: { does: 'recreate', kind: 'Cluster', name: own } }];
      }
    });
}

/** They are of a Cluster of their own, or of one that every life has. */
export const nodeGroups: Draw = (dice, { clusters: [first = own] }) => {
  const cluster = dice.toss(0.7) ? own : first;
  const steps = ['first', 'second']
    .slice(0, dice.pick([1, 2, 2]))
    .flatMap((name): readonly Step[] => [
      { at: dice.number(0, 30_000), deed: setter(name, cluster, drawCount(dice)) },
      ...drawChanges(dice, name, cluster),
    ]);
  if (cluster !== own) return steps;
  return [{ at: dice.number(0, 20_000), deed: drawCluster(dice) }, ...steps, ...drawClusterChanges(dice, steps)];
};
