// From a situation to the next step, as a value. No clock, no I/O, no choice made twice.
//
//  deleting?  ledger        service   object in the service          plan
//  yes        any           any       any                            plan-delete.ts
//  any        moved         any       any                            plan-moved.ts: a copy, or restored
//  no         taken off     any       any                            mark: put finalizer and annotation back
//  no         unconfirmed   any       any                            refuse OwnershipUnconfirmed
//  no         any           any       spec unreadable or edited      refuse InvalidSpec
//  no         any           none      any                            wait for the Connection
//  no         pins differ   usable    any                            refuse ConnectionChanged
//  no         with id       usable    claimed by an older resource   refuse DuplicateClaim
//  no         with id       usable    of another content             plan-revision.ts: create, switch, collect
//  no         with id       usable    there, and unwanted            plan-known.ts: remove it, then create another
//  no         with id       usable    there                          plan-known.ts: settle, wait, scale, report
//  no         with id       usable    not in the list                look again a poll later, then forget it or report
//  no         no id         usable    what a refused create left     clear: delete it, try again later
//  no         no id         usable    one with our name              adopt: record its id
//  no         no id         usable    none                           wait for references, then create
//  no         no id         usable    any, the name is fixed         plan-fixed.ts: prove it ours, or leave it alone

import type { Ledger } from '../ledger/ledger.ts';
import { claimOf, type Situation } from '../plan-input.ts';
import { planDelete } from './delete.ts';
import { planKnown } from './existing.ts';
import { planAbsent } from './fixed-name.ts';
import { planMoved } from './foreign-ledger.ts';
import { connectionObstacle, specObstacle } from './preconditions.ts';
import type { Plan } from './types.ts';

export function plan(situation: Situation): Plan {
  const { facts } = situation;
  if (facts.ledger.state === 'moved' && (facts.held || !facts.deleting)) return planMoved(situation, facts.ledger);
  if (facts.deleting) return planDelete(situation);
  if (isUnmarked(situation)) return { action: 'mark', ledger: situation.ledger };
  const obstacle = specObstacle(situation) ?? connectionObstacle(situation);
  if (obstacle) return { action: 'none', outcome: obstacle };
  return claimOf(situation)?.id === undefined ? planAbsent(situation) : planKnown(situation);
}

/** Without the finalizer a deletion would pass us by; without the annotation only its copy in the status is left. */
function isUnmarked(situation: Situation): situation is Situation & { readonly ledger: Ledger } {
  const { facts, ledger } = situation;
  return ledger !== undefined && ledger.claims.length > 0 && !facts.marked;
}
