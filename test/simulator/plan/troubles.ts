// Draws what goes wrong with a world, most often while something is being done.
import type { Dice } from './chance.ts';
import { drawPersonality, personalities, refusingIn, shapes } from './personality.ts';
import { busyMs, type Fault, longestLateMs, type Step, shares, type Trouble } from './plan.ts';

const longestFaultMs = 60_000;
const losses = (['refused', 'before', 'after', 'late'] as const).flatMap((part) =>
  (['POST', 'PUT', 'DELETE'] as const).map((method) => ({ part, method })),
);

/** So that seeds in a row go through all that the service can do; at a time at which it matters. */
export function drawFeature(dice: Dice, seed: number, steps: readonly Step[]): readonly Fault[] {
  const which = seed % (personalities + losses.length + shapes.length + 10);
  const loss = losses[which - personalities];
  const shape = shapes[which - personalities - losses.length];
  const share = dice.pick([0.3, 0.6, 1]);
  const clusterAt = steps.find(({ deed }) => deed.does === 'apply' && deed.kind === 'Cluster')?.at ?? 0;
  const changes = steps.filter(
    ({ at, deed }) => at > 1_000 && at < busyMs && (deed.does === 'edit' || deed.does === 'delete'),
  );
  const step = dice.toss(0.6) ? changes[dice.number(0, changes.length - 1)] : undefined;
  const at = Math.max(0, (step?.at ?? clusterAt) - dice.number(0, 1_000));
  const ms = longestFaultMs;
  if (which < personalities)
    return [{ at, ms, trouble: { what: 'service', personality: drawPersonality(dice, which) } }];
  if (loss !== undefined)
    return [{ at, ms, trouble: { what: 'service loses', ...loss, share, lateMs: dice.number(1_000, longestLateMs) } }];
  if (shape !== undefined) return [{ at, ms, trouble: { what: 'service', personality: refusingIn(dice, shape) } }];
  return [];
}

export function drawFaults(dice: Dice, replicas: number, steps: readonly Step[]): readonly Fault[] {
  return dice.times(dice.number(1, 6), (): Fault => {
    const trouble = drawTrouble(dice, replicas);
    // Most often when something is being done.
    const step = steps[dice.number(0, steps.length - 1)];
    const near = dice.toss(0.6) && step !== undefined && step.at < busyMs;
    const at = near ? Math.max(0, step.at - dice.number(-1_000, 2_000)) : dice.number(0, busyMs);
    const ms = trouble.what === 'pause' ? dice.number(1_000, 45_000) : dice.number(2_000, longestFaultMs);
    return { at, ms, trouble };
  });
}

function drawTrouble(dice: Dice, replicas: number): Trouble {
  const replica = dice.number(0, replicas - 1);
  const share = dice.pick(shares);
  switch (dice.number(0, 17)) {
    case 0:
      return { what: 'api answers', status: dice.pick([409, 410, 429, 500, 503]), applied: dice.toss(0.5), share };
    case 1:
      return { what: 'api loses', applied: dice.toss(0.7), share };
    case 2:
      return { what: 'api is slow', ms: dice.pick([200, 3_000, 12_000]), share };
    case 3:
      return { what: 'watches end' };
    case 4:
      return { what: 'versions are forgotten' };
    case 5:
      return { what: 'watches lag', replica };
    case 6:
    case 7:
    case 8:
    case 9:
      return { what: 'service', personality: drawPersonality(dice) };
    case 10:
    case 11:
    case 12:
      return {
        what: 'service loses',
        part: dice.pick(['refused', 'before', 'after', 'late', 'late']),
        method: dice.pick([undefined, 'POST', 'POST', 'PUT', 'DELETE']),
        share,
        lateMs: dice.number(1_000, longestLateMs),
      };
    case 13:
      return { what: 'service is slow', ms: dice.pick([200, 3_000, 20_000]), share };
    case 14:
      return { what: 'crash', replica };
    case 15:
      return dice.toss(0.5) ? { what: 'stop', replica } : { what: 'crash', replica };
    case 16:
      return { what: 'pause', replica };
    default:
      return { what: 'cut off', replica, from: dice.pick(['api', 'service']) };
  }
}

/** Nobody works for as long as a schedule takes to come several times. */
export function drawDowntime(dice: Dice, replicas: number, steps: readonly Step[]): readonly Fault[] {
  const isScheduled = steps.some(({ deed }) => deed.does === 'apply' && deed.kind === 'JobSchedule');
  if (!isScheduled || !dice.toss(0.3)) return [];
  const [at, ms] = [dice.number(20_000, busyMs), dice.number(60_000, 150_000)];
  return dice.times(replicas, (replica): Fault => ({ at, ms, trouble: { what: 'crash', replica } }));
}

interface Forbidding {
  readonly suspend?: unknown;
  readonly policy?: unknown;
  readonly namespaces?: readonly unknown[];
}

function forbids({ deed }: Step): boolean {
  const { suspend, policy, namespaces }: Forbidding = deed.does === 'edit' ? deed.spec : {};
  return suspend === true || policy === 'Observe' || policy === 'Plan' || namespaces?.length === 0;
}

/** The service is slow when a user or an administrator forbids writes, so that what was decided before may still be unsent. */
export function drawSlowness(dice: Dice, steps: readonly Step[]): readonly Fault[] {
  const forbidding = steps.filter(forbids);
  const step = forbidding[dice.number(0, forbidding.length - 1)];
  if (step === undefined || !dice.toss(0.5)) return [];
  const at = Math.max(0, step.at - dice.number(5_000, longestFaultMs));
  return [{ at, ms: step.at - at + longestFaultMs, trouble: { what: 'service is slow', ms: 20_000, share: 1 } }];
}
