// Turns what the API server sends into the objects that we keep.

import { memoize } from '../../lib/memoize.ts';
import { finalizer } from '../api/common.ts';
import type { Metadata, RawResource } from '../api/definition.ts';
import { ApiError } from './api-error.ts';
import { Kept } from './kept.ts';
import type { ResourceKind } from './resource-kind.ts';

/** As large as the object itself, and read by nobody here. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** What nearly every object of ours has: one list for all of them. */
const ours: readonly string[] = [finalizer];

/** Of objects that were made together: one text for all of them. */
const timeText = memoize((text: string) => text);

interface ReceivedObject {
  readonly spec?: unknown;
  readonly status?: { readonly ledger?: unknown } | null;
  readonly metadata?: Readonly<Record<string, unknown>> & Pick<Metadata, 'annotations' | 'finalizers'>;
}

/** What is cached at a place. */
export type KnownObject = (place: string) => RawResource | undefined;

/**
 * The object without managedFields and without kubectl's copy of it; with its kind, which items of a list of built-in
 * kinds lack. What is known in this very version is taken as it is: each of our writes comes twice, as an answer and by the watch.
 * Throws ApiError `unreachable` when it is no object of the API server at all.
 */
export function toResource(kind: ResourceKind, received: unknown, known?: KnownObject): RawResource {
  const { metadata, ...rest } = (received ?? {}) as ReceivedObject;
  const { managedFields: _managed, annotations, finalizers, ...kept } = metadata ?? {};
  const created = kept['creationTimestamp'];
  if (!isText(kept['name']) || !isText(kept['uid']) || !isText(kept['resourceVersion'])) {
    throw new ApiError('unreachable', `cannot read ${kind.plural}: the answer holds something that is no ${kind.kind}`);
  }
  const same = known?.(placeOf(kept as unknown as Metadata));
  if (same?.metadata.uid === kept['uid'] && same.metadata.resourceVersion === kept['resourceVersion']) return same;
  const own = withoutLastApplied(annotations);
  const resource = {
    ...rest,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    // Built-in kinds such as Secret have no generation.
    metadata: {
      generation: 0,
      ...kept,
      ...(isText(created) && { creationTimestamp: timeText(created) }),
      ...(finalizers && { finalizers: finalizers.join() === finalizer ? ours : finalizers }),
      ...(own && { annotations: own }),
    },
  } as RawResource;
  const { status } = rest;
  return typeof status === 'object' && status !== null ? Kept.of(resource, status) : resource;
}

/**
 * A version of an object with the very texts that an earlier one has, and with its very spec where that is of the same generation:
 * they are kept, and the spec is read, once.
 */
export function sharing(object: RawResource, earlier: RawResource | undefined): RawResource {
  const { metadata } = object;
  if (earlier?.metadata.uid !== metadata.uid) return object;
  const { uid, name, namespace, creationTimestamp } = earlier.metadata;
  // No version changes these, so nobody can tell the difference.
  Object.assign(metadata, { uid, name, namespace, ...(creationTimestamp && { creationTimestamp }) });
  const same = metadata.generation > 0 && earlier.metadata.generation === metadata.generation;
  if (!same || earlier.spec === undefined || earlier.spec === object.spec) return object;
  return object instanceof Kept ? object.withSpec(earlier.spec) : { ...object, spec: earlier.spec };
}

function withoutLastApplied(annotations: Metadata['annotations']): Metadata['annotations'] {
  if (annotations?.[lastApplied] === undefined) return annotations;
  const { [lastApplied]: _copy, ...rest } = annotations;
  return rest;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Where an object stands within its kind; joined for the same reason as `keyText`. */
export function placeOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return [namespace, name].join('/');
}
