// The outcome of a pass, and the only place that classifies failures.
import { type Category, ServiceError } from '../../wire/errors/service-error.ts';
import { cleanText, cutText } from '../../wire/errors/shapes.ts';
import { type Route, routes } from '../../wire/routes.ts';
import type { BlockerReason, EventReason } from '../api/meanings.ts';
import type { conditionReasons, Reason } from '../api/shared-api.ts';
import type { Drift } from './kind/kind.ts';
import { StoreError } from './pass-ports.ts';

/** What a resource waits for; shown in status. */
export interface Blocker {
  readonly kind: string;
  readonly name: string;
  readonly reason: BlockerReason;
  readonly message: string;
}

/** The next write to the service, as `status.plan` shows it. */
export interface PlannedWrite {
  readonly hash: string;
  readonly verb: 'Create' | 'Scale' | 'Update' | 'Cancel' | 'Delete';
  readonly object: string;
  readonly destructive: boolean;
  readonly changes?: readonly { readonly path: string; readonly from?: string; readonly to?: string }[];
}

/** How a run ended, as its conditions Complete and Failed report it. */
export type RunEnd = (typeof conditionReasons)['Complete' | 'Failed'][number];

export type TidyOutcome = Extract<Outcome, { result: 'waiting' | 'failed' | 'unpermitted' | 'conflict' | 'requeue' }>;

/** `failsAfterMs`: a run of which no attempt is under way has failed once this has been its outcome for so long. */
export type Outcome =
  /** The object is as wanted. `tidying`: what is left to do for former revisions, which only the log reports. */
  | { readonly result: 'settled'; readonly tidying?: TidyOutcome }
  /** A run is over. `nextInMs`: until the object or its own cluster is deleted; absent: nothing more happens. */
  | { readonly result: 'ended'; readonly reason: RunEnd; readonly message: string; readonly nextInMs?: number }
  /** The object went by itself, and its resource stays. */
  | { readonly result: 'expired'; readonly reason: string; readonly message: string }
  /** One step was done: the next pass follows at once. `plan`: what that one writes. `drift`: what it puts right. */
  | {
      readonly result: 'progressed';
      readonly reason: Reason;
      readonly message: string;
      readonly plan?: PlannedWrite;
      readonly drift?: readonly Drift[] | undefined;
    }
  /** kubernetes: a watch event wakes the key. service: poll. time: wake after `afterMs`, and so do the others if they have it. */
  | {
      readonly result: 'waiting';
      readonly on: 'kubernetes' | 'service' | 'time';
      readonly reason: Reason;
      readonly message: string;
      readonly afterMs?: number;
      /** It may take any time: the progress deadline does not apply. */
      readonly untimed?: boolean;
      /** What was changed in the service and is being put right. */
      readonly drift?: readonly Drift[];
      readonly blockedOn?: readonly Blocker[];
      readonly failsAfterMs?: number;
    }
  /** Only the user or a change in the service can help: Stalled, and retried slowly. */
  | {
      readonly result: 'refused';
      readonly reason: Reason;
      readonly message: string;
      /** What was changed in the service and cannot be put right. */
      readonly drift?: readonly Drift[];
      /** When it is judged again; absent: slowly. */
      readonly afterMs?: number;
      readonly failsAfterMs?: number;
    }
  /**
   * The next step is not taken: the resource is suspended, or its `plan` waits for approval. `drift`: what it would put right.
   * `isReady`: the object can be used nevertheless. `ignored`: what the message says of an approval that has no effect.
   */
  | {
      readonly result: 'held';
      readonly message: string;
      readonly drift?: readonly Drift[] | undefined;
      readonly plan?: PlannedWrite;
      readonly ignored?: string | undefined;
      readonly isReady?: true;
    }
  /** A failure that may pass: retried with backoff. `observing`: nothing of ours is outstanding; the service could not be observed. */
  | {
      readonly result: 'failed';
      readonly reason: Reason;
      readonly message: string;
      readonly retryAfterMs?: number;
      readonly observing?: boolean;
      readonly blockedOn?: readonly Blocker[];
      readonly failsAfterMs?: number;
      readonly cause: unknown;
    }
  /** There was no permit to send; the budget wakes the key. */
  | { readonly result: 'unpermitted' }
  /** Somebody else wrote in between: start over, with backoff. */
  | { readonly result: 'conflict' }
  /** Nothing to report: the next pass observes what is there now, at once or after `afterMs`. Not a failure. */
  | { readonly result: 'requeue'; readonly afterMs?: number }
  /** Nothing is left to do for this resource. */
  | { readonly result: 'released' };

