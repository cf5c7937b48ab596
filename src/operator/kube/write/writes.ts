// The writes that the operator makes on its objects: claim, release, status.
import { fieldManagers, finalizer, ledgerAnnotation } from '../../api/common.ts';
import type { RawResource } from '../../api/definition.ts';
import { ApiError } from '../api-error.ts';
import type { ApiCall } from '../http/call.ts';
import { objectPath, type ResourceKind } from '../resource-kind.ts';
import { firstDifference } from './same-fields.ts';

const applyPatch = 'application/apply-patch+yaml';
const mergePatch = 'application/merge-patch+json';
/** Otherwise the API server reads each body twice, to warn of fields that it drops; of those `requireStatus` tells. */
const unchecked = { fieldValidation: 'Ignore' };

/**
 * The uid keeps the apply from creating an object that is gone, the resourceVersion from overwriting what we have not
 * seen. Without `ledger` the annotation is not ours any more and an earlier one of ours is dropped: kinds that have a
 * ledger always pass it.
 */
export function claimCall(kind: ResourceKind, resource: RawResource, ledger: string | undefined): ApiCall {
  const { name, namespace, uid, resourceVersion } = resource.metadata;
  const annotations = ledger === undefined ? {} : { annotations: { [ledgerAnnotation]: ledger } };
  const metadata = { name, namespace, uid, resourceVersion, finalizers: [finalizer], ...annotations };
  return {
    method: 'PATCH',
    path: objectPath(kind, resource.metadata),
    query: { fieldManager: fieldManagers.claims, force: true, ...unchecked },
    contentType: applyPatch,
    body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata },
  };
}

/** The complete list of the others' finalizers: whoever wrote ours, it goes. */
export function releaseCall(kind: ResourceKind, resource: RawResource): ApiCall {
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

/** The whole of a status: the schema makes it one field to the API server, so that what others put into it goes. */
export function statusCall(kind: ResourceKind, resource: RawResource, status: object): ApiCall {
  const { name, namespace, resourceVersion } = resource.metadata;
  return {
    method: 'PATCH',
    path: objectPath(kind, resource.metadata, 'status'),
    query: { fieldManager: fieldManagers.status, force: true, ...unchecked },
    contentType: applyPatch,
    // The API server ignores a uid here; the resourceVersion belongs to no other object either.
    body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace, resourceVersion }, status },
  };
}

/** What the API server changes in a status it will always change: `invalid`. */
export function requireStatus({ kind }: ResourceKind, written: RawResource, status: object): RawResource {
  const path = firstDifference(status, written.status);
  if (path === undefined) return written;
  const { namespace, name } = written.metadata;
  throw new ApiError('invalid', `cannot write status of ${kind} ${namespace}/${name}: the API server changes ${path}`);
}
