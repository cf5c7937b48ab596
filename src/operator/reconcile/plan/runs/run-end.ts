// When a run has ended, the plan after that, and the plan for what a run owns: its job is made first, then its cluster, once nothing else is in the way; the
// cluster is deleted as soon as no run needs it. Kubernetes deletes the rest after the run.
import type { RawResource } from '../../../api/definition.ts';
import type { RunKind } from '../../kind/kind.ts';
import type { RunSettings } from '../../kind/run-types.ts';
import { type Outcome, type RunEnd, waiting } from '../../outcome.ts';
import type { PlanInput } from '../../plan-input.ts';
import type { ResourceFacts } from '../../resource/facts.ts';
import { ownedObject, standingOwned } from '../../resource/owned.ts';
import type { Resolution } from '../../resource/references.ts';
import { none, type Plan } from '../next-step.ts';
import { createProblem, specOf } from '../plan-create.ts';

export function runKindOf({ kind }: PlanInput): RunKind {
  if (kind.identity !== 'once') throw new Error(`cannot run a ${kind.definition.kind}`);
  return kind;
}

export function settingsOf(input: PlanInput): RunSettings {
  return runKindOf(input).settings(specOf(input));
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
  const isKept = reason !== 'Succeeded' && reason !== 'Cancelled';
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

/** Undefined: nothing is to be made, or something else is awaited first. */
export function planProvide(input: PlanInput): Plan | undefined {
  const { facts, service } = input;
  const [first] = input.resolutions
    .filter(({ state }) => state !== 'resolved')
    // What it does not own is awaited first.
    .toSorted((one, other) => Number(one.reference.owned ?? false) - Number(other.reference.owned ?? false));
  if (first === undefined || !isMissing(first) || service.state !== 'usable' || !service.mayCreate) return undefined;
  const { reference, message } = first;
  const spec = specOf(input);
  // A cluster would cost something until the user corrects the run.
  const wrong = reference.ready && createProblem(input);
  if (wrong) return none(wrong);
  const { kind: what, name } = reference;
  return {
    action: 'provide',
    object: ownedObject(facts.resource, reference, runKindOf(input).owned(spec, reference)),
    outcome: waiting('kubernetes', reference.ready ? 'WaitingForCluster' : 'DependencyNotReady', message),
    event: { type: 'Normal', reason: 'OwnedCreated', action: 'Create', note: `created ${what} ${name} for it` },
  };
}

function isMissing(one: Resolution): one is Extract<Resolution, { readonly state: 'awaited' }> {
  return one.state === 'awaited' && one.isMissing === true;
}

function standingCluster({ resolutions }: PlanInput): RawResource | undefined {
  return standingOwned(resolutions, 'Cluster');
}

/** Deletes its own cluster, which no run needs any more. */
export function planDiscard(input: PlanInput, outcome: Outcome): Plan | undefined {
  const owned = standingCluster(input);
  if (!owned) return undefined;
  const note = `deleted Cluster ${owned.metadata.name}, which it does not need any more`;
  return {
    action: 'discard',
    owned,
    outcome,
    event: { type: 'Normal', reason: 'OwnedDeleted', action: 'Delete', note },
  };
}
