// Decides whether one GET is cheaper than the LIST that serves everybody.

/** Up to so many rows a LIST costs no more than a GET. */
const smallList = 50;
/** So many ids may be asked for one by one within `windowMs`; from the next one on a LIST is cheaper. */
const fewSingles = 3;
const windowMs = 1_000;

export class Singles {
  /** Ids that were asked for one by one, and when. */
  readonly #asked = new Map<string, number>();

  /** Whether to ask for `id` alone, at `now` (ms), where the last LIST had `rows` rows. A yes counts. */
  admit(id: string, rows: number, now: number): boolean {
    for (const [other, at] of this.#asked) if (now - at > windowMs) this.#asked.delete(other);
    if (rows <= smallList || (this.#asked.size >= fewSingles && !this.#asked.has(id))) return false;
    this.#asked.set(id, now);
    return true;
  }
}
