// Decides what the conditions report from the outcome of a pass: ready, progressing, retrying, stalled or unobserved. PURE.
import { type Reason, recreateAnnotation } from '../../api/shared-api.ts';
import { currentClaim } from '../ledger/ledger.ts';
import { isOfContent, needsUser, type Outcome, shortText } from '../outcome.ts';
import type { PassResult } from '../plan-input.ts';
import { isReady, type ResourceFacts, wasObserved } from '../resource/facts.ts';
import { conditionOf } from '../resource/read-conditions.ts';
import type { Standing } from './conditions.ts';

/** A Ready object stays Ready until this many observations failed and this much time has passed (status.md rule 9). */
export const missedPollsLimit = 3;
export const missedPollsMs = 5 * 60_000;

/** Undefined if the conditions do not change. */
export function standingOf(result: PassResult): Standing | undefined {
  const { outcome, facts } = result;
  switch (outcome.result) {
    case 'unpermitted':
    case 'conflict':
    case 'requeue':
    case 'released':
      return undefined;
    case 'settled':
      return { state: 'ready', message: `the service has what the spec asks for${ignoredRecreate(result)}` };
    case 'held':
      return heldStanding(facts, outcome);
    case 'expired':
      return { state: 'expired', message: outcome.message };
    case 'ended':
      return outcome.reason === 'Succeeded'
        ? { state: 'ready', reason: 'Succeeded', message: outcome.message }
        : { state: 'stalled', reason: outcome.reason, message: outcome.message };
    case 'refused':
      return { state: 'stalled', reason: outcome.reason, message: outcome.message };
    case 'progressed':
      return { state: 'progressing', reason: facts.deleting ? 'Deleting' : outcome.reason, message: outcome.message };
    case 'waiting':
    case 'failed':
      return unsettled(result, outcome);
  }
}

/** What was as wanted when it was suspended stays Ready, unless the user wants something else now. */
function heldStanding(
  facts: ResourceFacts,
  { message, plan, isReady: isUsable }: Extract<Outcome, { result: 'held' }>,
): Standing {
  if (plan && !isUsable) return { state: 'planned', message };
  if (!isUsable && (!isReady(facts) || facts.isRecounted)) return { state: 'suspended', message };
  return { state: 'ready', message, synced: 'the service was compared with the spec' };
}

/** The annotation names the current object, or one that was replaced as it asked: then it stays where it is, and asks for nothing. */
export function isRecreateHandled({ kind, facts: { recreate, resource }, ledger }: PassResult): boolean {
  if (kind.identity !== 'named' || recreate === undefined) return false;
  const { lastHandledRecreate: handled } = (resource.status ?? {}) as { readonly lastHandledRecreate?: unknown };
  return [currentClaim(ledger)?.id, ledger?.renewedFrom, handled].includes(recreate);
}

/** The annotation names an object that this resource does not have, probably by a typing error. */
function ignoredRecreate(result: PassResult): string {
  const { kind, facts, ledger } = result;
  const { recreate } = facts;
  const id = currentClaim(ledger)?.id;
  if (kind.identity !== 'named' || recreate === undefined || id === undefined || isRecreateHandled(result)) return '';
  return `. The annotation ${recreateAnnotation} is ignored, because its value is ${shortText(recreate)} and not ${id}`;
}

type Unsettled = Extract<Outcome, { result: 'waiting' | 'failed' }>;

function unsettled(result: PassResult, outcome: Unsettled): Standing | undefined {
  const { facts } = result;
  const unseen = outcome.result === 'failed' && outcome.observing;
  if (unseen && !facts.deleting && wasObserved(facts)) return unobserved(result, outcome);
  const isUntimed = outcome.result === 'waiting' && outcome.untimed === true;
  if (!isUntimed && pastDeadline(result)) return overdue(facts, outcome);
  const reason = facts.deleting && outcome.result === 'waiting' ? deletingReason(outcome.reason) : outcome.reason;
  return { state: stateOf(result, outcome), reason, message: outcome.message };
}

/**
 * What only a user can correct is stalled, and still retried. One refusal can come from something that does not exist yet, so the second one counts,
 * unless the service refuses the request for what is in it.
 */
function stateOf({ kind, facts }: PassResult, outcome: Unsettled): 'progressing' | 'retrying' | 'stalled' {
  if (outcome.result === 'waiting') return 'progressing';
  if (kind.identity === 'content' && isOfContent(outcome)) return 'stalled';
  const current = (type: string) => {
    const condition = conditionOf(facts, type);
    return condition?.observedGeneration === facts.generation ? condition : undefined;
  };
  if (current('Stalled')?.reason === outcome.reason) return 'stalled';
  const isRepeated = current('Ready')?.status === 'False' && current('Ready')?.reason === outcome.reason;
  return isRepeated && needsUser(outcome) ? 'stalled' : 'retrying';
}

function deletingReason(reason: Reason): Reason {
  return reason === 'CredentialsMissing' || reason === 'DependencyNotReady' ? reason : 'Deleting';
}

/** A short failure of the service does not change Ready. If a user requested the observation, a missing object is reported at once. */
function unobserved({ facts, memory, now }: PassResult, outcome: Unsettled): Standing | undefined {
  const missed = memory.missedPolls;
  const isMissing = outcome.reason === 'ObservationFailed';
  const grace = !missed || missed.count < missedPollsLimit || now.monotonic - missed.since < missedPollsMs;
  if (grace && isReady(facts) && (facts.isRequestHandled || !isMissing)) return undefined;
  const message = isMissing ? outcome.message : `the service could not be observed for a while: ${outcome.message}`;
  return { state: 'unobserved', message };
}

function overdue(facts: ResourceFacts, outcome: Unsettled): Standing {
  if (facts.deleting) {
    const held = outcome.reason === 'CredentialsMissing' || outcome.reason === 'DependencyNotReady';
    return { state: 'stalled', reason: held ? outcome.reason : 'ExternalDeleteFailing', message: outcome.message };
  }
  const seconds = facts.progressDeadlineMs / 1000;
  const message = `not ready within ${seconds} s (spec.progressDeadlineSeconds); the operator keeps retrying. Last problem: ${outcome.message}`;
  return { state: 'stalled', reason: 'ProgressDeadlineExceeded', message, obstacle: outcome.reason };
}

export function pastDeadline(result: PassResult): boolean {
  return msToDeadline(result) <= 0;
}

/** Counted from the loss of Ready, the start of the deletion, or the first time that this process saw the generation, whichever is last. */
export function msToDeadline({ facts, memory, now }: PassResult): number {
  const ready = conditionOf(facts, 'Ready');
  // Ready is lost only now.
  if (ready?.status === 'True') return facts.progressDeadlineMs;
  const lost = Date.parse(ready?.lastTransitionTime ?? '') || facts.createdAt;
  const deleted = Date.parse(facts.resource.metadata.deletionTimestamp ?? '') || 0;
  const seen = memory.generationSeen;
  // A new object may have waited for the operator, and its creation time is of another clock. Once it has a condition, a restart does not extend the deadline.
  const counts = seen?.generation === facts.generation && (facts.generation > 1 || !ready);
  const begun = seen && counts ? now.wall - (now.monotonic - seen.at) : 0;
  return Math.max(lost, deleted, begun) + facts.progressDeadlineMs - now.wall;
}
