// Objects of the service that were gone and are there again under their ids: a service that lost them has found them.

/** A list may be so old when somebody acts upon it. */
const listAgeMs = 10_000;

export class Returns {
  readonly #gone = new Set<string>();
  readonly #backAt = new Map<string, number>();

  note(id: string, isThere: boolean, now: number): void {
    if (!isThere) this.#gone.add(id);
    else if (this.#gone.delete(id)) this.#backAt.set(id, now);
  }

  /** So lately that a list which lacks it may still be acted upon. */
  isNews(id: string, now: number): boolean {
    return now - (this.#backAt.get(id) ?? Number.NEGATIVE_INFINITY) < listAgeMs;
  }
}
