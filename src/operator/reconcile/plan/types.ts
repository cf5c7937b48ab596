// The next step of a pass, as a value.

import type { ChangeWords, Drift, RemoteObject } from '../kind.ts';
import type { Claim, Ledger } from '../ledger/ledger.ts';
import type { Outcome } from '../outcome.ts';

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
