// Which key is next: lanes are served in turn, each up to its own limit, and within a lane changes come before polls.
import type { Priority } from './due.ts';

/** First in, first out, with removal from the middle. */
class Line<T> {
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

/** While polls wait, at most this many changes of their lane come before one of them. */
export const patience = 8;

interface Lane {
  readonly name: string;
  readonly change: Line<string>;
  readonly poll: Line<string>;
  /** Changes that came before a waiting poll. */
  passedOver: number;
  inFlight: number;
}

export interface Start {
  readonly key: string;
  readonly lane: string;
}

/**
 * Guarantees:
 * - a lane has at most `limitOf(lane)` (at least one) in flight, whatever the others have; a smaller limit stops nothing in flight;
 * - a lane with a waiting key and room is served after at most one start of each other lane;
 * - within a lane the key that waits longest is next, changes before polls, yet a poll comes after at most `patience` changes;
 * - every operation takes constant time, and an empty lane takes no memory.
 */
export class Lanes {
  readonly #limitOf: (lane: string) => number;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with a waiting key and room. */
  readonly #turns = new Line<Lane>();
  #waiting = 0;

  constructor(limitOf: (lane: string) => number) {
    this.#limitOf = limitOf;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** The number of lanes with a key waiting or in flight. */
  get size(): number {
    return this.#lanes.size;
  }

  /** The key must not be waiting already. */
  join(key: string, name: string, priority: Priority): void {
    const lane = this.#lanes.get(name) ?? openLane(name);
    this.#lanes.set(name, lane);
    lane[priority].join(key);
    this.#waiting += 1;
    this.#settle(lane);
  }

  /** Stops waiting; with the arguments of the call that joined. */
  leave(key: string, name: string, priority: Priority): void {
    const lane = this.#of(name);
    lane[priority].leave(key);
    this.#waiting -= 1;
    this.#settle(lane);
  }

  /** The next key to serve, in flight from now on; undefined when none waits in a lane with room. */
  next(): Start | undefined {
    for (let lane = this.#turns.take(); lane !== undefined; lane = this.#turns.take()) {
      // The limit may have shrunk since; then the end of a run brings the lane back.
      const key = this.#hasRoom(lane) ? takeFrom(lane) : undefined;
      if (key === undefined) continue;
      this.#waiting -= 1;
      lane.inFlight += 1;
      this.#settle(lane);
      return { key, lane: lane.name };
    }
    return undefined;
  }

  /** A run has ended. */
  done(name: string): void {
    const lane = this.#of(name);
    lane.inFlight -= 1;
    this.#settle(lane);
  }

  #of(name: string): Lane {
    const lane = this.#lanes.get(name);
    if (lane === undefined) throw new Error(`nobody waits or is in flight in lane ${name}`);
    return lane;
  }

  #hasRoom({ name, inFlight }: Lane): boolean {
    return inFlight < Math.max(1, this.#limitOf(name));
  }

  #settle(lane: Lane): void {
    const waits = lane.change.length + lane.poll.length > 0;
    if (waits && this.#hasRoom(lane)) this.#turns.join(lane);
    else this.#turns.leave(lane);
    if (!waits && lane.inFlight === 0) this.#lanes.delete(lane.name);
  }
}

function openLane(name: string): Lane {
  return { name, change: new Line(), poll: new Line(), passedOver: 0, inFlight: 0 };
}

function takeFrom(lane: Lane): string | undefined {
  const isPoll = lane.poll.length > 0 && (lane.change.length === 0 || lane.passedOver >= patience);
  lane.passedOver = isPoll || lane.poll.length === 0 ? 0 : lane.passedOver + 1;
  return (isPoll ? lane.poll : lane.change).take();
}
