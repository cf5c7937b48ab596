// Draws a world with an autoscaled group: the work that comes and goes, edits of its bounds, and troubles in which the load can still be read.
import { Dice, randomOf } from '../plan/chance.ts';
import { clusterOf, firstDeeds } from '../plan/life.ts';
import type { Deed, Fault, Plan, Step } from '../plan/plan.ts';
import { drawFaults } from '../plan/troubles.ts';

/** What the service reports from `at` on. `frozen`: the engine does not answer, and the load keeps its time; `old`: it has kept it for a while; `none`: none is reported. */
export interface Work {
  readonly at: number;
  readonly wantedNodes: number;
  readonly busyNodes: number;
  readonly is: 'fresh' | 'frozen' | 'old' | 'none';
}

export interface Bounds {
  readonly minCount: number;
  readonly maxCount: number;
  readonly scaleDownAfterSeconds: number;
}

export interface AutoscaledPlan extends Plan {
  readonly work: readonly Work[];
  /** In the end there is so much work, and the NodeGroup is deleted so long after it came. */
  readonly leaving: { readonly wantedNodes: number; readonly afterMs: number };
}

/** Work is longer than two polls, so that each is seen. */
const workMs = [70_000, 150_000] as const;
const troubledMs = 600_000;
const mostNodes = 8;

/** The load has to arrive: what is lost on the way to its reader is known to nobody else. */
const isReadable = ({ trouble }: Fault): boolean => {
  if (trouble.what === 'service loses') return trouble.method === 'PUT';
  if (trouble.what === 'cut off') return trouble.from === 'api';
  return trouble.what !== 'service is slow';
};

export const scaler = (bounds: Bounds, count: number): Deed => ({
  does: 'apply',
  kind: 'NodeGroup',
  name: 'workers',
  spec: { clusterRef: { name: 'etl' }, nodeGroup: 'worker', count, autoscaling: bounds },
});

export function drawBounds(dice: Dice): Bounds {
  const [one, other] = [dice.number(0, mostNodes), dice.number(1, mostNodes)];
  const scaleDownAfterSeconds = dice.pick([0, 60, 180]);
  return { minCount: Math.min(one, other), maxCount: Math.max(one, other), scaleDownAfterSeconds };
}

function drawWork(dice: Dice): readonly Work[] {
  const work: Work[] = [];
  for (let at = 15_000; at < troubledMs; at += dice.number(...workMs)) {
    const wantedNodes = dice.number(0, mostNodes + 2);
    const is = dice.pick(['fresh', 'fresh', 'fresh', 'fresh', 'frozen', 'old', 'none'] as const);
    work.push({ at, wantedNodes, busyNodes: dice.number(0, mostNodes), is });
  }
  return [...work, { at: troubledMs, wantedNodes: dice.number(0, mostNodes + 2), busyNodes: 0, is: 'fresh' }];
}

export function drawAutoscaled(seed: number): AutoscaledPlan {
  const dice = new Dice(randomOf(seed, 'autoscaled'));
  const election = dice.toss(0.4);
  const replicas = dice.times(election ? 2 : 1, () => ({
    // A load is soon too old for a clock that is ahead.
    offset: dice.number(-1_500, 1_500),
    rate: 1 + dice.number(-20, 20) / 1_000,
    isKept: true as const,
  }));
  const bounds = drawBounds(dice);
  const edits = dice.times(dice.pick([0, 0, 1, 2]), (): Step => {
    const spec = { autoscaling: drawBounds(dice) };
    return { at: dice.number(60_000, troubledMs), deed: { does: 'edit', kind: 'NodeGroup', name: 'workers', spec } };
  });
  const begin = [...firstDeeds(false), { does: 'apply', kind: 'Cluster', name: 'etl', spec: clusterOf(2) } as const];
  const steps = [
    ...begin.map((deed): Step => ({ at: 0, deed })),
    { at: dice.number(0, 20_000), deed: scaler(bounds, dice.number(0, mostNodes)) },
    ...edits,
  ];
  // Troubles of the first minutes, repeated until the end.
  const drawn = drawFaults(dice, replicas.length, steps).filter(isReadable);
  const faults = drawn.map((fault) => ({ ...fault, at: fault.at + dice.pick([0, 150_000, 300_000]) }));
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
    calmAt: troubledMs + 1,
    work: drawWork(dice),
    leaving: { wantedNodes: dice.number(0, mostNodes), afterMs: dice.number(0, 60_000) },
  };
}
