// A first-in-first-out line whose members may also leave from the middle; every operation takes constant time.

/** A place in a line, to be handed back for leaving early. */
export interface Place<T> {
  readonly value: T;
  readonly before: Place<T> | undefined;
  readonly after: Place<T> | undefined;
}

interface Link<T> extends Place<T> {
  before: Link<T> | undefined;
  after: Link<T> | undefined;
}

/** Not an array, whose middle costs O(n) to leave, nor a Set, whose deleted head is walked again by every look at the first. */
export class Line<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The one who has waited longest. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  join(value: T): Place<T> {
    const link: Link<T> = { value, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    this.#length += 1;
    return link;
  }

  /** `place` must come from `join` of this line and must not have left yet. */
  leave(place: Place<T>): void {
    const { before, after } = place as Link<T>;
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
