// Converts objects of the API server into the form in which they are cached.

import { memoize } from '../../lib/memoize.ts';
import { finalizer } from '../api/common.ts';
import type { Metadata, RawResource } from '../api/definition.ts';
import { ApiError } from './api-error.ts';
import { Kept } from './kept.ts';
import type { ResourceKind } from './resource-kind.ts';

/** As large as the object itself, and not used by the operator. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Shared by all objects that have only this finalizer. */
const ownFinalizers: readonly string[] = [finalizer];

/** Shares equal timestamps among objects that were created together. */
const timeText = memoize((text: string) => text);

interface ReceivedObject {
  readonly spec?: unknown;
  readonly status?: { readonly ledger?: unknown } | null;
  readonly metadata?: Readonly<Record<string, unknown>> & Pick<Metadata, 'annotations' | 'finalizers'>;
}

/** Looks up the cached object by `placeOf`. */
export type KnownObject = (place: string) => RawResource | undefined;

/**
 * Removes managedFields and the annotation last-applied-configuration, and adds the kind, which the items of lists of built-in kinds
 * lack. Returns the cached object if it has the same version, because each write arrives twice, as an answer and by the watch.
 * Throws ApiError `unreachable` if `received` is not an object of the API server.
 */
export function toResource(kind: ResourceKind, received: unknown, known?: KnownObject): RawResource {
  const { metadata, ...rest } = (received ?? {}) as ReceivedObject;
  const { managedFields: _managed, annotations, finalizers, ...kept } = metadata ?? {};
  const created = kept['creationTimestamp'];
  if (!isText(kept['name']) || !isText(kept['uid']) || !isText(kept['resourceVersion'])) {
    throw new ApiError(
      'unreachable',
      `cannot read ${kind.plural}: the answer contains something that is not a ${kind.kind}`,
    );
  }
  const same = known?.(placeOf(kept as unknown as Metadata));
  if (same?.metadata.uid === kept['uid'] && same.metadata.resourceVersion === kept['resourceVersion']) return same;
  const own = withoutLastApplied(annotations);
  const resource = {
    ...rest,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    // Secrets have no generation.
    metadata: {
      generation: 0,
      ...kept,
      ...(isText(created) && { creationTimestamp: timeText(created) }),
      ...(finalizers && { finalizers: finalizers.join() === finalizer ? ownFinalizers : finalizers }),
      ...(own && { annotations: own }),
    },
  } as RawResource;
  const { status } = rest;
  return typeof status === 'object' && status !== null ? Kept.of(resource, status) : resource;
}

/**
 * Returns `object` with the strings of an `earlier` version, and with its spec if the generation is the same. This saves memory, and the
 * spec is parsed once per generation.
 */
export function sharing(object: RawResource, earlier: RawResource | undefined): RawResource {
  const { metadata } = object;
  if (earlier?.metadata.uid !== metadata.uid) return object;
  const { uid, name, namespace, creationTimestamp } = earlier.metadata;
  // These never change.
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

/** The key of an object within its kind: `namespace/name`. */
export function placeOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return [namespace, name].join('/');
}
