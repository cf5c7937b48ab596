// The two ways to read a collection: listed in pages, and watched as a stream of typed events.
import type { Random } from '../../lib/ports.ts';
import { ApiError, refusalError } from '../api-error.ts';
import type { ApiTransport } from '../http/transport.ts';
import type { RawResource } from '../resource.ts';
import { collectionPath, placeOf, type ResourceKind, toResource } from '../resource.ts';

export interface WatchedCollection {
  readonly transport: ApiTransport;
  readonly kind: ResourceKind;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
}

export interface ListSnapshot {
  /** By `placeOf`. */
  readonly objects: ReadonlyMap<string, RawResource>;
  readonly version: string;
}

const pageSize = 500;
const restarts = 3;

interface ListPage {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly unknown[];
}

/**
 * Returns a consistent snapshot. The request has no resourceVersion, because the server ignores the limit with 0.
 * An expired continue token restarts the list at most three times. Rejects with ApiError.
 */
export async function listPages(collection: WatchedCollection, signal: AbortSignal): Promise<ListSnapshot> {
  for (let left = restarts; ; left -= 1) {
    try {
      return await listOnce(collection, signal);
    } catch (error) {
      if (left === 0 || !isExpired(error)) throw error;
    }
  }
}

async function listOnce({ transport, kind, namespace }: WatchedCollection, signal: AbortSignal): Promise<ListSnapshot> {
  const objects = new Map<string, RawResource>();
  let token: string | undefined;
  for (;;) {
    const { fieldSelector, labelSelector } = kind;
    const query = { limit: pageSize, continue: token, fieldSelector, labelSelector };
    const page = (await transport.request({
      method: 'GET',
      path: collectionPath(kind, namespace),
      query,
      signal,
    })) as ListPage;
    for (const item of itemsOf(kind, page)) objects.set(placeOf(item.metadata), item);
    const version = page.metadata?.resourceVersion;
    if (version === undefined) throw new ApiError('unreachable', `cannot list ${kind.plural}: the list has no version`);
    token = page.metadata?.continue || undefined;
    if (token === undefined) return { objects, version };
  }
}

/** Throws ApiError `unreachable` if the answer is not a list of objects of the API server. */
export function itemsOf(kind: ResourceKind, answer: unknown): readonly RawResource[] {
  const items = (answer as ListPage | undefined)?.items;
  if (!Array.isArray(items)) {
    throw new ApiError('unreachable', `cannot list ${kind.plural}: the answer is not a list`);
  }
  return items.map((item: unknown) => toResource(kind, item));
}

/** 410: the resource version or continue token has expired. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: RawResource }
  /** All changes up to `version` were sent. `initialEnd` marks the end of the initial list. */
  | { readonly type: 'BOOKMARK'; readonly version: string; readonly initialEnd: boolean };

interface WatchStart {
  /** Undefined to start with a streamed list of all objects (WatchList). An empty text to start with the objects as they are, in no list. */
  readonly version: string | undefined;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** The server sends a bookmark every minute. If two are missing, the connection is dead. */
const idleMs = 150_000;
/** The server ends each watch after this, with a jitter of 10 s, so that an undetected fault cannot last. */
const serverSeconds = 290;

const initialEnd = 'k8s.io/initial-events-end';

/** Resolves once the server accepts the watch. Rejects with ApiError, and the stream throws it; an expired version has status 410. */
export async function openWatch(collection: WatchedCollection, start: WatchStart): Promise<AsyncIterable<WatchEvent>> {
  const { transport, kind, namespace } = collection;
  const beginning =
    start.version === undefined
      ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
      : { resourceVersion: start.version || undefined };
  const values = await transport.stream({
    path: collectionPath(kind, namespace),
    query: {
      watch: true,
      allowWatchBookmarks: true,
      timeoutSeconds: Math.round(serverSeconds - 10 + 20 * start.random.next()),
      fieldSelector: kind.fieldSelector,
      labelSelector: kind.labelSelector,
      ...beginning,
    },
    signal: start.signal,
    idleMs,
  });
  return parseEvents(kind, values);
}

async function* parseEvents(kind: ResourceKind, values: AsyncIterable<unknown>): AsyncGenerator<WatchEvent> {
  for await (const value of values) yield parseEvent(kind, value);
}

interface ReceivedEvent {
  readonly type?: unknown;
  readonly object?: {
    readonly code?: unknown;
    readonly metadata?: { readonly resourceVersion?: unknown; readonly annotations?: Readonly<Record<string, string>> };
  };
}

function parseEvent(kind: ResourceKind, value: unknown): WatchEvent {
  const { type, object } = (value ?? {}) as ReceivedEvent;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: toResource(kind, object) };
    case 'BOOKMARK': {
      const version = object?.metadata?.resourceVersion;
      if (typeof version !== 'string') throw new ApiError('unreachable', `cannot watch ${kind.plural}: bad bookmark`);
      return { type, version, initialEnd: object?.metadata?.annotations?.[initialEnd] === 'true' };
    }
    case 'ERROR':
      throw eventError(kind, object);
    default:
      throw new ApiError('unreachable', `cannot watch ${kind.plural}: an event of unknown type`);
  }
}

/** An ERROR event contains the same Status object as the body of an error response. */
function eventError(kind: ResourceKind, object: ReceivedEvent['object']): ApiError {
  const status = typeof object?.code === 'number' ? object.code : 0;
  const refusal = {
    status,
    contentType: 'application/json',
    retryAfter: undefined,
    text: JSON.stringify(object ?? {}),
  };
  return refusalError(`watch ${kind.plural}`, refusal);
}
