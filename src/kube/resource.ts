// Turns what the API server sends into the objects that we keep.
import type { RawResource } from '../api/definition.ts';
import { ApiError } from './api-error.ts';
import type { ResourceKind } from './resource-kind.ts';

/** As large as the object itself, and read by nobody here. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

interface Received {
  readonly metadata?: Readonly<Record<string, unknown>> & { readonly annotations?: Readonly<Record<string, string>> };
}

/**
 * The object without managedFields and without kubectl's copy of it; with its kind, which items of a list of built-in
 * kinds lack. Throws ApiError `unreachable` when it is no object of the API server at all.
 */
export function toResource(kind: ResourceKind, received: unknown): RawResource {
  const { metadata, ...rest } = (received ?? {}) as Received;
  const { managedFields: _managed, annotations, ...kept } = metadata ?? {};
  if (!isText(kept['name']) || !isText(kept['uid']) || !isText(kept['resourceVersion'])) {
    throw new ApiError('unreachable', `cannot read ${kind.plural}: the answer holds something that is no ${kind.kind}`);
  }
  const own = withoutLastApplied(annotations);
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...rest,
    // Built-in kinds such as Secret have no generation.
    metadata: { generation: 0, ...kept, ...(own === undefined ? {} : { annotations: own }) },
  } as RawResource;
}

/** A version of an object with the very spec that an earlier one of the same generation has: it is kept, and read, once. */
export function sharing(object: RawResource, earlier: RawResource | undefined): RawResource {
  const { uid, generation } = object.metadata;
  const same = generation > 0 && earlier?.metadata.uid === uid && earlier.metadata.generation === generation;
  return same && earlier.spec !== undefined && earlier.spec !== object.spec
    ? { ...object, spec: earlier.spec }
    : object;
}

function withoutLastApplied(annotations: Readonly<Record<string, string>> | undefined): typeof annotations {
  if (annotations?.[lastApplied] === undefined) return annotations;
  const { [lastApplied]: _copy, ...rest } = annotations;
  return rest;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Where an object stands within its kind. */
export function placeOf(object: { readonly namespace: string; readonly name: string }): string {
  return `${object.namespace}/${object.name}`;
}
