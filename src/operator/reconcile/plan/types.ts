// The next step of a pass, as a value.
import type { RawResource } from '../../api/definition.ts';
import type { ChangeWords } from '../kind.ts';
import type { Claim, Ledger } from '../ledger/ledger.ts';
import type { Outcome, PassEvent, Report } from '../outcome.ts';
import type { NewObject } from '../ports.ts';

/** The reason of Ready while a change is carried out: for the user, or against somebody else. */
export type ChangeReason = ChangeWords['reason'] | 'CorrectingDrift';

/** `earlyStatus`: what status says of a new generation before the step is taken. */
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
      /** The change that the service is at work on, and goes on with when this one surely does not happen. */
      readonly replaced?: Ledger['change'];
      /** The same request was sent before and may still take effect whatever becomes of this one. */
      readonly repeats: boolean;
      readonly change: unknown;
      /** In words, for a failure: `scale Cluster etl (worker from 3 to 5)`. */
      readonly doing: string;
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
    }
  /** The recorded object is in no list any more, and another one is wanted: `ledger` forgets it once a GET confirms that it is gone. */
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
      /** Why it is deleted: precedes what status says when the service does not do it. */
      readonly why: string;
      readonly report: Report;
    }
  /** `later`: what goes once these are gone. */
  | {
      readonly action: 'delete';
      readonly claims: readonly Claim[];
      readonly later: readonly Claim[];
      readonly earlyStatus: Outcome;
    }
  /** The finalizer goes; nothing is left to do for the resource. */
  | { readonly action: 'release'; readonly event: PassEvent }
  /** Creates an object that the resource owns. */
  | { readonly action: 'provide'; readonly object: NewObject; readonly outcome: Outcome; readonly event: PassEvent }
  /** Deletes an object that the resource owns. */
  | { readonly action: 'discard'; readonly owned: RawResource; readonly outcome: Outcome; readonly event: PassEvent }
  /** Deletes the resource itself. What it stands for goes as after every deletion. */
  | { readonly action: 'expire'; readonly outcome: Outcome };
