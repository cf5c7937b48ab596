// The writes on custom resources and Secrets: claim, release, removal, annotations and status.
import { ApiError } from '../../../kube/api-error.ts';
import type { ApiCall } from '../../../kube/http/call.ts';
import { objectPath, type ResourceKind } from '../../../kube/resource.ts';
import { isJsonObject, type JsonObject, stableText } from '../../../lib/json.ts';
import type { RawResource } from '../../api/definition.ts';
import { fieldManagers, finalizer, ledgerAnnotation } from '../../api/shared-api.ts';

const applyPatch = 'application/apply-patch+yaml';
const mergePatch = 'application/merge-patch+json';
/** Saves the API server from parsing each body twice. `requireStatus` detects dropped fields instead. */
const unchecked = { fieldValidation: 'Ignore' };

/**
 * Adds the finalizer and the ledger. The uid prevents the apply from recreating a deleted object, the resourceVersion from overwriting
 * unseen changes. Without `ledger` an earlier annotation is removed, so kinds with a ledger always pass it.
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

/** Removes the finalizer by writing the complete list of the others, so that its field manager does not matter. */
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

/** Deletes exactly what was read: neither a successor of the same name nor a version that somebody has edited since. */
export function removeCall(kind: ResourceKind, { metadata }: RawResource): ApiCall {
  const { uid, resourceVersion } = metadata;
  return {
    method: 'DELETE',
    path: objectPath(kind, metadata),
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } },
  };
}

/** Sets these annotations and leaves all others. */
export function annotateCall(
  kind: ResourceKind,
  resource: RawResource,
  annotations: Readonly<Record<string, string>>,
): ApiCall {
  const { uid, resourceVersion } = resource.metadata;
  return {
    method: 'PATCH',
    path: objectPath(kind, resource.metadata),
    query: { fieldManager: fieldManagers.claims },
    contentType: mergePatch,
    body: { metadata: { uid, resourceVersion, annotations } },
  };
}

export interface CountChange {
  /** A part of the spec, to be merged. */
  readonly spec: object;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Changes this spec and these annotations in one request, with uid and resourceVersion. The new values belong to the manager of scales. */
export function scaleCall(kind: ResourceKind, resource: RawResource, { spec, annotations }: CountChange): ApiCall {
  const { uid, resourceVersion } = resource.metadata;
  return {
    method: 'PATCH',
    path: objectPath(kind, resource.metadata),
    query: { fieldManager: fieldManagers.scale },
    contentType: mergePatch,
    body: { metadata: { uid, resourceVersion, annotations }, spec },
  };
}

/** Replaces the whole status, which is atomic in the schema, so that fields of other managers are removed. */
export function statusCall(kind: ResourceKind, resource: RawResource, status: object): ApiCall {
  const { name, namespace, resourceVersion } = resource.metadata;
  return {
    method: 'PATCH',
    path: objectPath(kind, resource.metadata, 'status'),
    query: { fieldManager: fieldManagers.status, force: true, ...unchecked },
    contentType: applyPatch,
    // The API server ignores a uid here. The resourceVersion identifies the object as well.
    body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace, resourceVersion }, status },
  };
}

/** Throws ApiError `invalid` if the API server changed the status, because it would change it again. */
export function requireStatus({ kind }: ResourceKind, written: RawResource, status: object): RawResource {
  const path = firstDifference(status, written.status);
  if (path === undefined) return written;
  const { namespace, name } = written.metadata;
  throw new ApiError('invalid', `cannot write status of ${kind} ${namespace}/${name}: the API server changes ${path}`);
}

/**
 * The path of the first difference, such as `conditions[].type`, or undefined if the values are equal. A key with the value undefined
 * counts as missing. The order of lists of objects is ignored, because the API server may merge them in another order.
 */
export function firstDifference(wanted: unknown, found: unknown): string | undefined {
  if (Array.isArray(wanted) && Array.isArray(found)) return listDifference(wanted, found);
  if (isJsonObject(wanted) && isJsonObject(found)) return recordDifference(wanted, found);
  return Object.is(wanted, found) ? undefined : '';
}

function recordDifference(wanted: JsonObject, found: JsonObject): string | undefined {
  const others = Object.keys(found).filter((name) => !Object.hasOwn(wanted, name));
  for (const name of [...Object.keys(wanted), ...others]) {
    const rest = firstDifference(wanted[name], found[name]);
    if (rest !== undefined) return rest === '' || rest.startsWith('[') ? `${name}${rest}` : `${name}.${rest}`;
  }
  return undefined;
}

function listDifference(wanted: readonly unknown[], found: readonly unknown[]): string | undefined {
  if (wanted.length !== found.length) return '[]';
  if (sameInOrder(wanted, found)) return undefined;
  const sets = wanted.every(isJsonObject) && found.every(isJsonObject);
  return sets && sameInOrder(byText(wanted), byText(found)) ? undefined : '[]';
}

function sameInOrder(wanted: readonly unknown[], found: readonly unknown[]): boolean {
  return wanted.every((item, index) => firstDifference(item, found[index]) === undefined);
}

function byText(items: readonly unknown[]): readonly unknown[] {
  return items
    .map((item) => ({ item, text: stableText(item) }))
    .toSorted(compareText)
    .map(({ item }) => item);
}

function compareText(left: { readonly text: string }, right: { readonly text: string }): number {
  return left.text < right.text ? -1 : left.text > right.text ? 1 : 0;
}
