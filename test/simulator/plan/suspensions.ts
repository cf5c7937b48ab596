// Draws suspensions: objects are suspended, changed meanwhile, and resumed; and Clusters that are to be made anew when they vanish.
import type { Dice } from './chance.ts';
import { type Draw, type Living, someTime } from './feature.ts';
import type { Deed, Step } from './plan.ts';

type Edited = Pick<Extract<Deed, { readonly does: 'edit' }>, 'kind' | 'name'>;

export const edit = (of: Edited, spec: object): Deed => ({ does: 'edit', ...of, spec });

const pickCluster = (dice: Dice, { clusters: [first = '', ...others] }: Living): string =>
  dice.pick([first, ...others]);

export function drawObject(dice: Dice, living: Living): Edited {
  const name = pickCluster(dice, living);
  return dice.pick<Edited>([
    { kind: 'Cluster', name },
    { kind: 'Cluster', name },
    { kind: 'ClusterTemplate', name: 'small' },
    { kind: 'NodeGroupTemplate', name: 'worker' },
  ]);
}

/** Something that has to be written for the object; `null` takes it back. */
export function drawChange(dice: Dice, of: Edited): object {
  switch (of.kind) {
    case 'Cluster':
      return {
        nodeGroups: [
          { name: 'master', count: 1, nodeGroupTemplateRef: { name: 'master' } },
          { name: 'worker', count: dice.number(0, 5), nodeGroupTemplateRef: { name: 'worker' } },
        ],
      };
    case 'ClusterTemplate':
      return { antiAffinity: dice.pick([['datanode'], null]) };
    default:
      return { flavorID: dice.pick(['2', '4']) };
  }
}

function drawOne(dice: Dice, living: Living): readonly Step[] {
  const of = drawObject(dice, living);
  const at = dice.toss(0.3) ? dice.number(0, 2_000) : someTime(dice);
  const ms = dice.pick([1_000, 20_000, 60_000]);
  const meanwhile = dice.times(dice.number(0, 2), (): Step => {
    const when = at + dice.number(0, ms);
    return { at: when, deed: dice.toss(0.8) ? edit(of, drawChange(dice, of)) : { does: 'poke', ...of } };
  });
  return [{ at, deed: edit(of, { suspend: true }) }, ...meanwhile, { at: at + ms, deed: edit(of, { suspend: false }) }];
}

export const suspensions: Draw = (dice, living) => {
  const renewing = dice.toss(0.4)
    ? [
        {
          at: someTime(dice),
          deed: edit({ kind: 'Cluster', name: pickCluster(dice, living) }, { onExternalDelete: 'Recreate' }),
        },
      ]
    : [];
  return [...dice.times(dice.number(1, 3), () => drawOne(dice, living)).flat(), ...renewing];
};
