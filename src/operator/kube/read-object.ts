// Reads of single objects from the API server, bypassing the cache.
import { ApiError } from '../../kube/api-error.ts';
import type { ApiTransport } from '../../kube/http/transport.ts';
import { collectionPath, objectPath, type ResourceKind, toResource } from '../../kube/resource.ts';
import { itemsOf } from '../../kube/watch/watch-stream.ts';
import type { RawResource } from '../api/definition.ts';
import type { Key } from '../reconcile/pass-ports.ts';

/** The uid of the namespace kube-system, which identifies the Kubernetes cluster. Rejects with ApiError. */
export async function readClusterUid(transport: ApiTransport): Promise<string> {
  const answer = await transport.request({ method: 'GET', path: '/api/v1/namespaces/kube-system' });
  return toResource({ kind: 'Namespace', apiVersion: 'v1', plural: 'namespaces' }, answer).metadata.uid;
}

/** Undefined if the object does not exist or does not match the kind's field selector. Rejects with ApiError. */
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

/** A GET has no field selector, so it would return Secrets of other types. */
async function select(transport: ApiTransport, kind: ResourceKind, key: Key): Promise<RawResource | undefined> {
  const path = collectionPath(kind, key.namespace);
  const query = { fieldSelector: `metadata.name=${key.name},${kind.fieldSelector}` };
  const [item] = itemsOf(kind, await transport.request({ method: 'GET', path, query }));
  return item;
}
