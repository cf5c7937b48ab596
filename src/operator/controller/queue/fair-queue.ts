// Who is next: lanes served in turn, each with a limit of its own and one for all, and four priorities within a lane.
import { LinkedList, type ListEntry } from './linked-list.ts';
import { RoundRobin, type Turn } from './round-robin.ts';

/** Deletions first, then what a user or a dependency changed, then what the service tells of, then polls and the first list. */
export type Priority = 'deletion' | 'change' | 'external' | 'poll';

const ORDER = ['deletion', 'change', 'external', 'poll'] as const satisfies readonly Priority[];
/** Of thousands that were applied at once, those that are ready must not wait for the last to be begun before it is told of them. */
const LATE_ORDER = ['deletion', 'external', 'change', 'poll'] as const satisfies readonly Priority[];
/**
 * So long what the service tells of waits behind changes, in ms: to begin everything first is the fastest, since the service works on all of it
 * at once. Well below the minute within which what is told of an object becomes one event.
 */
export const LATE_MS = 20_000;
/** So often may a line with somebody waiting be passed over by more urgent ones of its lane before it is served regardless. */
export const PATIENCE = 8;

export function moreUrgent(a: Priority, b: Priority): Priority {
  return ORDER.indexOf(a) <= ORDER.indexOf(b) ? a : b;
}

/** A stay in the lanes: from waiting, over being served, to `done`. */
export interface Ticket<T> {
  readonly value: T;
  readonly priority: Priority;
}

interface Rank<T> {
  readonly line: LinkedList<InnerTicket<T>>;
  passedOver: number;
}

interface Lane<T> {
  readonly name: string;
  readonly ranks: Readonly<Record<Priority, Rank<T>>>;
  waiting: number;
  inFlight: number;
  /** Undefined while it has nobody to serve or has reached its own limit. */
  turn: Turn<Lane<T>> | undefined;
}

interface InnerTicket<T> extends Ticket<T> {
  readonly lane: Lane<T>;
  /** On the clock of `now`. */
  readonly since: number;
  place: ListEntry<InnerTicket<T>> | undefined;
}

export interface FairQueueOptions {
  readonly limitOf: (lane: string) => number;
  /** Of all lanes together, but for the first of each. */
  readonly concurrency: number;
  /** The monotonic clock, in ms. */
  readonly now: () => number;
}

/**
 * Guarantees:
 * - a lane has at most `limitOf(lane)` (at least one) in flight; a limit that shrinks stops nobody who is in flight;
 * - a lane with nobody in flight has room, however many are in flight in others, whose runs may all hang; one with fewer than `FEW` has it while
 *   fewer than `concurrency` are in flight over all lanes, one with fewer than `MANY` while these are fewer than three quarters of that, and any
 *   other while they are fewer than half;
 * - a lane with somebody waiting and room to serve is served after at most one start of each other lane, or four where its own end meanwhile;
 * - within a lane the longest waiting of the most urgent priority is next, yet no priority is passed over more than about `PATIENCE` times in a row;
 * - every operation takes constant time, and a lane without members takes no memory.
 */
export class FairQueue<T> {
  readonly #options: FairQueueOptions;
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #turns: RoundRobin<Lane<T>>;
  #waiting = 0;
  #inFlight = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#turns = new RoundRobin(options.concurrency);
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** The number of lanes that have somebody waiting or in flight. */
  get lanes(): number {
    return this.#lanes.size;
  }

  join(value: T, laneName: string, priority: Priority): Ticket<T> {
    const lane = this.#lanes.get(laneName) ?? this.#open(laneName);
    const ticket: InnerTicket<T> = { value, priority, lane, since: this.#options.now(), place: undefined };
    ticket.place = lane.ranks[priority].line.join(ticket);
    lane.waiting += 1;
    this.#waiting += 1;
    this.#settleTurn(lane);
    return ticket;
  }

  /** Gives up waiting. */
  leave(ticket: Ticket<T>): void {
    const inner = ticket as InnerTicket<T>;
    if (inner.place === undefined) throw new Error('cannot leave the lanes: the ticket does not wait');
    inner.lane.ranks[inner.priority].line.leave(inner.place);
    this.#stopWaiting(inner);
    this.#settleTurn(inner.lane);
  }

  /** The next to serve, who is in flight from now on; undefined when nobody waits or no lane with somebody waiting has room. */
  next(): Ticket<T> | undefined {
    for (let lane = this.#takeTurn(); lane !== undefined; lane = this.#takeTurn()) {
      // The limit may have shrunk since the lane took its turn; then one of its own is in flight, whose end brings the lane back.
      if (!this.#isBelowLimit(lane)) continue;
      const ticket = takeFrom(lane, this.#options.now());
      if (ticket === undefined) continue;
      this.#stopWaiting(ticket);
      lane.inFlight += 1;
      this.#inFlight += 1;
      this.#settleTurn(lane);
      return ticket;
    }
    return undefined;
  }

  /** The one in flight has ended. */
  done(ticket: Ticket<T>): void {
    const { lane } = ticket as InnerTicket<T>;
    lane.inFlight -= 1;
    this.#inFlight -= 1;
    this.#settleTurn(lane);
  }

  #open(name: string): Lane<T> {
    const rank = (): Rank<T> => ({ line: new LinkedList(), passedOver: 0 });
    const ranks = { deletion: rank(), change: rank(), external: rank(), poll: rank() };
    const lane: Lane<T> = { name, ranks, waiting: 0, inFlight: 0, turn: undefined };
    this.#lanes.set(name, lane);
    return lane;
  }

  #isBelowLimit(lane: Lane<T>): boolean {
    return lane.inFlight < Math.max(1, this.#options.limitOf(lane.name));
  }

  #takeTurn(): Lane<T> | undefined {
    return this.#turns.take(this.#inFlight);
  }

  #stopWaiting(ticket: InnerTicket<T>): void {
    ticket.place = undefined;
    ticket.lane.waiting -= 1;
    this.#waiting -= 1;
  }

  /** Brings the lane's place in the turn into line with its members. */
  #settleTurn(lane: Lane<T>): void {
    this.#turns.settle(lane, lane.waiting > 0 && this.#isBelowLimit(lane));
    if (lane.waiting === 0 && lane.inFlight === 0) this.#lanes.delete(lane.name);
  }
}

function takeFrom<T>(lane: Lane<T>, now: number): InnerTicket<T> | undefined {
  const told = lane.ranks.external.line.first;
  const late = told !== undefined && now - told.since >= LATE_MS;
  const filled = (late ? LATE_ORDER : ORDER)
    .map((priority) => lane.ranks[priority])
    .filter(({ line }) => line.length > 0);
  const chosen = filled.find(({ passedOver }) => passedOver >= PATIENCE) ?? filled[0];
  for (const rank of filled) rank.passedOver = rank === chosen || rank === filled[0] ? 0 : rank.passedOver + 1;
  return chosen?.line.take();
}
