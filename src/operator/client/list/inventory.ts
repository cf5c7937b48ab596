// The shared LIST: one answer feeds all who ask about a route, and everybody gets one whose request was sent late enough.
import type { Clock } from '../../../lib/ports.ts';
import type { AnyRow, Collection, RowOf } from '../../../wire/rows.ts';
import { type Flight, Flights, orAborted } from './flight.ts';
import { GetOrList } from './get-or-list.ts';
import { ListThrottle } from './list-throttle.ts';
import type { Changed, Listing } from './listing.ts';
import { RowCache } from './row-cache.ts';
import type { Moment, Sighting, Snapshot, View } from './view.ts';

export interface ObserveOptions {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /**
   * `Clock.monotonic()`: only an answer will do whose request was sent at this time or later. Where a request was sent in the same
   * millisecond as an own write ended, it must also have been sent after that end.
   */
  readonly notBefore: number;
  /** True: only a LIST will do. */
  readonly list?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface SingleRead {
  readonly sent: Moment;
  readonly row: AnyRow | undefined;
}

/** The requests below an inventory. `sending` is called in the moment in which the request goes out. */
export interface Reads {
  list(route: Collection, previous: Snapshot | undefined, sending: () => Moment): Promise<Listing>;
  /** Undefined: 404 in the service's own shape. */
  get(route: Collection, id: string, sending: () => Moment): Promise<SingleRead>;
}

export type ChangeListener = (route: Collection, changed: Changed) => void;

interface Stock {
  readonly shelf: RowCache;
  readonly singles: GetOrList;
  readonly pace: ListThrottle;
}

export class Inventory {
  readonly #reads: Reads;
  readonly #clock: Clock;
  readonly #stocks = new Map<string, Stock>();
  readonly #listings = new Flights<void>(() => this.#send());
  readonly #gets = new Flights<Sighting<AnyRow>>(() => this.#send());
  readonly #listeners: ChangeListener[] = [];
  /** Counts sends and ends of own writes. */
  #order = 0;
  #lastEffect = 0;

  constructor(reads: Reads, clock: Clock) {
    this.#reads = reads;
    this.#clock = clock;
  }

  /**
   * What the service has, read by a request that was sent late enough: an answer that is there, one that is under way, or a new one.
   * A LIST, unless one id is asked for, few others are, and the list is long. Only a view with `listSentAt` that is `complete`
   * proves absence. Rejects with the ServiceError of the request, or of giving up; throws a RangeError for a `notBefore` to come.
   */
  async observe<R extends Collection>(route: R, wanted: ObserveOptions): Promise<View<RowOf<R>>> {
    if (wanted.notBefore > this.#clock.monotonic()) throw new RangeError('notBefore is in the future');
    const stock = this.#stock(route);
    const { id, signal } = wanted;
    if (id !== undefined) stock.singles.note(id, this.#clock.monotonic());
    const known = this.#known(stock, wanted);
    if (known !== undefined) return known as View<RowOf<R>>;
    if (id !== undefined && this.#prefersGet(route, stock, wanted)) {
      const { sentAt, row } = await orAborted(this.#getShared(route, id, wanted.notBefore), route.path, signal);
      return stock.shelf.viewOfOne(id, sentAt, row) as View<RowOf<R>>;
    }
    for (;;) {
      await orAborted(this.#listShared(route, wanted.notBefore), route.path, signal);
      const view = this.#known(stock, wanted);
      if (view !== undefined) return view as View<RowOf<R>>;
    }
  }

  /** The last snapshot with what came later, without any request; undefined before the first LIST. */
  peek<R extends Collection>(route: R): View<RowOf<R>> | undefined {
    return this.#stock(route).shelf.view() as View<RowOf<R>> | undefined;
  }

  /** Always sends one GET. With a LIST begun later that lacks the id it is the proof that something is gone. */
  async getById<R extends Collection>(route: R, id: string, signal?: AbortSignal): Promise<Sighting<RowOf<R>>> {
    const got = await orAborted(this.#get(route, id), route.path, signal);
    return got as Sighting<RowOf<R>>;
  }

  /** Called after each LIST that differs from the one before; all rows of the first one count as new. Must not throw. */
  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Milliseconds since the request of the newest LIST was sent; undefined before the first. */
  age(route: Collection): number | undefined {
    const sent = this.#stock(route).shelf.snapshot?.sent;
    return sent === undefined ? undefined : this.#clock.monotonic() - sent.at;
  }

  /** The row that answered an own write, now. */
  entered(route: Collection, row: AnyRow): void {
    this.#stock(route).shelf.write(row, this.ended());
  }

  /** An own DELETE was answered, now. The row may live on for a while; only a LIST shows that it is gone. */
  removed(route: Collection, id: string): void {
    this.#stock(route).shelf.forget(id, this.ended());
  }

  /** An own write ended, now, well or badly: what was sent before does not show its effect. */
  ended(): number {
    this.#lastEffect = ++this.#order;
    return this.#lastEffect;
  }

  #stock(route: Collection): Stock {
    const found = this.#stocks.get(route.path);
    if (found !== undefined) return found;
    const stock = { shelf: new RowCache(), singles: new GetOrList(), pace: new ListThrottle(this.#clock) };
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

  #known({ shelf }: Stock, { id, name, list, notBefore }: ObserveOptions): View<AnyRow> | undefined {
    if (this.#serves(shelf.snapshot?.sent, notBefore)) return shelf.view();
    if (id === undefined || name !== undefined || list === true) return undefined;
    const read = shelf.readOf(id);
    return this.#serves(read?.sent, notBefore) && read !== undefined
      ? shelf.viewOfOne(id, read.sent.at, read.row)
      : undefined;
  }

  #canJoin<T>(flight: Flight<T>, notBefore: number): boolean {
    return flight.sent === undefined || this.#serves(flight.sent, notBefore);
  }

  #prefersGet(route: Collection, { shelf, singles }: Stock, wanted: ObserveOptions): boolean {
    const { id, name, list, notBefore } = wanted;
    if (id === undefined || name !== undefined || list === true) return false;
    const listing = this.#listings.under(route.path);
    if (listing !== undefined && this.#canJoin(listing, notBefore)) return false;
    return singles.admit(shelf.snapshot?.rows.size ?? 0, this.#clock.monotonic());
  }

  /** Joins the LIST under way when it was not sent too early, and otherwise sends another one after it. */
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
    const { shelf, pace } = this.#stock(route);
    const { snapshot, changed } = await pace.send(() => this.#reads.list(route, shelf.snapshot, sending));
    shelf.list(snapshot);
    if (changed.ids.size > 0) for (const listener of this.#listeners) listener(route, changed);
  }

  #getShared(route: Collection, id: string, notBefore: number): Promise<Sighting<AnyRow>> {
    const under = this.#gets.under(`${route.path}/${id}`);
    return under !== undefined && this.#canJoin(under, notBefore) ? under.result : this.#get(route, id);
  }

  #get(route: Collection, id: string): Promise<Sighting<AnyRow>> {
    const { shelf } = this.#stock(route);
    const look = async (sending: () => Moment): Promise<Sighting<AnyRow>> => {
      const { row, sent } = await this.#reads.get(route, id, sending);
      if (row === undefined) shelf.forget(id, sent.order);
      else shelf.read({ row, sent });
      return { sentAt: sent.at, row };
    };
    return this.#gets.start(`${route.path}/${id}`, look).result;
  }
}
