// How many nodes an autoscaled group is to have. PURE.
//
//  load of the group        has the time to      count                                        reason
//                           scale down passed?
//  not reported             any                  stays                                        NoSignal
//  too old                  any                  stays                                        TooOld
//  fills more than asked    any                  what it fills, at once                       WithinRange, AtMaximum
//  fills what was asked     any                  stays                                        WithinRange, AtMinimum, AtMaximum
//  fills less               no                   stays                                        ScalingDown
//  fills less               yes                  one less; what it has, if the last scale up had no effect ScalingDown
//  any, and a scale goes on any                  as above, and never less                     as above
//  any, while not running   any                  stays                                        ClusterNotReady
//
// Whatever stays is moved into the bounds. What the work fills is never less than what is busy, and is moved into them, too.

import { within } from '../../api/autoscaling.ts';
import type { AutoscalingBounds, AutoscalingReason } from '../../reconcile/kind/kind.ts';

export interface AutoscaleInput {
  readonly bounds: AutoscalingBounds;
  /** What the service was last asked for: the target of the scale that goes on or had no effect, else what it has. */
  readonly asked: number;
  readonly has: number;
  /** resting: it has come to rest, with or without what was asked. */
  readonly state: 'resting' | 'scaling' | 'other';
  /** Undefined: the service reports none. */
  readonly load: { readonly wantedNodes: number; readonly busyNodes: number; readonly ageMs: number } | undefined;
  /** An older load does not count. */
  readonly freshMs: number;
  /** How long fresh loads have filled less than what was asked. */
  readonly lessForMs: number;
}

export interface AutoscaleDecision {
  readonly count: number;
  readonly reason: AutoscalingReason;
  /** What the work would fill, within the bounds; undefined: it is not known. */
  readonly wanted?: number;
}

/** What the work of a fresh load fills, within the bounds; undefined: there is no such load. */
export const wantedOf = ({ load, freshMs, bounds, state }: AutoscaleInput): number | undefined => {
  if (state === 'other' || load === undefined || load.ageMs > freshMs) return undefined;
  return within(bounds, Math.max(load.wantedNodes, load.busyNodes));
};

export const decideCount = (input: AutoscaleInput): AutoscaleDecision => {
  const { bounds, asked, load, state } = input;
  const kept = within(bounds, asked);
  if (state === 'other') return { count: kept, reason: 'ClusterNotReady' };
  if (load === undefined) return { count: kept, reason: 'NoSignal' };
  const wanted = wantedOf(input);
  if (wanted === undefined) return { count: kept, reason: 'TooOld' };
  if (wanted < kept) return { count: Math.max(wanted, lessThan(kept, input)), reason: 'ScalingDown', wanted };
  const filled = Math.max(load.wantedNodes, load.busyNodes);
  if (filled > bounds.maxCount) return { count: wanted, reason: 'AtMaximum', wanted };
  return { count: wanted, reason: filled < bounds.minCount ? 'AtMinimum' : 'WithinRange', wanted };
};

/** The next count on the way down. */
const lessThan = (kept: number, { asked, has, state, lessForMs, bounds }: AutoscaleInput): number => {
  // The bounds have moved it already; what is not wanted above them can wait for its turn.
  if (kept !== asked || state !== 'resting' || lessForMs < bounds.scaleDownAfterMs) return kept;
  // The last node was not removed yet.
  if (has > asked) return kept;
  return has < asked ? has : asked - 1;
};
