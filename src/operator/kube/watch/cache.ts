// The objects of one kind as we last saw them, and what each arrival changes.
import type { RawResource } from '../../api/definition.ts';
import { placeOf, sharing } from '../resource.ts';
import { newerThan } from './resource-version.ts';

/** `current` is undefined after a delete, `previous` for a new object; never both. */
export interface Delta {
  readonly previous: RawResource | undefined;
  readonly current: RawResource | undefined;
}

export interface OwnWrite {
  /** What the write was made from. */
  readonly base: RawResource;
  /** What the API server made of it. */
  readonly answer: RawResource;
}

export interface ListedObjects {
  readonly objects: ReadonlyMap<string, RawResource>;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Of `mark()`, taken before the list was asked for. */
  readonly mark: number;
}

export interface WriteResult {
  readonly changes: readonly Delta[];
  /** What the write itself changed, if the cache holds its object. */
  readonly own: Delta | undefined;
}

/**
 * Guarantees: a watch event never takes an object back to an older version than our own write was answered with; an
 * answer never brings back an object whose deletion was seen; the exact echo of our own write is no change, also when
 * the watch is faster than the answer; everything else is, exactly once.
 */
export class Cache {
  readonly #objects = new Map<string, RawResource>();
  /** For objects that hold the answer of an own write which the watch has not told of: the number of that write. */
  readonly #overlaid = new Map<string, number>();
  /** Changes of objects that are being written, kept back until it is known which of them is the write itself. */
  readonly #writing = new Map<string, { writes: number; held: Delta[] }>();
  #writes = 0;

  get(place: string): RawResource | undefined {
    return this.#objects.get(place);
  }

  /** It holds the answer of an own write that the watch has not told of. */
  awaitsEcho(place: string): boolean {
    return this.#overlaid.has(place);
  }

  values(): Iterable<RawResource> {
    return this.#objects.values();
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Own writes answered after this are newer than a list begun now. */
  mark(): number {
    return this.#writes;
  }

  put(object: RawResource): readonly Delta[] {
    const place = placeOf(object.metadata);
    const previous = this.#objects.get(place);
    if (previous !== undefined && !newerThan(object, previous)) {
      // The echo of our own write: no list is under way while a watch is, so all lists from now on know of it.
      if (versionOf(previous) === versionOf(object)) this.#overlaid.delete(place);
      return [];
    }
    return this.#held(place, this.#set(place, object));
  }

  /** An object that left a field selection counts as deleted, too. */
  remove(object: RawResource): readonly Delta[] {
    const place = placeOf(object.metadata);
    const previous = this.#objects.get(place);
    if (previous === undefined) return [];
    if (previous.metadata.uid !== object.metadata.uid && newerThan(previous, object)) return [];
    return this.#held(place, this.#delete(place, previous));
  }

  /** Takes a complete list for the truth, even where its versions are older: after a restored backup they are. */
  replace(listed: ListedObjects): readonly Delta[] {
    const changes: Delta[] = [];
    for (const [place, previous] of this.#objects) {
      const inScope = listed.namespace === undefined || listed.namespace === previous.metadata.namespace;
      if (inScope && !listed.objects.has(place)) changes.push(...this.#held(place, this.#delete(place, previous)));
    }
    for (const [place, object] of listed.objects) {
      if (!this.#stays(place, object, listed.mark)) changes.push(...this.#held(place, this.#set(place, object)));
    }
    return changes;
  }

  /** Must be followed by `endWrite`, whatever becomes of the write. */
  beginWrite(place: string): void {
    const writing = this.#writing.get(place) ?? { writes: 0, held: [] };
    writing.writes += 1;
    this.#writing.set(place, writing);
  }

  /** Without `write` it failed, or its object is gone. */
  endWrite(place: string, write?: OwnWrite): WriteResult {
    const held = this.#release(place);
    if (write === undefined) return { changes: held, own: undefined };
    const isEcho = (delta: Delta): boolean =>
      versionOf(delta.previous) === versionOf(write.base) && versionOf(delta.current) === versionOf(write.answer);
    const echo = held.find(isEcho);
    if (echo !== undefined) return { changes: held.filter((delta) => delta !== echo), own: echo };
    return this.#overlay(place, write, held);
  }

  #overlay(place: string, { base, answer }: OwnWrite, held: readonly Delta[]): WriteResult {
    const previous = this.#objects.get(place);
    const known = previous?.metadata.uid === answer.metadata.uid;
    if (!known || !(newerThan(answer, previous) || endsIt(answer, previous))) return { changes: held, own: undefined };
    const [delta] = this.#set(place, answer);
    this.#writes += 1;
    this.#overlaid.set(place, this.#writes);
    // Written from something newer than the cache held: subscribers have not heard of that yet.
    if (versionOf(previous) !== versionOf(base))
      return { changes: [...held, ...(delta ? [delta] : [])], own: undefined };
    return { changes: held, own: delta };
  }

  /** True when the cache already holds this, or the answer of a write of ours that this list could not know. */
  #stays(place: string, object: RawResource, mark: number): boolean {
    const cached = this.#objects.get(place);
    if (cached === undefined || cached.metadata.uid !== object.metadata.uid) return false;
    if (versionOf(cached) === versionOf(object)) return true;
    return (this.#overlaid.get(place) ?? 0) > mark && newerThan(cached, object);
  }

  #set(place: string, arrived: RawResource): readonly Delta[] {
    const previous = this.#objects.get(place);
    const current = sharing(arrived, previous);
    this.#objects.set(place, current);
    this.#overlaid.delete(place);
    if (previous === undefined || previous.metadata.uid === current.metadata.uid) return [{ previous, current }];
    // Deleted and made anew while we did not look.
    return [
      { previous, current: undefined },
      { previous: undefined, current },
    ];
  }

  #delete(place: string, previous: RawResource): readonly Delta[] {
    this.#objects.delete(place);
    this.#overlaid.delete(place);
    return [{ previous, current: undefined }];
  }

  #held(place: string, changes: readonly Delta[]): readonly Delta[] {
    const writing = this.#writing.get(place);
    if (writing === undefined) return changes;
    writing.held.push(...changes);
    return [];
  }

  #release(place: string): readonly Delta[] {
    const writing = this.#writing.get(place);
    if (writing === undefined) return [];
    writing.writes -= 1;
    if (writing.writes === 0) this.#writing.delete(place);
    return writing.held.splice(0);
  }
}

function versionOf(resource: RawResource | undefined): string | undefined {
  return resource?.metadata.resourceVersion;
}

/** Taking the last finalizer off deletes the object: it is answered as it was before, under its old version. */
function endsIt({ metadata }: RawResource, previous: RawResource): boolean {
  const last = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
  return last && metadata.resourceVersion === previous.metadata.resourceVersion;
}
