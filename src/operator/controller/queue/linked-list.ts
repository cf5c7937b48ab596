// A first-in-first-out line whose members may also leave from the middle; every operation takes constant time.

/** A place in a line, to be handed back for leaving early. */
export interface ListEntry<T> {
  readonly value: T;
  readonly before: ListEntry<T> | undefined;
  readonly after: ListEntry<T> | undefined;
}

interface InnerEntry<T> extends ListEntry<T> {
  before: InnerEntry<T> | undefined;
  after: InnerEntry<T> | undefined;
}

/** Not an array, whose middle costs O(n) to leave, nor a Set, whose deleted head is walked again by every look at the first. */
export class LinkedList<T> {
  #first: InnerEntry<T> | undefined;
  #last: InnerEntry<T> | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The one who has waited longest. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  join(value: T): ListEntry<T> {
    const link: InnerEntry<T> = { value, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    this.#length += 1;
    return link;
  }

  /** `place` must come from `join` of this line and must not have left yet. */
  leave(place: ListEntry<T>): void {
    const { before, after } = place as InnerEntry<T>;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    this.#length -= 1;
  }

  /** Takes the one who has waited longest. */
  take(): T | undefined {
    const first = this.#first;
    if (first === undefined) return undefined;
    this.leave(first);
    return first.value;
  }
}
