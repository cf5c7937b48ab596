// The paths of objects in the API server, and the form in which they are cached.
import { ApiError } from './api-error.ts';

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface Metadata {
  readonly name: string;
  /** Empty for an object that is in no namespace. */
  readonly namespace: string;
  readonly uid: string;
  /** A decimal number that grows with every write. */
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Stands for the bytes of a key of a ConfigMap. */
export interface FileDigest {
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** Spec and status are not validated. */
export interface RawResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: unknown;
  readonly status?: unknown;
  /** The type of a Secret, and its data in base64. The data of a ConfigMap is text. */
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
  /** Of a ConfigMap, in base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  /** Of a ConfigMap in the cache: what is kept of the keys that are used, in place of the data. */
  readonly files?: Readonly<Record<string, FileDigest>>;
  /** Of a ConfigMap that was not read yet: why not, or an empty text if nothing failed. */
  readonly unread?: string;
}

export interface ResourceKind {
  readonly kind: string;
  /** `group/version`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly plural: string;
  /** Its objects are in no namespace. */
  readonly clusterScoped?: boolean;
  /** For list and watch. An object that no longer matches counts as deleted. */
  readonly fieldSelector?: string;
  /** As `fieldSelector`. */
  readonly labelSelector?: string;
  /** What is kept of an object, besides its kind. The rest of it never reaches the cache. */
  readonly keep?: (object: RawResource) => RawResource;
}

/** Without `namespace`, the path for all namespaces, and for objects that are in none. */
export function collectionPath(kind: ResourceKind, namespace?: string): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  return kind.clusterScoped === true || namespace === undefined || namespace === ''
    ? `${root}/${kind.plural}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`;
}

export function objectPath(
  kind: ResourceKind,
  key: Pick<Metadata, 'namespace' | 'name'>,
  subresource?: 'status',
): string {
  const path = `${collectionPath(kind, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** As large as the object itself, and not used. */
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
  const object = {
    ...rest,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    // Secrets have no generation.
    metadata: { namespace: '', generation: 0, ...kept, ...(own && { annotations: own }) },
  } as RawResource;
  return kind.keep?.(object) ?? object;
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
