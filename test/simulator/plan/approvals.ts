// Draws plans that wait: objects get the policy Plan, their users edit them and approve what waits, or what waited before.
import type { Dice } from './chance.ts';
import { type Draw, type Living, someTime } from './feature.ts';
import type { Step } from './plan.ts';
import { drawChange, drawObject, edit } from './suspensions.ts';

function drawOne(dice: Dice, living: Living): readonly Step[] {
  const of = drawObject(dice, living);
  const at = dice.toss(0.3) ? dice.number(0, 2_000) : someTime(dice);
  const ms = dice.pick([10_000, 30_000, 60_000]);
  const meanwhile = dice.times(dice.number(1, 5), (): Step => {
    const when = at + dice.number(0, ms);
    if (dice.toss(0.4)) return { at: when, deed: edit(of, drawChange(dice, of)) };
    return { at: when, deed: { does: 'approve', ...of, which: dice.pick(['waits', 'waits', 'waited first']) } };
  });
  // Else all that is left to do for it is approved once nothing goes wrong any more.
  const managed = dice.toss(0.6) ? [{ at: at + ms, deed: edit(of, { policy: 'Manage' }) }] : [];
  return [{ at, deed: edit(of, { policy: 'Plan' }) }, ...meanwhile, ...managed];
}

export const approvals: Draw = (dice, living) => dice.times(dice.number(1, 3), () => drawOne(dice, living)).flat();
