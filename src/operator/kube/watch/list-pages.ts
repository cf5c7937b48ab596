// Lists a whole collection in pages.
import type { RawResource } from '../../api/definition.ts';
import { ApiError } from '../api-error.ts';
import type { ApiTransport } from '../http/transport.ts';
import { placeOf, toResource } from '../resource.ts';
import { collectionPath, type ResourceKind } from '../resource-kind.ts';

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

interface Page {
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
    const query = { limit: pageSize, continue: token, fieldSelector: kind.fieldSelector };
    const page = (await transport.request({
      method: 'GET',
      path: collectionPath(kind, namespace),
      query,
      signal,
    })) as Page;
    for (const item of itemsOf(kind, page)) objects.set(placeOf(item.metadata), item);
    const version = page.metadata?.resourceVersion;
    if (version === undefined) throw new ApiError('unreachable', `cannot list ${kind.plural}: the list has no version`);
    token = page.metadata?.continue || undefined;
    if (token === undefined) return { objects, version };
  }
}

function itemsOf(kind: ResourceKind, page: Page | undefined): readonly RawResource[] {
  if (!Array.isArray(page?.items)) {
    throw new ApiError('unreachable', `cannot list ${kind.plural}: the answer is not a list`);
  }
  return page.items.map((item: unknown) => toResource(kind, item));
}

/** 410: the resource version or continue token has expired. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}
