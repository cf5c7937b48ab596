// The shared LIST: one answer serves everyone who asks about a route, and everyone gets one whose request was sent late enough.
import type { Clock } from '../../../lib/ports.ts';
import type { AnyRow, Collection, RowOf } from '../../../wire/routes.ts';
import { type Flight, Flights, orAborted } from './flight.ts';
import type { Changed, ListResult } from './list-reading.ts';
import type { Moment, Observation, Snapshot, View } from './list-view.ts';
import { RowCache } from './row-cache.ts';

/** A LIST is followed by a pause of this many times its duration. */
const restFactor = 4;
/** Nobody waits longer than this for a LIST to be sent, in ms. */
const longestRestMs = 1_000;
/** Shorter pauses are not worth a timer. */
const shortestRestMs = 100;
/** LISTs of a collection are sent once in this time, in ms, however many callers there are. */
const intervalMs = 1_000;
/** After a quiet while, this many are sent without waiting: what is applied together is made in several steps. */
const burst = 2;

/** Keeps LISTs apart: long ones would take all the capacity there is, and each serves more callers the later it is sent. */
class ListThrottle {
  readonly #clock: Clock;
  #next = 0;
  /** When all LISTs so far would have been sent at the steady rate. */
  #paidUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until the next LIST may be sent; 0 or less: at once. */
  restMs(): number {
    return Math.max(this.#next, this.#paidUntil - (burst - 1) * intervalMs) - this.#clock.monotonic();
  }

  /** Sends the next LIST after a pause in proportion to the last one, or at once. */
  async send<T>(list: () => Promise<T>): Promise<T> {
    const restMs = this.restMs();
    if (restMs > 0) await new Promise<void>((resolve) => this.#clock.after(restMs, resolve));
    const begunAt = this.#clock.monotonic();
    this.#paidUntil = Math.max(this.#paidUntil, begunAt) + intervalMs;
    try {
      return await list();
    } finally {
      this.#ended(begunAt);
    }
  }

  #ended(begunAt: number): void {
    const now = this.#clock.monotonic();
    const restMs = Math.min(restFactor * (now - begunAt), longestRestMs);
    this.#next = restMs < shortestRestMs ? 0 : now + restMs;
  }
}

export interface ObserveOptions {
  /**
   * `Clock.monotonic()`: only an answer whose request was sent at this time or later will do. Where a request was sent in the same
   * millisecond in which a write of ours ended, it must also have been sent after that end.
   */
  readonly notBefore: number;
  readonly signal?: AbortSignal | undefined;
}

export interface SingleRead {
  readonly sent: Moment;
  readonly row: AnyRow | undefined;
}

/** The requests that the inventory sends. `sending` is called at the moment the request is sent. */
export interface Reads {
  list(route: Collection, previous: Snapshot | undefined, sending: () => Moment): Promise<ListResult>;
  /** Undefined: 404 in the service's own shape. */
  get(route: Collection, id: string, sending: () => Moment): Promise<SingleRead>;
}

export type ChangeListener = (route: Collection, changed: Changed) => void;

interface Stock {
  readonly cache: RowCache;
  readonly throttle: ListThrottle;
  /** By id: when the GET was sent that was answered with 404. Oldest first. */
  readonly missing: Map<string, number>;
  /** By id: when the LIST was sent that lacks the row, while the one before had it. Oldest first. */
  readonly dropped: Map<string, number>;
}

/** Of each collection. What is forgotten is asked for again. */
const mostMissing = 10_000;

function remember(times: Map<string, number>, id: string, at: number): void {
  times.delete(id);
  times.set(id, at);
  if (times.size > mostMissing) times.delete(times.keys().next().value ?? '');
}

export class Inventory {
  readonly #reads: Reads;
  readonly #clock: Clock;
  readonly #stocks = new Map<string, Stock>();
  readonly #listings = new Flights(() => this.#send());
  readonly #listeners: ChangeListener[] = [];
  /** Counts sends and ends of our writes. */
  #order = 0;
  #lastEffect = 0;

  constructor(reads: Reads, clock: Clock) {
    this.#reads = reads;
    this.#clock = clock;
  }

