// Builds the whole status from the outcome of a pass. PURE.
import type { Reason } from '../../api/shared-api.ts';
import { currentClaim, type Ledger, serialiseLedger } from '../ledger/ledger.ts';
import { isUnwanted, type PassResult } from '../plan-input.ts';
import { conditionOf } from '../resource/read-conditions.ts';
import { resolutionOf } from '../resource/references.ts';
import { conditionsOf, type Standing, transitionTime } from './conditions.ts';
import { expiryOf, lifecycleFields } from './lifecycle-fields.ts';
import { outdatedMessage, revisionFields } from './revisions.ts';
import { runFields } from './run-fields.ts';
import { isRecreateHandled, standingOf } from './standing.ts';
import { truncated } from './truncate.ts';

/** Undefined if the status does not change. */
export function nextStatus(result: PassResult): Readonly<Record<string, unknown>> | undefined {
  const { facts, kind, ledger, now } = result;
  const standing = standingOf(result);
  if (!standing) return undefined;
  const current = currentClaim(ledger);
  // What it may not take is not shown as its own, for other resources to use.
  const claim = current && facts.alleged.includes(current) ? undefined : current;
  const drift = driftOf(result, standing);
  const at = {
    generation: facts.generation,
    now: transitionTime(now.wall),
    drifted: drift?.message,
    paused: facts.isSuspended && !facts.deleting ? paused : undefined,
    outdated: outdatedMessage(result),
    expiry: expiryOf(result, standing),
    // Whatever happens to it afterwards.
    ended: result.outcome.result === 'ended' ? result.outcome : facts.ended,
  };
  const blockedOn = 'blockedOn' in result.outcome ? result.outcome.blockedOn : undefined;
  const status = {
    ...observed(result),
    ...(claim && kind.identity !== 'given' ? { externalName: claim.name } : {}),
    ...(claim?.id === undefined ? {} : { id: claim.id }),
    ...revisionFields(result),
    ...runFields(result),
    ...lifecycleFields(result, standing),
    ...(blockedOn && blockedOn.length > 0 ? { blockedOn } : {}),
    ...('plan' in result.outcome && result.outcome.plan ? { plan: result.outcome.plan } : {}),
    ...(drift?.entries === undefined ? {} : { drift: drift.entries }),
    ...(facts.requestedAt === undefined ? {} : { lastHandledReconcileAt: facts.requestedAt }),
    ...(isRecreateHandled(result) ? { lastHandledRecreate: facts.recreate } : {}),
    observedGeneration: facts.generation,
    conditions: conditionsOf(standing, facts.conditions, at),
  };
  // Half a ledger would be none.
  return { ...truncated(kind.definition.status, status), ...(ledger ? copyOf(result, ledger) : {}) };
}

const paused = 'spec.suspend is true: the operator writes nothing to the service for this object until it is false';

/** What the service reports. The end of a run is final: its row may go, or lose the cluster that it ran on. */
function observed(result: PassResult): Readonly<Record<string, unknown>> {
  const { facts, kind, ledger, remote } = result;
  if (facts.ended) return kept(facts.resource.status);
  const spec = facts.spec.ok ? facts.spec.value : undefined;
  return remote && ledger ? kind.report(remote, spec, ledger, facts.key.name) : unseen(result);
}

interface ToldDrift {
  readonly message: string;
  readonly entries: unknown;
}

const reportsDrift: readonly Reason[] = ['CorrectingDrift', 'DriftNotFixable', 'AdoptionMismatch'];

/** Reported when found and until it is put right, whatever is in the way. After an edit of the spec the difference is the user's. */
function driftOf(result: PassResult, standing: Standing): ToldDrift | undefined {
  const { outcome, facts } = result;
  if (facts.deleting || standing.state === 'unobserved') return undefined;
  if (outcome.result === 'held') return outcome.drift && { message: standing.message, entries: outcome.drift };
  if (!('reason' in standing) || standing.state === 'ready') return undefined;
  const entries = (facts.resource.status as { drift?: unknown } | undefined)?.drift;
  if (reportsDrift.includes(standing.reason)) {
    const found = 'drift' in outcome ? outcome.drift : undefined;
    return { message: standing.message, entries: found ?? entries };
  }
  const reported = conditionOf(facts, 'Drifted');
  const stands = reported?.status === 'True' && facts.observedGeneration === facts.generation && !isGone(result);
  return stands ? { message: reported.message, entries } : undefined;
}

/** What is known without the object: what was observed last, or what spec and template ask for. */
function unseen(result: PassResult): Readonly<Record<string, unknown>> {
  return { ...expected(result), ...(isGone(result) ? {} : kept(result.facts.resource.status)) };
}

function expected({ kind, facts, resolutions }: PassResult): Readonly<Record<string, unknown>> {
  if (!facts.spec.ok) return {};
  const { value } = facts.spec;
  if (kind.identity === 'once') return kind.expected(value, facts.key.name);
  if (kind.identity !== 'named') return {};
  const reference = kind.template(value);
  const template = reference && resolutionOf(resolutions, reference);
  return kind.expected(value, template?.state === 'resolved' ? template.resource : undefined);
}

/** An object that is missing, or was never made, has none of the former one's fields; nor has one that is deleted to be replaced. */
function isGone({ kind, facts, ledger, remote, outcome }: PassResult): boolean {
  if (remote) return false;
  if (outcome.result === 'waiting' && isUnwanted(kind, facts, currentClaim(ledger))) return true;
  const missing =
    'reason' in outcome && (outcome.reason === 'ExternalDeleted' || outcome.reason === 'ExternalRejected');
  return missing || (ledger !== undefined && currentClaim(ledger)?.id === undefined);
}

/** A mirror that the schema of status refuses would cost the whole status: the annotation counts anyway. */
const mirrorLimit = 16_000;

/**
 * The copy of the ledger. A ledger that the operator does not recognize as its own is not confirmed: the copy stays as it was, so that
 * whoever can write an annotation cannot have it confirmed by the operator.
 */
function copyOf({ facts, outcome }: PassResult, ledger: Ledger): { readonly ledger?: string } {
  // What is only observed is recorded nowhere.
  if (facts.ledger.state === 'none') return {};
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
    plan: _plan,
    revision: _revision,
    revisions: _revisions,
    state: _state,
    attempts: _attempts,
    firstReadyAt: _firstReady,
    lastUsedAt: _lastUsed,
    loadReported: _loadReported,
    observedGeneration: _generation,
    lastHandledReconcileAt: _handled,
    lastHandledRecreate: _recreated,
    ...rest
  } = (status ?? {}) as Record<string, unknown>;
  return rest;
}
