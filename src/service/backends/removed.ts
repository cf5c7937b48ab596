// What was removed lately, so that a call that has not ended does not make it again.

/** Such a call was aborted before the removal, and ends long before so many others are removed. */
export const leastRemembered = 10_000;

/** Identifiers, which are never used again. The latest `leastRemembered` are known, and at most as many older ones. */
export class Removed {
  // Two generations, because a Set becomes slow when its oldest entry is deleted again and again.
  #young = new Set<string>();
  #old = new Set<string>();

  add(id: string): void {
    this.#young.add(id);
    if (this.#young.size >= leastRemembered) [this.#young, this.#old] = [new Set(), this.#young];
  }

  has(id: string): boolean {
    return this.#young.has(id) || this.#old.has(id);
  }
}