  /**
   * What the service has, listed by a request that was sent late enough: an answer at hand, one in flight, or a new one.
   * Rejects with the ServiceError of the request, or of the aborted wait; throws a RangeError for a `notBefore` in the future.
   */
  async observe<R extends Collection>(route: R, { notBefore, signal }: ObserveOptions): Promise<View<RowOf<R>>> {
    if (notBefore > this.#clock.monotonic()) throw new RangeError('notBefore is in the future');
    const { cache } = this.#stock(route);
    for (;;) {
      const view = this.#serves(cache.snapshot?.sent, notBefore) ? cache.view() : undefined;
      if (view !== undefined) return view as View<RowOf<R>>;
      await orAborted(this.#listShared(route, notBefore), route.path, signal);
    }
  }

  /** The last snapshot with later answers, without any request; undefined before the first LIST. */
  peek<R extends Collection>(route: R): View<RowOf<R>> | undefined {
    return this.#stock(route).cache.view() as View<RowOf<R>> | undefined;
  }

  /** The same, with what was written before the first LIST. What it lacks may exist. */
  known<R extends Collection>(route: R): View<RowOf<R>> {
    return this.#stock(route).cache.known() as View<RowOf<R>>;
  }

  /** How many routes were listed. */
  get listed(): number {
    return this.#stocks.values().reduce((sum, { cache }) => sum + (cache.snapshot === undefined ? 0 : 1), 0);
  }

  /** Always sends one GET. Together with a LIST begun later that lacks the id, a 404 proves that the object is gone. */
  async getById<R extends Collection>(route: R, id: string, signal?: AbortSignal): Promise<Observation<RowOf<R>>> {
    const { row, sent } = await orAborted(
      this.#reads.get(route, id, () => this.#send()),
      route.path,
      signal,
    );
    const { cache, missing, dropped } = this.#stock(route);
    if (row === undefined) {
      cache.forget(id, sent.order);
      remember(missing, id, sent.at);
    } else {
      missing.delete(id);
      dropped.delete(id);
    }
    return { sentAt: sent.at, row: row as RowOf<R> | undefined };
  }

  /** Proven by an earlier GET and the newest LIST, without any request. It ends when a LIST has the object again. */
  isGone(route: Collection, id: string): boolean {
    const { cache, missing } = this.#stock(route);
    const { at = Number.NEGATIVE_INFINITY } = cache.snapshot?.sent ?? {};
    return at > (missing.get(id) ?? Number.POSITIVE_INFINITY) && cache.view()?.byId(id) === undefined;
  }

  /**
   * `Clock.monotonic()` when the first LIST was sent that lacks an object which the LIST before had, with all rows readable; undefined: not known, or the object
   * has been seen since.
   */
  droppedAt(route: Collection, id: string): number | undefined {
    return this.#stock(route).dropped.get(id);
  }

  /** Called after each LIST that differs from the one before; all rows of the first one count as new. Must not throw. */
  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Milliseconds since the request of the newest LIST was sent; undefined before the first. */
  age(route: Collection): number | undefined {
    const sent = this.#stock(route).cache.snapshot?.sent;
    return sent === undefined ? undefined : this.#clock.monotonic() - sent.at;
  }

  /** Milliseconds that a LIST would wait now before it is sent; 0 or less: it does not wait. */
  restMs(route: Collection): number {
    return this.#stock(route).throttle.restMs();
  }

  /** The row that has just answered a write of ours. */
  noteWritten(route: Collection, row: AnyRow): void {
    const { cache, missing, dropped } = this.#stock(route);
    missing.delete(row.id);
    dropped.delete(row.id);
    cache.write(row, this.ended());
  }

  /** A DELETE of ours has just been answered. The row may remain for a while; only a LIST shows that it is gone. */
  forget(route: Collection, id: string): void {
    this.#stock(route).cache.forget(id, this.ended());
  }

  /** A write of ours has just ended, with or without success: requests sent before it do not show its effect. */
  ended(): number {
    this.#lastEffect = ++this.#order;
    return this.#lastEffect;
  }

  #stock(route: Collection): Stock {
    const found = this.#stocks.get(route.path);
    if (found !== undefined) return found;
    const throttle = new ListThrottle(this.#clock);
    const stock = { cache: new RowCache(), throttle, missing: new Map(), dropped: new Map() };
    this.#stocks.set(route.path, stock);
    return stock;
  }

  #send(): Moment {
    return { at: this.#clock.monotonic(), order: ++this.#order };
  }

  #serves(sent: Moment | undefined, notBefore: number): boolean {
    if (sent === undefined || sent.at < notBefore) return false;
    return sent.at > notBefore || sent.order > this.#lastEffect;
  }

  #canJoin(flight: Flight, notBefore: number): boolean {
    return flight.sent === undefined || this.#serves(flight.sent, notBefore);
  }

  /** Joins the LIST in flight unless it was sent too early; otherwise sends another one after it. */
  async #listShared(route: Collection, notBefore: number): Promise<void> {
    let under = this.#listings.under(route.path);
    while (under !== undefined && !this.#canJoin(under, notBefore)) {
      await under.result.catch(() => undefined);
      under = this.#listings.under(route.path);
    }
    under ??= this.#listings.start(route.path, (sending) => this.#list(route, sending));
    return under.result;
  }

  async #list(route: Collection, sending: () => Moment): Promise<void> {
    const { cache, throttle, missing, dropped } = this.#stock(route);
    const { snapshot, changed } = await throttle.send(() => this.#reads.list(route, cache.snapshot, sending));
    cache.list(snapshot);
    for (const id of changed.ids) {
      missing.delete(id);
      if (snapshot.rows.has(id)) dropped.delete(id);
      else if (snapshot.complete) remember(dropped, id, snapshot.sent.at);
    }
    if (changed.ids.size > 0) for (const listener of this.#listeners) listener(route, changed);
  }
}
