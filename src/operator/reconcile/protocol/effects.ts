// What the protocol asks a pass to do, and what came of it: plain values, so that any driver can carry them out.
import type { ServiceError } from '../../../wire/errors/service-error.ts';
import type { RawResource } from '../../api/definition.ts';
import type { RemoteObject } from '../kind/kind.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Outcome, PassEvent, RemoteUser, Report, User } from '../outcome.ts';
import type { NewObject } from '../pass-ports.ts';

/** Writes that record what happened are repeated when somebody else wrote in between; those that begin something are not. */
export type LedgerWrite = 'pin-and-intend' | 'intend-change' | 'own' | 'record' | 'close';

export type Effect =
  /** A LIST begun now. `unhurried`: if the throttle delays that LIST, the pass ends instead, and is requeued for the time when the LIST can be sent. */
  | { readonly effect: 'observe'; readonly unhurried?: true }
  /** A LIST of the object's collection and of every collection that may refer to it, begun now, unless a request is awaited. */
  | { readonly effect: 'list-referrers' }
  /** One GET by id begun now: half of the proof that an object is gone. */
  | { readonly effect: 'get-by-id'; readonly id: string }
  /** Writes of the ledger, each a compare-and-set together with the finalizer. */
  | { readonly effect: LedgerWrite; readonly ledger: Ledger }
  | { readonly effect: 'post'; readonly body: unknown }
  | { readonly effect: 'change'; readonly id: string; readonly change: unknown }
  | { readonly effect: 'delete'; readonly id: string }
  | { readonly effect: 'release' }
  /** Creates an object that the resource owns; one of its name may exist. */
  | { readonly effect: 'provide'; readonly object: NewObject }
  /** Deletes an object that the resource owns, as long as nobody has changed it. */
  | { readonly effect: 'discard'; readonly owned: RawResource }
  /** Deletes the resource, as long as nobody has changed it. */
  | { readonly effect: 'expire' };

export type Done = { readonly effect: 'done'; readonly outcome: Outcome; readonly events?: readonly PassEvent[] };

/** When an effect began and ended, monotonic ms. */
interface Timed {
  readonly sentAt: number;
  readonly at: number;
}
interface Fallible extends Timed {
  readonly error?: ServiceError;
}

/** What came of an effect. */
export type EffectAnswer =
  | ({ readonly of: 'observe' } & Fallible)
  /** `awaited`: a request that may refer to the object was perhaps sent before, and its effect has not shown. Nothing was listed then. */
  | ({ readonly of: 'list-referrers'; readonly awaited: boolean } & Fallible)
  | ({ readonly of: 'change' } & Fallible)
  /** Where it is in use: `users`, the resources that refer to it; without any, `remoteUsers`, the objects of the service that do. */
  | ({
      readonly of: 'delete';
      readonly users?: readonly User[];
      readonly remoteUsers?: readonly RemoteUser[];
    } & Fallible)
  | ({ readonly of: 'get-by-id'; readonly row?: RemoteObject } & Fallible)
  | ({ readonly of: 'post'; readonly row: RemoteObject } & Timed)
  | ({ readonly of: 'post'; readonly error: ServiceError } & Timed)
  /** `refusal`: why the API server does not take it. `category`: that of the StoreError. */
  | ({ readonly of: 'provide'; readonly refusal: string; readonly category: 'invalid' | 'forbidden' } & Timed)
  | ({ readonly of: 'provide'; readonly result: 'created' | 'exists'; readonly refusal?: undefined } & Timed)
  | ({ readonly of: LedgerWrite | 'release' | 'expire' | 'discard' } & Timed);

export function done(outcome: Outcome, ...events: readonly PassEvent[]): Done {
  return { effect: 'done', outcome, events };
}

export function reported({ outcome, event }: Report): Done {
  return event ? done(outcome, event) : done(outcome);
}
