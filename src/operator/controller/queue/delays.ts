// Tells when the time of each of many has come, by one timer: a timer, a closure and a list for each take half a kB.
import type { Clock } from '../../../lib/ports.ts';
import { type Due, msUntil } from './due.ts';

/** An entry, to be handed back for leaving before its time. */
export interface Delay {
  readonly due: Due;
}

interface DelayEntry extends Delay {
  readonly value: string;
  /** Of two that are due at the same time the one that was entered first is first. */
  readonly order: number;
  /** Its place in the heap. */
  slot: number;
}

/** A binary heap, whose entries know their place so that they can leave from its middle: all takes O(log n). */
export class DelayQueue {
  readonly #clock: Clock;
  readonly #come: (value: string, due: Due) => void;
  readonly #heap: DelayEntry[] = [];
  #entered = 0;
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;

  /** `come` is told of each whose time has come, in the order of their times. */
  constructor(clock: Clock, come: (value: string, due: Due) => void) {
    this.#clock = clock;
    this.#come = come;
  }

  enter(value: string, due: Due): Delay {
    this.#entered += 1;
    const entry: DelayEntry = { value, due, order: this.#entered, slot: this.#heap.length };
    this.#heap.push(entry);
    this.#rise(entry);
    this.#arm();
    return entry;
  }

  /** `appointment` must come from `enter` and its time must not have come yet. */
  leave(appointment: Delay): void {
    const { slot } = appointment as DelayEntry;
    const last = this.#heap.pop();
    if (last !== undefined && last !== appointment) {
      this.#put(last, slot);
      this.#rise(last);
      this.#sink(last);
    }
    if (this.#heap.length === 0) this.#disarm();
  }

  /** A timer that is too early does no harm: it finds nobody, and is set anew. */
  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined || (this.#timer && this.#timer.at <= first.due.at)) return;
    this.#disarm();
    const cancel = this.#clock.after(Math.max(0, msUntil(first.due, this.#clock.monotonic())), () => this.#ring());
    this.#timer = { at: first.due.at, cancel };
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #ring(): void {
    this.#timer = undefined;
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (msUntil(first.due, this.#clock.monotonic()) > 0) break;
      this.leave(first);
      this.#come(first.value, first.due);
    }
    this.#arm();
  }

  #rise(entry: DelayEntry): void {
    for (;;) {
      const parent = this.#heap[(entry.slot - 1) >> 1];
      if (entry.slot === 0 || parent === undefined || isBefore(parent, entry)) return;
      this.#swap(entry, parent);
    }
  }

  #sink(entry: DelayEntry): void {
    for (;;) {
      const [left, right] = [this.#heap[2 * entry.slot + 1], this.#heap[2 * entry.slot + 2]];
      const child = left && right && isBefore(right, left) ? right : left;
      if (child === undefined || isBefore(entry, child)) return;
      this.#swap(entry, child);
    }
  }

  #swap(one: DelayEntry, other: DelayEntry): void {
    const { slot } = one;
    this.#put(one, other.slot);
    this.#put(other, slot);
  }

  #put(entry: DelayEntry, slot: number): void {
    this.#heap[slot] = entry;
    entry.slot = slot;
  }
}

function isBefore(one: DelayEntry, other: DelayEntry): boolean {
  return one.due.at === other.due.at ? one.order < other.order : one.due.at < other.due.at;
}
