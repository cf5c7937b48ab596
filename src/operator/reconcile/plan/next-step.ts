// The next step of a pass, as a value; and the steps of one write, of the ledger or a DELETE: what is written, and what status and event
// report then.
import type { RawResource } from '../../api/definition.ts';
import { recreateAnnotation } from '../../api/shared-api.ts';
import { isUnsentIntent } from '../key-memory.ts';
import type { ChangeWords, Drift, NextRequest } from '../kind/kind.ts';
import { closeAttempt, closeChange, recordFoundId, withClaim } from '../ledger/edits.ts';
import type { Claim, Ledger } from '../ledger/ledger.ts';
import { makeCurrent } from '../ledger/revision-history.ts';
import { type Outcome, type PassEvent, type Report, waiting } from '../outcome.ts';
import { claimText } from '../ownership/ownership.ts';
import type { NewObject } from '../pass-ports.ts';
import type { PlanInput } from '../plan-input.ts';
import { deleteRequested, deletionAwaited } from '../status/messages.ts';

/** The reason of Ready while a change is carried out: one that the user requested, or the correction of drift. */
export type ChangeReason = ChangeWords['reason'] | 'CorrectingDrift';

/** `earlyStatus`: the status of a new generation before the step is taken. */
export type Plan =
  /** Ends the pass. */
  | { readonly action: 'none'; readonly outcome: Outcome }
  /** `ledger`: what the intent writes, except for the attempt. */
  | {
      readonly action: 'create';
      readonly claim: Claim;
      readonly ledger: Ledger;
      readonly body: unknown;
      readonly earlyStatus: Outcome;
    }
  | {
      readonly action: 'update';
      readonly claim: Claim;
      readonly id: string;
      readonly ledger: Ledger;
      /** What the groups were made from before: kept when the change surely does not happen. */
      readonly madeFrom: Ledger['madeFrom'];
      /** The change that the service is carrying out, and continues if this one surely does not happen. */
      readonly replaced?: Ledger['change'];
      /** The same request was sent before and may still take effect whatever becomes of this one. */
      readonly repeats: boolean;
      readonly change: unknown;
      /** What differs, and is put right. */
      readonly differs: readonly Drift[];
      /** What this request changes, where it is not all of that. */
      readonly next?: Pick<NextRequest, 'changes' | 'removes'> | undefined;
      /** In words, for a failure: `scale Cluster etl (worker from 3 to 5)`. */
      readonly doing: string;
      /** The same with the requests that follow this one, where it takes several. */
      readonly whole?: { readonly doing: string; readonly removes: boolean };
      readonly earlyStatus: Outcome;
      readonly report: Report;
    }
  /** Writes `ledger`, asks nothing of the service, and ends the pass with `report`. */
  | {
      readonly action: 'write-ledger';
      readonly write: 'own' | 'record' | 'close';
      readonly ledger: Ledger;
      readonly report: Report;
      /** The generation that `report` is true of, where an edit of the spec makes it void. */
      readonly generation?: number;
      /** Not once anything uses the object. */
      readonly onlyIdle?: boolean;
    }
  /** The recorded object is in no list any more, and another one is wanted. `ledger` no longer has its id, and is written once a GET confirms that it is gone. */
  | { readonly action: 'forget'; readonly claim: Claim; readonly id: string; readonly ledger: Ledger }
  /**
   * Deletes former objects that nothing refers to. `generation`: of the spec that the current one was compared with. `switched`: one
   * of them is wanted again; this is the plan where it cannot be deleted.
   */
  | {
      readonly action: 'collect';
      readonly claims: readonly Claim[];
      readonly generation: number;
      readonly switched?: Extract<Plan, { action: 'write-ledger' }>;
      readonly earlyStatus?: Outcome;
    }
  /** One object that has no place any more while the resource stays. */
  | {
      readonly action: 'delete-object';
      readonly claim: Claim;
      readonly id: string;
      /** `Cluster etl`. */
      readonly subject: string;
      /** Why it is deleted: the prefix of the message if the service does not delete it. */
      readonly why: string;
      readonly report: Report;
    }
  /** `later`: what is deleted once these are gone. */
  | {
      readonly action: 'delete';
      readonly claims: readonly Claim[];
      readonly later: readonly Claim[];
      /** The resource stays: what is gone leaves the ledger. */
      readonly keeps?: true;
      readonly earlyStatus: Outcome;
    }
  /** Removes the finalizer; nothing is left to do for the resource. */
  | { readonly action: 'release'; readonly event: PassEvent }
  /** Creates an object that the resource owns. */
  | { readonly action: 'provide'; readonly object: NewObject; readonly outcome: Outcome; readonly event: PassEvent }
  /** Deletes an object that the resource owns. */
  | { readonly action: 'discard'; readonly owned: RawResource; readonly outcome: Outcome; readonly event: PassEvent }
  /** Deletes the resource itself. Its objects are then deleted as after every deletion. */
  | {
      readonly action: 'expire';
      readonly outcome: Outcome;
      readonly event?: PassEvent;
      /** Not once anything uses its object. */
      readonly onlyIdle?: boolean;
    };

type WriteLedger = Extract<Plan, { action: 'write-ledger' }>;
type DeleteObject = Extract<Plan, { action: 'delete-object' }>;

export function none(outcome: Outcome): Plan {
  return { action: 'none', outcome };
}

