// First in, first out, with removal from the middle. Every operation takes constant time.

export class Line<T> {
  readonly #members = new Set<T>();
  /** Continues where it stopped, also when members came since: a new iterator would walk over the places of all who left. */
  #first = this.#members.values();

  get length(): number {
    return this.#members.size;
  }

  /** A member that is in the line already keeps its place. */
  join(member: T): void {
    this.#members.add(member);
  }

  leave(member: T): void {
    this.#members.delete(member);
  }

  /** Takes the member that has waited longest. */
  take(): T | undefined {
    let next = this.#first.next();
    if (next.done === true) {
      this.#first = this.#members.values();
      next = this.#first.next();
    }
    if (next.done === true) return undefined;
    this.#members.delete(next.value);
    return next.value;
  }
}
