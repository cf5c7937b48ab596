// From the outcome of a pass to the whole status. PURE.

import type { Reason } from '../../api/common.ts';
import { currentClaim, type Ledger, serialiseLedger } from '../ledger/ledger.ts';
import type { Outcome } from '../outcome.ts';
import { conditionOf, isReady, type ResourceFacts, wasObserved } from '../resource/facts.ts';
import { conditionsOf, type Standing, transitionTime } from './conditions.ts';
import { outdatedMessage, revisionFields } from './revisions.ts';
import { truncated } from './truncate.ts';
import type { PassResult } from './types.ts';

/** An observation of a Ready object may fail this often, and for this long, before its conditions say so (status.md rule 9). */
export const missedPollsLimit = 3;
export const missedPollsMs = 5 * 60_000;

/** What the conditions are to say; undefined: they stay as they are. */
export function standingOf(result: PassResult): Standing | undefined {
  const { outcome, facts } = result;
  switch (outcome.result) {
    case 'unpermitted':
    case 'conflict':
    case 'requeue':
    case 'released':
      return undefined;
    case 'settled':
      return { state: 'ready', message: 'the service has what the spec asks for' };
    case 'refused':
      return { state: 'stalled', reason: outcome.reason, message: outcome.message };
    case 'progressed':
      return { state: 'progressing', reason: facts.deleting ? 'Deleting' : outcome.reason, message: outcome.message };
    case 'waiting':
    case 'failed':
      return unsettled(result, outcome);
  }
}

type Unsettled = Extract<Outcome, { result: 'waiting' | 'failed' }>;

function unsettled(result: PassResult, outcome: Unsettled): Standing | undefined {
  const { facts } = result;
  const unseen = outcome.result === 'failed' && outcome.observing;
  if (unseen && !facts.deleting && wasObserved(facts)) return unobserved(result, outcome);
  if (pastDeadline(result)) return overdue(facts, outcome);
  const reason = facts.deleting && outcome.result === 'waiting' ? deletingReason(outcome.reason) : outcome.reason;
  return { state: outcome.result === 'failed' ? 'retrying' : 'progressing', reason, message: outcome.message };
}

function deletingReason(reason: Reason): Reason {
  return reason === 'CredentialsMissing' || reason === 'DependencyNotReady' ? reason : 'Deleting';
}

/** A short failure of the service must not flap what was Ready. Whoever requested a poll that shows the object missing is told at once. */
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
  const message = `not ready within ${seconds} s (spec.progressDeadlineSeconds); still trying, slowly. The last obstacle: ${outcome.message}`;
  return { state: 'stalled', reason: 'ProgressDeadlineExceeded', message, obstacle: outcome.reason };
}

export function pastDeadline(result: PassResult): boolean {
  return msToDeadline(result) <= 0;
}

/** Counted from when Ready was lost, the deletion began or this process first saw the generation, whichever is last. */
export function msToDeadline({ facts, memory, now }: PassResult): number {
  const ready = conditionOf(facts, 'Ready');
  // What was Ready until now is being lost only now.
  if (ready?.status === 'True') return facts.progressDeadlineMs;
  const lost = Date.parse(ready?.lastTransitionTime ?? '') || facts.createdAt;
  const deleted = Date.parse(facts.resource.metadata.deletionTimestamp ?? '') || 0;
  const seen = memory.generationSeen;
  // A new object may have waited for the operator, and its creation time is of another clock. Once it has a condition, a restart does not begin the count again.
  const counts = seen?.generation === facts.generation && (facts.generation > 1 || !ready);
  const begun = seen && counts ? now.wall - (now.monotonic - seen.at) : 0;
  return Math.max(lost, deleted, begun) + facts.progressDeadlineMs - now.wall;
}

