// Which objects of a cache belong to something, such as all that name one other object.
import type { RawResource } from '../resource.ts';

/** What an object belongs to; undefined: to nothing. */
export type IndexOf = (object: RawResource) => string | undefined;

export class CacheIndex {
  readonly #indexOf: IndexOf;
  readonly #places = new Map<string, Set<string>>();

  constructor(indexOf: IndexOf) {
    this.#indexOf = indexOf;
  }

  placesOf(text: string): readonly string[] {
    return [...(this.#places.get(text) ?? [])];
  }

  /** Another version is at this place, or none any more. */
  move(place: string, previous: RawResource | undefined, current: RawResource | undefined): void {
    const [from, to] = [previous, current].map((object) => object && this.#indexOf(object));
    if (from === to) return;
    if (from !== undefined) this.#remove(from, place);
    if (to !== undefined) this.#places.set(to, (this.#places.get(to) ?? new Set()).add(place));
  }

  #remove(text: string, place: string): void {
    const places = this.#places.get(text);
    places?.delete(place);
    if (places?.size === 0) this.#places.delete(text);
  }
}
