// First in, first out, whose members may also leave from the middle. Every operation takes constant time.

export class Line<T> {
  readonly #members = new Set<T>();
  /** Goes on where it stopped, also when members came since: a new one would walk over the places of all who left. */
  #first = this.#members.values();

  get length(): number {
    return this.#members.size;
  }

  /** Whoever is in the line already keeps the place. */
  join(member: T): void {
    this.#members.add(member);
  }

  leave(member: T): void {
    this.#members.delete(member);
  }

  /** Takes the one who has waited longest. */
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
