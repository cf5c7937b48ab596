// Draws a world with a cluster that expires: runs that come and go, most often when it is about to go, and troubles of all sorts.
import { Dice, randomOf } from '../plan/chance.ts';
import { clusterOf, firstDeeds } from '../plan/life.ts';
import { runOn } from '../plan/objects.ts';
import type { Deed, Plan, Step } from '../plan/plan.ts';
import { drawFaults } from '../plan/troubles.ts';

export interface LifecyclePlan extends Plan {
  readonly lifecycle: {
    readonly idleDeleteAfterSeconds: number;
    readonly deleteAfterSeconds?: number;
    readonly onExpiry?: 'Delete' | 'Release';
  };
}

const idleSeconds = 300;
/** Shortly after an idle time that began with the start of the world, or with a run, is over. */
const nearMs = 25_000;
const troubledMs = 1_200_000;

export function drawLifecycle(seed: number): LifecyclePlan {
  const dice = new Dice(randomOf(seed, 'lifecycle'));
  const election = dice.toss(0.4);
  const replicas = dice.times(election ? 2 : 1, () => ({
    offset: dice.number(-5_000, 5_000),
    rate: 1 + dice.number(-20, 20) / 1_000,
  }));
  const lifecycle = {
    idleDeleteAfterSeconds: idleSeconds,
    ...(dice.toss(0.2) ? { deleteAfterSeconds: dice.number(400, 1_000) } : {}),
    ...(dice.toss(0.4) ? { onExpiry: 'Release' as const } : {}),
  };
  const cluster: Deed = { does: 'apply', kind: 'Cluster', name: 'etl', spec: { ...clusterOf(1), lifecycle } };
  const idleMs = idleSeconds * 1_000;
  // Each run comes when the cluster is about to go after the one before.
  let at = 5_000;
  const runs = dice.times(dice.number(0, 3), (index): Step => {
    at += dice.toss(0.7) ? idleMs + dice.number(-nearMs, nearMs) : dice.number(1_000, idleMs);
    return { at, deed: runOn(`run-${index}`, 'etl') };
  });
  const steps = [
    { at: 0, deed: { does: 'bring job' } } as const,
    ...[...firstDeeds(false), cluster].map((deed): Step => ({ at: 0, deed })),
    ...runs,
  ];
  const moments: readonly [Step, ...Step[]] = [
    { at: idleMs, deed: cluster },
    { at: at + idleMs, deed: cluster },
    ...runs,
  ];
  const faults = drawFaults(dice, replicas.length, moments).map((fault) => {
    const moment = dice.pick(moments);
    return { ...fault, at: Math.max(0, moment.at + dice.number(-40_000, 20_000)) };
  });
  return {
    seed,
    replicas,
    election,
    auth: false,
    oldApiServer: false,
    stageMs: dice.pick([0, 2_000, 20_000]),
    latencyMs: dice.pick([5, 50]),
    failingRuns: 0,
    steps,
    faults,
    calmAt: troubledMs + 400_000,
    lifecycle,
  };
}
