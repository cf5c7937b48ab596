// Bounds how many objects expire within some minutes, by a clock that nobody can set. The clock of this computer decides about
// deadlines, and one that is set to next year lets all of them pass at once: then the first few go, the rest is announced as held back, and
// somebody has time to notice. Neither the clock of a service nor that of the API server decides about any deadline.
import type { Clock } from '../../lib/ports.ts';
import { type Key, keyText } from '../reconcile/pass-ports.ts';

const windowMs = 10 * 60_000;
/** How many may go within a window: this number, or this share of all that have a lifecycle, whichever is more. */
const harmless = 5;
const harmlessShare = 0.2;

export class ExpiryLimit {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #total: () => number;
  /** When each key was admitted. */
  readonly #admitted = new Map<string, number>();

  /** `total`: how many objects have a lifecycle. */
  constructor(clock: Pick<Clock, 'monotonic'>, total: () => number) {
    this.#clock = clock;
    this.#total = total;
  }

  /** One that was admitted is not counted again, however often it is tried. */
  admit(key: Key): boolean {
    const now = this.#clock.monotonic();
    for (const [known, at] of this.#admitted) if (now - at >= windowMs) this.#admitted.delete(known);
    const text = keyText(key);
    if (this.#admitted.has(text)) return true;
    if (this.#admitted.size >= Math.max(harmless, Math.floor(harmlessShare * this.#total()))) return false;
    this.#admitted.set(text, now);
    return true;
  }
}