const reasonOf: Readonly<Record<Category, Reason>> = {
  unreachable: 'UpstreamError',
  throttled: 'Throttled',
  unauthorized: 'Unauthorized',
  notFound: 'ExternalRejected',
  conflict: 'ExternalRejected',
  rejected: 'ExternalRejected',
  serverFault: 'UpstreamError',
  malformed: 'UpstreamError',
};

/**
 * The failure of a step as an outcome. `doing` names the step: `create cluster etl-x1`. `remedy` tells the user what to do, where
 * that is known. A conflict is not a failure: the world moved on.
 */
export function outcomeOfError(error: unknown, doing?: string, remedy?: string): Outcome {
  if (error instanceof StoreError) return outcomeOfStoreError(error);
  if (error instanceof ServiceError) {
    const { retryAfterMs, isOutdated } = error;
    if (isOutdated) return { result: 'conflict' };
    return {
      result: 'failed',
      reason: reasonOf[error.category],
      message: `cannot ${doing ?? readingOf(error)}: ${error.why}` + (remedy ? `. ${remedy}` : remedyOf(error)),
      cause: error,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
  }
  // A bug of the operator. Its text may contain anything, so it is only logged.
  return {
    result: 'failed',
    reason: 'InternalError',
    message: 'internal error: see the log of the operator',
    cause: error,
  };
}

function routeOf(path: string): Route | undefined {
  const [, , , collection] = path.split('/');
  return Object.values<Route>(routes).find((one) => one.path === collection);
}

/** What a read was for, in words and not as a path: `read the list of clusters`. */
function readingOf({ request: { method, path } }: ServiceError): string {
  const [, , , , id] = path.split('/');
  const route = routeOf(path);
  if (method !== 'GET' || !route) return `${method} ${path}`;
  const words = (text: string): string => text.replaceAll('_', ' ');
  return id ? `read ${words(route.single)} ${id}` : `read the list of ${words(route.plural)}`;
}

/** No try is likely to succeed until a user changes something. */
export function needsUser(outcome: Outcome): boolean {
  return outcome.result === 'failed' && outcome.cause instanceof ServiceError && outcome.cause.needsUser;
}

/** The service refused a create for what the request contains, and not for anything that may be there a moment later. */
export function isOfContent(outcome: Outcome): boolean {
  const error = outcome.result === 'failed' && outcome.cause instanceof ServiceError ? outcome.cause : undefined;
  return error !== undefined && error.needsUser && contentErrors.includes(error.errorName ?? '');
}

/** As OpenStack names them. */
const contentErrors: readonly string[] = ['INVALID_DATA', 'VALIDATION_ERROR'];

/** The remedy where the service has no jobs, and where it refused a create, because most fields cannot change in place. */
function remedyOf({ category, request, status }: ServiceError): string {
  const version = routeOf(request.path)?.version;
  if (version && category === 'malformed' && (status === 404 || status === 405))
    return `. If other objects of this Connection are Ready, its service has no jobs (API ${version}): use a service that has, or delete this object`;
  if (category !== 'rejected' || request.method !== 'POST') return '';
  return '. It is retried; if the spec is wrong, correct it';
}

function outcomeOfStoreError(error: StoreError): Outcome {
  if (error.category === 'conflict') return { result: 'conflict' };
  // Deleted between our read and our write: its last event is on the way, or was the last.
  if (error.category === 'gone') return { result: 'conflict' };
  const { retryAfterMs } = error;
  return {
    result: 'failed',
    reason: 'InternalError',
    message: error.message,
    cause: error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

export function refuse(reason: Reason, message: string): Extract<Outcome, { result: 'refused' }> {
  return { result: 'refused', reason, message };
}

/** `on` and `blockedOn`: see Outcome. */
export function waiting(
  on: WaitingOutcome['on'],
  reason: Reason,
  message: string,
  blockedOn?: readonly Blocker[],
): WaitingOutcome {
  return { result: 'waiting', on, reason, message, ...(blockedOn && { blockedOn }) };
}

type WaitingOutcome = Extract<Outcome, { result: 'waiting' }>;

/** The pass ended before anything was learned. */
export function isQuiet({ result }: Outcome): boolean {
  return result === 'unpermitted' || result === 'conflict' || result === 'requeue';
}

/** Between tries that succeed only after the user or the service changed something, in ms. */
export const slowRetryMs = 10 * 60_000;

export const wayOut = 'To delete this resource and keep its objects in the service, set spec.deletionPolicy to Orphan';

/** The same failure of a deletion, with what always ends it. */
export function withWayOut(outcome: Outcome): Outcome {
  if (outcome.result !== 'failed' || !(outcome.cause instanceof ServiceError) || outcome.message.includes('Orphan'))
    return outcome;
  return { ...outcome, message: `${outcome.message}. ${wayOut}` };
}

const shownLetters = 80;
/** Text that others wrote, cut to what fits a message. */
export function shortText(text: string): string {
  return cutText(cleanText(text, []), shownLetters);
}

/** What becomes an event. */
export interface PassEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly action: 'Create' | 'Scale' | 'Update' | 'Delete' | 'Observe';
  readonly note: string;
}

/** The result of a step, as outcome and event, worded once, where the step was planned. */
export interface Report {
  readonly outcome: Outcome;
  readonly event?: PassEvent;
}

/** A resource that refers to another one and has something in the service. */
export interface User {
  readonly kind: string;
  readonly name: string;
  /** deletion: it is being deleted, so that nothing has to be done. cancel: a run that uses it only until it ends, and can be cancelled. */
  readonly ends?: 'deletion' | 'cancel';
}

/** An object of the service that refers to another one. */
export interface RemoteUser {
  /** Of the resources that stand for such objects. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  /** The resource that owns it: `Cluster/ns/name`, or words for one that is not named. */
  readonly owner?: string;
}

/** Each of them as what a resource that is being deleted waits for. */
export function blockersOf(
  users: readonly User[],
  of: { readonly kind: string; readonly name: string },
): readonly Blocker[] {
  return users.map((user) => {
    const { kind, name } = user;
    const message = `${kind} ${name} refers to ${of.kind} ${of.name}: ${freeing([user], `${kind} ${name}`)}`;
    return { kind, name, reason: 'InUse', message };
  });
}

/** What has to happen until none of these is in the way. `them`: how they were named before. */
export function freeing(users: readonly User[], them = users.length === 1 ? 'it' : 'them'): string {
  const left = users.filter(({ ends }) => ends !== 'deletion');
  if (left.length === 0) return `wait until ${users.length === 1 ? 'its' : 'their'} deletion ends`;
  // A streaming job never ends by itself.
  const cancel = left.every(({ ends }) => ends === 'cancel')
    ? `, or cancel ${left.length === 1 ? 'it' : 'them'} with spec.cancel: true`
    : '';
  const named = left.length === users.length ? them : left.map(({ kind, name }) => `${kind} ${name}`).join(', ');
  return `delete ${named} first${cancel}`;
}
