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
import type { ChangeWords, Drift, RemoteObject } from './kind.ts';
import type { Claim, Ledger } from './ledger.ts';
import { connectionObstacle, specObstacle } from './obstacles.ts';
import type { Outcome } from './outcome.ts';
import { planDelete } from './plan-delete.ts';
import { planAbsent } from './plan-fixed.ts';
import { planKnown } from './plan-known.ts';
import { planMoved } from './plan-moved.ts';
import { claimOf, type Situation } from './situation.ts';

/** Of Ready, while a change is carried out: for the user, or against somebody else. */
export type ChangeReason = ChangeWords['reason'] | 'CorrectingDrift';

export type Plan =
  /** `ledger` is what the intent writes, but for the attempt itself. */
  | { readonly action: 'create'; readonly claim: Claim; readonly ledger: Ledger; readonly body: unknown }
  /** The object was found by a name that only we can have given it. */
  | { readonly action: 'adopt'; readonly claim: Claim; readonly ledger: Ledger; readonly id: string }
  | {
      readonly action: 'update';
      readonly claim: Claim;
      readonly id: string;
      readonly ledger: Ledger;
      /** What the groups were made from before: it stays so when the change surely does not happen. */
      readonly madeFrom: Ledger['madeFrom'];
      /** The same request was sent before, and may still take effect whatever becomes of this one. */
      readonly repeats: boolean;
      readonly change: unknown;
      readonly to: ChangeWords['to'];
      readonly summary: string;
      /** What is being done, for status and event. */
      readonly message: string;
      readonly reason: ChangeReason;
      readonly drift?: readonly Drift[];
    }
  /** The change is done: take it off the ledger. `generation`: of the spec that the object was compared with. */
  | { readonly action: 'close-change'; readonly ledger: Ledger; readonly generation: number }
  /** What was written for another object is this one's from now on. */
  | { readonly action: 'own'; readonly ledger: Ledger }
  /** Somebody took the finalizer or the annotation off: put both back. */
  | { readonly action: 'mark'; readonly ledger: Ledger }
  /** What a refused create left in the service, and holds the name. */
  | { readonly action: 'clear'; readonly claim: Claim; readonly id: string }
  /** The recorded object is in no list any more, and another one is wanted: `ledger` forgets it, once a request for its id says so, too. */
  | { readonly action: 'forget'; readonly claim: Claim; readonly id: string; readonly ledger: Ledger }
  /** A former object has the content that is wanted again: `ledger` makes it the current one. */
  | { readonly action: 'switch'; readonly claim: Claim; readonly ledger: Ledger }
  /**
   * Former objects that nothing refers to. `generation`: of the spec that the current one was compared with. `switched`: the one
   * of them is wanted again; this ledger where it cannot go.
   */
  | {
      readonly action: 'collect';
      readonly claims: readonly Claim[];
      readonly generation: number;
      readonly switched?: Ledger;
    }
  /** An identical object of the same content name, which nothing refers to. */
  | { readonly action: 'delete-duplicate'; readonly claim: Claim; readonly id: string }
  /** What belongs to others leaves the ledger, and nothing is deleted for it. */
  | { readonly action: 'disclaim'; readonly ledger: Ledger; readonly note: string }
  /** `later`: what goes once these are gone. */
  | { readonly action: 'delete'; readonly claims: readonly Claim[]; readonly later: readonly Claim[] }
  /** The user asks for another one in its place. */
  | { readonly action: 'remove'; readonly claims: readonly Claim[]; readonly found: RemoteObject }
  /** `note` is for the event: what was left in the service, or why nothing was. */
  | { readonly action: 'release'; readonly reason: 'Deleted' | 'Orphaned' | 'Released'; readonly note: string }
  | { readonly action: 'none'; readonly outcome: Outcome };

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
