// Whose turn it is among the lanes: first come, first served, and the fewer a lane has in flight, the more room is left for it.
import { LinkedList, type ListEntry } from './linked-list.ts';

/** A lane with fewer in flight gets room where those with more get none any longer. */
export const FEW = 4;
/** One with as many is served only while there is plenty of room: a lane may have a thousand, and all may hang. */
export const MANY = 16;

export interface Turn<L> {
  readonly line: LinkedList<L>;
  readonly place: ListEntry<L>;
  /** Counted over all lines. */
  readonly number: number;
}

interface Taker<L> {
  readonly inFlight: number;
  /** Undefined while it wants none. */
  turn: Turn<L> | undefined;
}

/** Every operation takes constant time. */
export class RoundRobin<L extends Taker<L>> {
  readonly #concurrency: number;
  readonly #none = new LinkedList<L>();
  readonly #few = new LinkedList<L>();
  readonly #some = new LinkedList<L>();
  readonly #many = new LinkedList<L>();
  #count = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** To be called whenever a lane begins or ceases to want a turn, and when what it has in flight changes. */
  settle(lane: L, wants: boolean): void {
    const line = wants ? this.#lineOf(lane) : undefined;
    if (line === lane.turn?.line) return;
    this.#leave(lane);
    if (line !== undefined) lane.turn = { line, place: line.join(lane), number: this.#count++ };
  }

  /** Of the lanes with room, while so many are in flight over all lanes, the one whose turn came first; it has none any more. */
  take(inFlight: number): L | undefined {
    let turn: Turn<L> | undefined;
    for (const line of this.#linesWithRoom(inFlight)) {
      const first = line.first?.turn;
      if (first !== undefined && (turn === undefined || first.number < turn.number)) turn = first;
    }
    if (turn === undefined) return undefined;
    const lane = turn.place.value;
    this.#leave(lane);
    return lane;
  }

  #leave(lane: L): void {
    lane.turn?.line.leave(lane.turn.place);
    lane.turn = undefined;
  }

  #lineOf({ inFlight }: L): LinkedList<L> {
    if (inFlight === 0) return this.#none;
    if (inFlight < FEW) return this.#few;
    return inFlight < MANY ? this.#some : this.#many;
  }

  #linesWithRoom(inFlight: number): readonly LinkedList<L>[] {
    if (inFlight >= this.#concurrency) return [this.#none];
    if (inFlight >= this.#concurrency * 0.75) return [this.#none, this.#few];
    if (inFlight >= this.#concurrency / 2) return [this.#none, this.#few, this.#some];
    return [this.#none, this.#few, this.#some, this.#many];
  }
}
