// The cache of one kind. Reports what each event, list or own write changes.
import type { RawResource } from '../resource.ts';
import { placeOf } from '../resource.ts';
import { CacheIndex, type IndexOf } from './cache-index.ts';

/** `current` is undefined after a delete, `previous` for a new object. They are never both undefined. */
export interface Delta {
  readonly previous: RawResource | undefined;
  readonly current: RawResource | undefined;
}

interface OwnWrite {
  /** The version that the write was based on. */
  readonly base: RawResource;
  /** The version that the API server returned. */
  readonly answer: RawResource;
}

interface ListedObjects {
  readonly objects: ReadonlyMap<string, RawResource>;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** The result of `mark()` before the list was requested. */
  readonly mark: number;
}

interface WriteResult {
  /** The changes by others during the write. */
  readonly changes: readonly Delta[];
  /** The change by the write itself, if the object is in the cache. */
  readonly own: Delta | undefined;
}

/**
 * Guarantees: a watch event never replaces the answer of an own write with an older version; an answer never restores an object whose
 * deletion was seen; the exact echo of an own write is not a change, even if the watch is faster than the answer; every other change is
 * reported exactly once.
 */
export class Cache {
  readonly #objects = new Map<string, RawResource>();
  /** Objects whose cached version is the answer of an own write that the watch has not delivered yet, with the number of that write. */
  readonly #overlaid = new Map<string, number>();
  /** Changes of objects that are being written, deferred until it is known which of them is the write itself. */
  readonly #writing = new Map<string, { writes: number; deferred: Delta[] }>();
  readonly #index: CacheIndex;
  #writes = 0;

  constructor(indexOf: IndexOf = () => undefined) {
    this.#index = new CacheIndex(indexOf);
  }

  get(place: string): RawResource | undefined {
    return this.#objects.get(place);
  }

  values(): Iterable<RawResource> {
    return this.#objects.values();
  }

  /** The objects that the index has under these texts, in the order in which they came there. */
  indexed(...texts: readonly string[]): readonly RawResource[] {
    return this.#index.placesOf(texts).flatMap((place) => this.#objects.get(place) ?? []);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Own writes that are answered later than this are newer than a list that is requested now. */
  mark(): number {
    return this.#writes;
  }

  put(object: RawResource): readonly Delta[] {
    const place = placeOf(object.metadata);
    const previous = this.#objects.get(place);
    if (previous !== undefined && !newerThan(object, previous)) {
      // The echo of an own write. All lists from now on contain it, because no list is in progress during a watch.
      if (versionOf(previous) === versionOf(object)) this.#overlaid.delete(place);
      return [];
    }
    return this.#defer(place, this.#set(place, object));
  }

  /** An object that no longer matches the field selector counts as deleted. */
  remove(object: RawResource): readonly Delta[] {
    const place = placeOf(object.metadata);
    const previous = this.#objects.get(place);
    if (previous === undefined) return [];
    if (previous.metadata.uid !== object.metadata.uid && newerThan(previous, object)) return [];
    return this.#defer(place, this.#delete(place, previous));
  }

  /** A complete list replaces the cache, even if its versions are older, as after a restored backup. */
  replace(listed: ListedObjects): readonly Delta[] {
    const changes: Delta[] = [];
    for (const [place, previous] of this.#objects) {
      const inScope = listed.namespace === undefined || listed.namespace === previous.metadata.namespace;
      if (inScope && !listed.objects.has(place)) changes.push(...this.#defer(place, this.#delete(place, previous)));
    }
    for (const [place, object] of listed.objects) {
      if (!this.#stays(place, object, listed.mark)) changes.push(...this.#defer(place, this.#set(place, object)));
    }
    return changes;
  }

  /** Must be followed by `endWrite`, even if the write fails. */
  beginWrite(place: string): void {
    const writing = this.#writing.get(place) ?? { writes: 0, deferred: [] };
    writing.writes += 1;
    this.#writing.set(place, writing);
  }

  /** Without `write`, the write failed or the object is gone. */
  endWrite(place: string, write?: OwnWrite): WriteResult {
    const deferred = this.#release(place);
    if (write === undefined) return { changes: deferred, own: undefined };
    const isEcho = (delta: Delta): boolean =>
      versionOf(delta.previous) === versionOf(write.base) && versionOf(delta.current) === versionOf(write.answer);
    const echo = deferred.find(isEcho);
    if (echo !== undefined) return { changes: deferred.filter((delta) => delta !== echo), own: echo };
    return this.#overlay(place, write, deferred);
  }

  #overlay(place: string, { base, answer }: OwnWrite, deferred: readonly Delta[]): WriteResult {
    const previous = this.#objects.get(place);
    const known = previous?.metadata.uid === answer.metadata.uid;
    if (!known || !(newerThan(answer, previous) || endsIt(answer, previous)))
      return { changes: deferred, own: undefined };
    const [delta] = this.#set(place, answer);
    this.#writes += 1;
    this.#overlaid.set(place, this.#writes);
    // The base was newer than the cache, so subscribers have not seen it yet.
    if (versionOf(previous) !== versionOf(base))
      return { changes: [...deferred, ...(delta ? [delta] : [])], own: undefined };
    return { changes: deferred, own: delta };
  }

  /** The cache has this version, or the answer of an own write that is newer than the list. */
  #stays(place: string, object: RawResource, mark: number): boolean {
    const cached = this.#objects.get(place);
    if (cached === undefined || cached.metadata.uid !== object.metadata.uid) return false;
    if (versionOf(cached) === versionOf(object)) return true;
    return (this.#overlaid.get(place) ?? 0) > mark && newerThan(cached, object);
  }

  #set(place: string, current: RawResource): readonly Delta[] {
    const previous = this.#objects.get(place);
    this.#objects.set(place, current);
    this.#index.move(place, previous, current);
    this.#overlaid.delete(place);
    if (previous === undefined || previous.metadata.uid === current.metadata.uid) return [{ previous, current }];
    // Deleted and recreated between two observations.
    return [
      { previous, current: undefined },
      { previous: undefined, current },
    ];
  }

  #delete(place: string, previous: RawResource): readonly Delta[] {
    this.#objects.delete(place);
    this.#index.move(place, previous, undefined);
    this.#overlaid.delete(place);
    return [{ previous, current: undefined }];
  }

  #defer(place: string, changes: readonly Delta[]): readonly Delta[] {
    const writing = this.#writing.get(place);
    if (writing === undefined) return changes;
    writing.deferred.push(...changes);
    return [];
  }

  #release(place: string): readonly Delta[] {
    const writing = this.#writing.get(place);
    if (writing === undefined) return [];
    writing.writes -= 1;
    if (writing.writes === 0) this.#writing.delete(place);
    return writing.deferred.splice(0);
  }
}

function versionOf(resource: RawResource | undefined): string | undefined {
  return resource?.metadata.resourceVersion;
}

/** The removal of the last finalizer deletes the object. The API server then returns it with its old version. */
function endsIt({ metadata }: RawResource, previous: RawResource): boolean {
  const last = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
  return last && metadata.resourceVersion === previous.metadata.resourceVersion;
}

/** Orders resource versions. Negative if `left` is older than `right`. Compares text, because 64 bits do not fit into a number. */
export function compareVersions(left: string, right: string): number {
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

export function newerThan(
  left: { readonly metadata: { readonly resourceVersion: string } },
  right: typeof left,
): boolean {
  return compareVersions(left.metadata.resourceVersion, right.metadata.resourceVersion) > 0;
}
