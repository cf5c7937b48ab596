// The plan for a run that has ended: what it owns goes, and in time the object itself.
import type { Outcome, RunEnd } from '../outcome.ts';
import type { PlanInput } from '../plan-input.ts';
import type { ResourceFacts } from '../resource/facts.ts';
import type { RunSettings } from '../runs.ts';
import { planDiscard, standingCluster } from './owned.ts';
import { none } from './single-write.ts';
import type { Plan } from './types.ts';

export function settingsOf({ kind, facts }: PlanInput): RunSettings {
  if (!kind.runs || !facts.spec.ok) throw new Error(`cannot run a ${kind.definition.kind}`);
  return kind.runs.settings(facts.spec.value);
}

interface TimeLeft {
  /** Until the object is deleted, in ms. Undefined: never. */
  readonly object?: number;
  /** Until its own cluster is deleted. Undefined: there is none. */
  readonly cluster?: number;
}

/** `at`: when it ended, wall-clock ms. */
function timeLeft(input: PlanInput, reason: RunEnd, at: number): TimeLeft {
  if (!input.facts.spec.ok || Number.isNaN(at)) return {};
  const { ttlMs, keepClusterMs } = settingsOf(input);
  const since = input.now.wall - at;
  const isKept = reason === 'Failed' || reason === 'DeadlineExceeded';
  return {
    ...(ttlMs === undefined ? {} : { object: ttlMs - since }),
    ...(standingCluster(input) ? { cluster: isKept ? keepClusterMs - since : 0 } : {}),
  };
}

type Ended = Extract<Outcome, { result: 'ended' }>;

/** What is left to do wakes it in time. */
export function ended(input: PlanInput, reason: RunEnd, message: string, at = input.now.wall): Ended {
  const left = Object.values(timeLeft(input, reason, at));
  return { result: 'ended', reason, message, ...(left.length === 0 ? {} : { nextInMs: Math.min(...left) }) };
}

/** The plan for a run whose end was reported: nothing is asked of the service any more. */
export function planEnded(input: PlanInput, { reason, message, at }: NonNullable<ResourceFacts['ended']>): Plan {
  const outcome = ended(input, reason, message, at);
  const { object = Number.POSITIVE_INFINITY, cluster = Number.POSITIVE_INFINITY } = timeLeft(input, reason, at);
  // Kubernetes deletes the cluster after the object.
  if (object <= 0) return { action: 'expire', outcome };
  const discarded = cluster <= 0 ? planDiscard(input, outcome) : undefined;
  return discarded ?? none(outcome);
}
