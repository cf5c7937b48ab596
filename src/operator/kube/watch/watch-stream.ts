// One watch of a collection, as a stream of typed events.

import type { Random } from '../../../lib/ports.ts';
import type { RawResource } from '../../api/definition.ts';
import { ApiError, refusalError } from '../api-error.ts';
import { toResource } from '../resource.ts';
import { collectionPath, type ResourceKind } from '../resource-kind.ts';
import type { WatchedCollection } from './list-pages.ts';

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: RawResource }
  /** All changes up to `version` were sent. `initialEnd` marks the end of the initial list. */
  | { readonly type: 'BOOKMARK'; readonly version: string; readonly initialEnd: boolean };

interface WatchStart {
  /** Undefined to start with a streamed list of all objects (WatchList). */
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
      : { resourceVersion: start.version };
  const values = await transport.stream({
    path: collectionPath(kind, namespace),
    query: {
      watch: true,
      allowWatchBookmarks: true,
      timeoutSeconds: Math.round(serverSeconds - 10 + 20 * start.random.next()),
      fieldSelector: kind.fieldSelector,
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
