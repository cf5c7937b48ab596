// Which objects of a cache belong to something, such as all that name one other object.
import type { RawResource } from '../resource.ts';

/** What an object belongs to; undefined: to nothing. */
export type IndexOf = (object: RawResource) => string | undefined;

export class CacheIndex {
  readonly #indexOf: IndexOf;
  /** With their numbers in the order in which they came. */
  readonly #places = new Map<string, Map<string, number>>();
  #count = 0;

  constructor(indexOf: IndexOf) {
    this.#indexOf = indexOf;
  }

  placesOf(texts: readonly string[]): readonly string[] {
    const found = texts.flatMap((text) => [...(this.#places.get(text) ?? [])]);
    // Under one text, they are in their order.
    const ordered = texts.length < 2 ? found : found.sort(([, one], [, other]) => one - other);
    return ordered.map(([place]) => place);
  }

  /** Another version is at this place, or none any more. */
  move(place: string, previous: RawResource | undefined, current: RawResource | undefined): void {
    const [from, to] = [previous, current].map((object) => object && this.#indexOf(object));
    if (from === to) return;
    if (from !== undefined) this.#remove(from, place);
    if (to !== undefined) this.#add(to, place);
  }

  #add(text: string, place: string): void {
    this.#count += 1;
    this.#places.set(text, (this.#places.get(text) ?? new Map<string, number>()).set(place, this.#count));
  }

  #remove(text: string, place: string): void {
    const places = this.#places.get(text);
    places?.delete(place);
    if (places?.size === 0) this.#places.delete(text);
  }
}
