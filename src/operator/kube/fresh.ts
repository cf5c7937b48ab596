// One object from the API server itself, past the cache.
import type { RawResource } from '../api/definition.ts';
import type { Key } from '../reconcile/ports.ts';
import { ApiError } from './api-error.ts';
import type { ApiTransport } from './http/transport.ts';
import { toResource } from './resource.ts';
import { collectionPath, objectPath, type ResourceKind } from './resource-kind.ts';

/** Undefined when it is gone, or outside the kind's field selector: then it is not read at all. Rejects with ApiError. */
export function readObject(transport: ApiTransport, kind: ResourceKind, key: Key): Promise<RawResource | undefined> {
  return kind.fieldSelector === undefined ? get(transport, kind, key) : select(transport, kind, key);
}

async function get(transport: ApiTransport, kind: ResourceKind, key: Key): Promise<RawResource | undefined> {
  try {
    return toResource(kind, await transport.request({ method: 'GET', path: objectPath(kind, key) }));
  } catch (error) {
    if (error instanceof ApiError && error.category === 'gone') return undefined;
    throw error;
  }
}

/** A get knows no selector, and it would hand out Secrets that are none of our business. */
async function select(transport: ApiTransport, kind: ResourceKind, key: Key): Promise<RawResource | undefined> {
  const path = collectionPath(kind, key.namespace);
  const query = { fieldSelector: `metadata.name=${key.name},${kind.fieldSelector}` };
  const answer = (await transport.request({ method: 'GET', path, query })) as
    | { items?: readonly unknown[] }
    | undefined;
  const [item] = answer?.items ?? [];
  return item === undefined ? undefined : toResource(kind, item);
}