/** An intent of this process that reached the API server, although its answer or what followed it failed: nothing was sent. */
export function planUnsent({ ledger, facts, memory, process }: PlanInput): WriteLedger | undefined {
  const claim = ledger?.claims.find((one) => isUnsentIntent(memory, one, process));
  if (!ledger || !claim || !facts.hasFinalizerAndLedger) return undefined;
  return {
    action: 'write-ledger',
    write: 'close',
    ledger: closeAttempt(ledger, claim.name),
    report: { outcome: { result: 'requeue' } },
  };
}

interface Adoption {
  readonly claim: Claim;
  /** As it is, or as it is intended to be. */
  readonly ledger: Ledger;
  readonly id: string;
}

/** The object has a name that only this resource can have given, or the id that its spec gives. */
export function adopt({ kind }: PlanInput, { claim, ledger, id }: Adoption): WriteLedger {
  const message = `${claimText(kind, claim)} was found in the service`;
  return {
    action: 'write-ledger',
    write: 'record',
    ledger: makeCurrent(recordFoundId(withClaim(ledger, claim), claim.name, id), claim.name),
    report: {
      outcome: { result: 'progressed', reason: 'Provisioning', message },
      event: { type: 'Normal', reason: 'Adopted', action: 'Observe', note: `${message} (${id})` },
    },
  };
}

/** A former object has the content that is wanted again. */
export function switchTo({ kind }: PlanInput, claim: Claim, ledger: Ledger): WriteLedger {
  const message = `${claimText(kind, claim)} is used again`;
  return {
    action: 'write-ledger',
    write: 'record',
    ledger: makeCurrent(ledger, claim.name),
    report: {
      outcome: { result: 'progressed', reason: 'Provisioning', message },
      event: { type: 'Normal', reason: 'Replaced', action: 'Update', note: message },
    },
  };
}

/** The ledger of another object becomes the ledger of this one. The next pass observes the service. */
export function takeOver(ledger: Ledger): WriteLedger {
  const named = ledger.claims.map(
    ({ collection, name, id }) => `${collection} ${name}${id === undefined ? '' : ` (${id})`}`,
  );
  const note = `took over what the ledger names: ${named.join(', ') || 'nothing yet'}`;
  return {
    action: 'write-ledger',
    write: 'own',
    ledger,
    report: { outcome: { result: 'requeue' }, event: { type: 'Normal', reason: 'Adopted', action: 'Observe', note } },
  };
}

/** Another client removed the finalizer or the annotation: both are restored. The next pass observes the service. */
export function putBack(ledger: Ledger): WriteLedger {
  return { action: 'write-ledger', write: 'close', ledger, report: { outcome: { result: 'requeue' } } };
}

/** The change is done, as far as the spec of this generation was compared with the object. */
export function changeDone(ledger: Ledger, generation: number): WriteLedger {
  const report = { outcome: { result: 'settled' } } as const;
  return { action: 'write-ledger', write: 'close', ledger: closeChange(ledger), report, generation };
}

/** What belongs to others leaves the ledger, and nothing is deleted for it. */
export function disclaim(ledger: Ledger, note: string): WriteLedger {
  return {
    action: 'write-ledger',
    write: 'close',
    ledger,
    report: {
      outcome: { result: 'progressed', reason: 'Deleting', message: note },
      event: { type: 'Warning', reason: 'Released', action: 'Delete', note },
    },
  };
}

/** `note`: what was left in the service, or why nothing was. */
export function release(reason: 'Deleted' | 'Orphaned' | 'Released', note: string): Plan {
  const type = reason === 'Deleted' ? 'Normal' : 'Warning';
  return { action: 'release', event: { type, reason, action: 'Delete', note } };
}

/** A late answer left a second object of one content name. */
export function deleteDuplicate({ kind }: PlanInput, claim: Claim, id: string): DeleteObject {
  const what = `a second ${claimText(kind, claim)} that a late answer had left`;
  const message = `deleted ${id}, ${what}`;
  return {
    action: 'delete-object',
    claim,
    id,
    subject: `${id}, ${what}`,
    why: 'a second object of the same content is deleted',
    report: { outcome: { result: 'progressed', reason: 'Provisioning', message }, event: deleted(message) },
  };
}

/** What a refused create left in the service holds the name. */
export function deleteFailedCreate({ kind }: PlanInput, claim: Claim, id: string): DeleteObject {
  const created = claimText(kind, claim);
  const message = `the service refused to create ${created}, and what that left was deleted; it is retried`;
  return {
    action: 'delete-object',
    claim,
    id,
    subject: `${id}, which a refused create of ${created} left`,
    why: 'what a refused create left is deleted before the next try',
    report: {
      // As a failure, so that refusal and removal do not chase each other: the next try comes later each time.
      outcome: { result: 'failed', reason: 'ExternalRejected', message, cause: undefined },
      event: deleted(`deleted ${id}, which a create of ${created} left in the service although it was refused`),
    },
  };
}

export function replacing(text: string): Outcome {
  return waiting('service', 'Provisioning', `${replacingWhy}: ${text}`);
}

const replacingWhy = `replacing the object, as requested by the annotation ${recreateAnnotation}`;

/** The user asks for another object in place of this one. */
export function deleteToReplace({ kind }: PlanInput, claim: Claim, id: string): DeleteObject {
  const subject = claimText(kind, claim);
  const event = { type: 'Normal', reason: 'Deleting', action: 'Delete', note: deleteRequested(subject) } as const;
  const report = { outcome: replacing(deletionAwaited), event };
  return { action: 'delete-object', claim, id, subject, why: replacingWhy, report };
}

function deleted(note: string): PassEvent {
  return { type: 'Normal', reason: 'Deleted', action: 'Delete', note };
}
