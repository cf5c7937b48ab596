// The writes that the operator makes on its objects: claim, release, status.
import { fieldManagers, finalizer, ledgerAnnotation } from '../api/common.ts';
import type { RawResource } from '../api/definition.ts';
import { ApiError } from './api-error.ts';
import type { Call } from './call.ts';
import { objectPath, type ResourceKind } from './resource-kind.ts';
import { firstDifference } from './same-fields.ts';

const applyPatch = 'application/apply-patch+yaml';
const mergePatch = 'application/merge-patch+json';

/**
 * The uid keeps the apply from creating an object that is gone, the resourceVersion from overwriting what we have not
 * seen. Without `ledger` the annotation is not ours any more and an earlier one of ours is dropped: kinds that have a
 * ledger always pass it.
 */
export function claimCall(kind: ResourceKind, resource: RawResource, ledger: string | undefined): Call {
  const { name, namespace, uid, resourceVersion } = resource.metadata;
  const annotations = ledger === undefined ? {} : { annotations: { [ledgerAnnotation]: ledger } };
  const metadata = { name, namespace, uid, resourceVersion, finalizers: [finalizer], ...annotations };
  return {
    method: 'PATCH',
    path: objectPath(kind, resource.metadata),
    query: { fieldManager: fieldManagers.claims, force: true },
    contentType: applyPatch,
    body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata },
  };
}

/** The complete list of the others' finalizers: whoever wrote ours, it goes. */
export function releaseCall(kind: ResourceKind, resource: RawResource): Call {
  const { uid, resourceVersion, finalizers = [] } = resource.metadata;
  const remaining = finalizers.filter((name) => name !== finalizer);
  return {
    method: 'PATCH',
    path: objectPath(kind, resource.metadata),
    query: { fieldManager: fieldManagers.claims },
    contentType: mergePatch,
    body: { metadata: { uid, resourceVersion, finalizers: remaining } },
  };
}

function applyStatusCall(kind: ResourceKind, resource: RawResource, status: object): Call {
  const { name, namespace, resourceVersion } = resource.metadata;
  return {
    method: 'PATCH',
    path: objectPath(kind, resource.metadata, 'status'),
    query: { fieldManager: fieldManagers.status, force: true },
    contentType: applyPatch,
    // The API server ignores a uid here; the resourceVersion belongs to no other object either.
    body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace, resourceVersion }, status },
  };
}

function replaceStatusCall(kind: ResourceKind, resource: RawResource, status: object): Call {
  return {
    method: 'PUT',
    path: objectPath(kind, resource.metadata, 'status'),
    query: { fieldManager: fieldManagers.status },
    body: { ...resource, status },
  };
}

/** Sends one call and answers the object as it is then. */
export type Send = (base: RawResource, call: Call) => Promise<RawResource>;

/**
 * Apply leaves alone what others put into the status, such as a condition added by hand: then the status is replaced
 * once. What the API server changes even then it will always change: `invalid`.
 */
export async function sendStatus(
  kind: ResourceKind,
  base: RawResource,
  { status, send }: StatusWrite,
): Promise<RawResource> {
  const applied = await send(base, applyStatusCall(kind, base, status));
  if (firstDifference(status, applied.status) === undefined) return applied;
  const replaced = await send(applied, replaceStatusCall(kind, applied, status));
  const path = firstDifference(status, replaced.status);
  if (path === undefined) return replaced;
  const { namespace, name } = base.metadata;
  throw new ApiError(
    'invalid',
    `cannot write status of ${kind.kind} ${namespace}/${name}: the API server changes ${path}`,
  );
}

export interface StatusWrite {
  readonly status: object;
  readonly send: Send;
}
