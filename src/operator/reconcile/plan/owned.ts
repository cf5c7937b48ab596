// The plan for what a run owns: its job is made first, then its cluster, once nothing else is in the way; the cluster goes as soon as no
// run needs it. Kubernetes deletes the rest after the run.
import type { RawResource } from '../../api/definition.ts';
import { type Outcome, waiting } from '../outcome.ts';
import type { PlanInput } from '../plan-input.ts';
import { ownedObject, standingOwned } from '../resource/owned.ts';
import type { Resolution } from '../resource/references.ts';
import { createProblem, specOf } from './create.ts';
import { none } from './single-write.ts';
import type { Plan } from './types.ts';

/** Undefined: nothing is to be made, or something else is awaited first. */
export function planProvide(input: PlanInput): Plan | undefined {
  const { kind, facts, service } = input;
  const [first] = input.resolutions
    .filter(({ state }) => state !== 'resolved')
    // What it does not own is awaited first.
    .toSorted((one, other) => Number(one.reference.owned ?? false) - Number(other.reference.owned ?? false));
  if (first === undefined || !isMissing(first) || service.state !== 'usable' || !service.mayCreate) return undefined;
  const { reference, message } = first;
  const spec = specOf(input);
  // A cluster would cost something until somebody corrects the run.
  const wrong = reference.ready && createProblem(input);
  if (wrong) return none(wrong);
  const content = kind.owned?.(spec, reference);
  if (content === undefined) throw new Error(`cannot make ${reference.kind} for a ${kind.definition.kind}`);
  const { kind: what, name } = reference;
  return {
    action: 'provide',
    object: ownedObject(facts.resource, reference, content),
    outcome: waiting('kubernetes', reference.ready ? 'WaitingForCluster' : 'DependencyNotReady', message),
    event: { type: 'Normal', reason: 'OwnedCreated', action: 'Create', note: `created ${what} ${name} for it` },
  };
}

const isMissing = (one: Resolution): one is Extract<Resolution, { readonly state: 'awaited' }> =>
  one.state === 'awaited' && one.isMissing === true;

export const standingCluster = ({ resolutions }: PlanInput): RawResource | undefined =>
  standingOwned(resolutions, 'Cluster');

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
