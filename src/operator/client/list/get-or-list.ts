// Decides whether one GET is cheaper than the LIST that serves everybody.

/** Up to so many rows a LIST costs no more than a GET. */
const smallList = 50;
/** So many objects may be looked after one by one; from the next one on a LIST is cheaper. */
const fewSingles = 3;
/** Longer than objects that are settled are left alone: who was not asked about for so long is not looked after any more. */
const windowMs = 150_000;

export class GetOrList {
  /** The ids that were asked about last, and when; one more than may be few. */
  readonly #asked = new Map<string, number>();

  /** Somebody asks about `id`, at `now` (ms), whether or not it takes a request. */
  note(id: string, now: number): void {
    this.#asked.delete(id);
    this.#asked.set(id, now);
    const [oldest] = this.#asked.size > fewSingles + 1 ? this.#asked.keys() : [];
    if (oldest !== undefined) this.#asked.delete(oldest);
  }

  /** Whether to ask for one id alone, at `now` (ms), where the last LIST had `rows` rows. */
  admit(rows: number, now: number): boolean {
    const lately = [...this.#asked.values()].filter((at) => now - at <= windowMs);
    return rows > smallList && lately.length <= fewSingles;
  }
}