/** The whole status to write; undefined: nothing changed. */
export function nextStatus(result: PassResult): Readonly<Record<string, unknown>> | undefined {
  const { facts, kind, ledger, remote, now } = result;
  const standing = standingOf(result);
  if (!standing) return undefined;
  const claim = currentClaim(ledger);
  const spec = facts.spec.ok ? facts.spec.value : undefined;
  const drift = driftOf(result, standing);
  const at = {
    generation: facts.generation,
    now: transitionTime(now.wall),
    drifted: drift?.message,
    outdated: outdatedMessage(result),
  };
  const blockedOn = 'blockedOn' in result.outcome ? result.outcome.blockedOn : undefined;
  const status = {
    ...(remote && ledger ? kind.report(remote, spec, ledger) : isGone(result) ? {} : kept(facts.resource.status)),
    ...(claim && kind.identity !== 'given' ? { externalName: claim.name } : {}),
    ...(claim?.id === undefined ? {} : { id: claim.id }),
    ...revisionFields(result),
    ...(blockedOn && blockedOn.length > 0 ? { blockedOn } : {}),
    ...(drift?.entries === undefined ? {} : { drift: drift.entries }),
    ...(facts.requestedAt === undefined ? {} : { lastHandledReconcileAt: facts.requestedAt }),
    observedGeneration: facts.generation,
    conditions: conditionsOf(standing, facts.conditions, at),
  };
  // Half a ledger would be none.
  return { ...truncated(kind.definition.status, status), ...(ledger ? copyOf(result, ledger) : {}) };
}

interface ToldDrift {
  readonly message: string;
  readonly entries: unknown;
}

/** Reported when found and until it is put right, whatever is in the way. After an edit of the spec the difference is the user's. */
function driftOf(result: PassResult, standing: Standing): ToldDrift | undefined {
  const { outcome, facts } = result;
  if (standing.state === 'ready' || standing.state === 'unobserved' || facts.deleting) return undefined;
  const entries = (facts.resource.status as { drift?: unknown } | undefined)?.drift;
  if (standing.reason === 'CorrectingDrift' || standing.reason === 'DriftNotFixable') {
    const found = 'drift' in outcome ? outcome.drift : undefined;
    return { message: standing.message, entries: found ?? entries };
  }
  const reported = conditionOf(facts, 'Drifted');
  const stands = reported?.status === 'True' && facts.observedGeneration === facts.generation && !isGone(result);
  return stands ? { message: reported.message, entries } : undefined;
}

/** An object that is missing, or was never made, has none of the former one's fields. */
function isGone({ ledger, remote, outcome }: PassResult): boolean {
  if (remote) return false;
  const missing =
    'reason' in outcome && (outcome.reason === 'ExternalDeleted' || outcome.reason === 'ExternalRejected');
  return missing || (ledger !== undefined && currentClaim(ledger)?.id === undefined);
}

/** A mirror that the schema of status refuses would cost the whole status: the annotation counts anyway. */
const mirrorLimit = 16_000;

/**
 * The copy of the ledger. A ledger that the operator does not recognise as its own is not confirmed: the copy stays as it was, so that
 * whoever can write an annotation cannot have it confirmed by the operator.
 */
function copyOf({ facts, outcome }: PassResult, ledger: Ledger): { readonly ledger?: string } {
  const doubted =
    facts.foreign.length > 0 ||
    ('reason' in outcome && (outcome.reason === 'OwnershipUnconfirmed' || outcome.reason === 'DuplicateClaim'));
  if (!doubted) return mirrorOf(ledger);
  const { ledger: before } = (facts.resource.status ?? {}) as { readonly ledger?: unknown };
  return typeof before === 'string' && before.length <= mirrorLimit ? { ledger: before } : {};
}

function mirrorOf(ledger: Ledger): { readonly ledger?: string } {
  const text = serialiseLedger(ledger);
  return text.length > mirrorLimit ? {} : { ledger: text };
}

/** The last observation stays shown while the object cannot be observed; fields that are computed anew each time do not. */
function kept(status: unknown): Readonly<Record<string, unknown>> {
  const {
    conditions: _conditions,
    blockedOn: _blockedOn,
    id: _id,
    externalName: _name,
    ledger: _ledger,
    drift: _drift,
    revision: _revision,
    revisions: _revisions,
    lastHandledReconcileAt: _handled,
    ...rest
  } = (status ?? {}) as Record<string, unknown>;
  return rest;
}
