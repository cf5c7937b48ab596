// From everything observed to the next step, as a value. No clock, no I/O.
//
//  deleting?  ledger        service   object in the service          plan
//  yes        any           any       any                            plan-delete.ts
//  any        moved         any       any                            preconditions.ts: a copy, or restored
//  any        announced     any       any                            close what this process announced and did not send
//  no         taken off     any       any                            put finalizer and annotation back
//  no         unconfirmed   any       any                            refuse OwnershipUnconfirmed
//  no         expired       any       any                            plan-expiry.ts: delete what is left, and keep the resource
//  no         any           usable    any, it is due to expire       plan-expiry.ts: delete the resource, or the object alone, if its Connection allows it as below
//  no         any           any       spec unreadable or edited      refuse InvalidSpec
//  no         any           none      any                            wait for the Connection
//  no         pins differ   usable    any                            refuse ConnectionChanged
//  no         with id       usable    claimed by an older resource   refuse DuplicateClaim
//  no         no id         usable    any, a deadline has passed     plan-expiry.ts: create nothing
//  no         no id         usable    one that the spec adopts       plan-adoption.ts: record it as it is, or say what differs
//  no         with id       usable    of another content             content.ts: create, switch, collect
//  no         with id       usable    there, and unwanted            existing.ts: delete it, then create another
//  no         with id       usable    there                          existing.ts: settle, wait, scale, report
//  no         with id       usable    not in the list                observe again a poll later, then forget it or report
//  no         no id         usable    what a refused create left     delete it, try again later
//  no         no id         usable    one with our name              adopt: record its id
//  no         no id         usable    none                           wait for references, then create
//  no         no id         usable    any, the name is fixed         fixed-name.ts: prove it ours, or leave it alone
//  no         of a run      usable    any                            run-start.ts: start it once, or say how it ended
//  no         of a run      any       it ended before                nothing
import type { Ledger } from '../ledger/ledger.ts';
import { claimOf, type PlanInput } from '../plan-input.ts';
import { planNewRevision } from './content.ts';
import { planExisting } from './existing.ts';
import { planFixedName } from './fixed-name.ts';
import { none, type Plan, planUnsent, putBack } from './next-step.ts';
import { planAdoption } from './plan-adoption.ts';
import { planCreate } from './plan-create.ts';
import { planDelete } from './plan-delete.ts';
import { planDue, planExpired, planLate } from './plan-expiry.ts';
import { underPolicy } from './policy.ts';
import { connectionPrecondition, ledgerPrecondition, planForeignLedger, specPrecondition } from './preconditions.ts';
import { planEnded } from './runs/run-end.ts';
import { planUnknownRun } from './runs/run-start.ts';

/** The next step, as far as the policy of the resource lets it be taken. */
export function plan(input: PlanInput): Plan {
  return underPolicy(input, wantedPlan(input));
}

function wantedPlan(input: PlanInput): Plan {
  const { facts } = input;
  if (facts.ledger.state === 'moved' && (facts.hasFinalizer || !facts.deleting))
    return planForeignLedger(input, facts.ledger);
  const unsent = planUnsent(input);
  if (unsent) return unsent;
  if (facts.deleting) return planDelete(input);
  if (isUnmarked(input)) return putBack(input.ledger);
  if (facts.ended && input.kind.identity === 'once') return planEnded(input, facts.ended);
  const doubt = ledgerPrecondition(input);
  if (doubt) return none(doubt);
  const wrong = specPrecondition(input);
  const obstacle = connectionPrecondition(input);
  // A deletion does not depend on a spec that can be carried out.
  const going = planExpired(input, wrong) ?? (obstacle ? undefined : planDue(input));
  if (going) return going;
  const unusable = wrong ?? obstacle;
  if (unusable) return none(unusable);
  const late = planLate(input);
  if (late) return late;
  return planAdoption(input) ?? planRecorded(input);
}

function planRecorded(input: PlanInput): Plan {
  return claimOf(input)?.id === undefined ? planAbsent(input) : planExisting(input);
}

/** Without the finalizer a deletion would be missed; without the annotation only its copy in the status is left. */
function isUnmarked(input: PlanInput): input is PlanInput & { readonly ledger: Ledger } {
  const { facts, ledger } = input;
  return ledger !== undefined && ledger.claims.length > 0 && !facts.hasFinalizerAndLedger;
}

/** No id is recorded. */
export function planAbsent(input: PlanInput): Plan {
  if (input.kind.identity === 'once') return planUnknownRun(input);
  if (input.kind.identity === 'content') return planNewRevision(input);
  const name = input.facts.fixedName;
  return name === undefined ? planCreate(input) : planFixedName(input, name);
}
