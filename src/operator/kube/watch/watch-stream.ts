// One watch of a collection, as a sequence of typed events.

import type { Random } from '../../../lib/ports.ts';
import type { RawResource } from '../../api/definition.ts';
import { ApiError, refusalError } from '../api-error.ts';
import { type KnownObject, toResource } from '../resource.ts';
import { collectionPath, type ResourceKind } from '../resource-kind.ts';
import type { WatchedCollection } from './list-pages.ts';

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: RawResource }
  /** Nothing older than `version` is to come; `initialEnd` closes the first part of a watch that began with a list. */
  | { readonly type: 'BOOKMARK'; readonly version: string; readonly initialEnd: boolean };

export interface WatchStart {
  /** Undefined: begin with all objects as they are now (WatchList). */
  readonly version: string | undefined;
  readonly known: KnownObject;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** The server sends a bookmark a minute; two missed ones and a half mean that the connection is dead. */
const idleMs = 150_000;
/** The server ends each watch after this, so that one that goes wrong unseen does not last; jittered by 10 s each way. */
const serverSeconds = 290;

const initialEnd = 'k8s.io/initial-events-end';

/** Resolves once the server accepted. Rejects, and the sequence throws, ApiError; an expired version has status 410. */
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
  return parseEvents(kind, values, start.known);
}

async function* parseEvents(
  kind: ResourceKind,
  values: AsyncIterable<unknown>,
  known: KnownObject,
): AsyncGenerator<WatchEvent> {
  for await (const value of values) yield parseEvent(kind, value, known);
}

interface ReceivedEvent {
  readonly type?: unknown;
  readonly object?: {
    readonly code?: unknown;
    readonly metadata?: { readonly resourceVersion?: unknown; readonly annotations?: Readonly<Record<string, string>> };
  };
}

function parseEvent(kind: ResourceKind, value: unknown, known: KnownObject): WatchEvent {
  const { type, object } = (value ?? {}) as ReceivedEvent;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: toResource(kind, object, known) };
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

/** An ERROR event carries the same Status object that a refused request has as its body. */
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
