// The paths of objects in the API server, and the form in which they are cached.

import { ApiError } from '../../kube/api-error.ts';
import type { Metadata, RawResource } from '../api/definition.ts';
import type { Key } from '../reconcile/ports.ts';

export interface ResourceKind {
  readonly kind: string;
  /** `group/version`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly plural: string;
  /** For list and watch. An object that no longer matches counts as deleted. */
  readonly fieldSelector?: string;
}

/** Without `namespace`, the path for all namespaces. */
export function collectionPath(kind: ResourceKind, namespace?: string): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  return namespace === undefined
    ? `${root}/${kind.plural}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`;
}

export function objectPath(kind: ResourceKind, key: Pick<Key, 'namespace' | 'name'>, subresource?: 'status'): string {
  const path = `${collectionPath(kind, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** As large as the object itself, and not used by the operator. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

interface ReceivedObject {
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> & Pick<Metadata, 'annotations'>;
}

/**
 * Removes managedFields and the annotation last-applied-configuration, and adds the kind, which the items of lists of built-in kinds
 * lack. Throws ApiError `unreachable` if `received` is not an object of the API server.
 */
export function toResource(kind: ResourceKind, received: unknown): RawResource {
  const { metadata, ...rest } = (received ?? {}) as ReceivedObject;
  const { managedFields: _managed, annotations, ...kept } = metadata ?? {};
  if (!isText(kept['name']) || !isText(kept['uid']) || !isText(kept['resourceVersion'])) {
    throw new ApiError(
      'unreachable',
      `cannot read ${kind.plural}: the answer contains something that is not a ${kind.kind}`,
    );
  }
  const own = withoutLastApplied(annotations);
  return {
    ...rest,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    // Secrets have no generation.
    metadata: { generation: 0, ...kept, ...(own && { annotations: own }) },
  } as RawResource;
}

function withoutLastApplied(annotations: Metadata['annotations']): Metadata['annotations'] {
  if (annotations?.[lastApplied] === undefined) return annotations;
  const { [lastApplied]: _copy, ...rest } = annotations;
  return rest;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The key of an object within its kind: `namespace/name`. */
export function placeOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return [namespace, name].join('/');
}
