// What passed the links for one cell: how often each write was tried and carried out, and who waits for the next of them.

import type { Point, Side } from '../tables/points.ts';
import type { Exchange, Reply } from './exchange.ts';

export interface Count {
  readonly tried: number;
  /** Answered with 2xx by the other side, whatever the operator heard of it; by the API server: with a version that was not there before. */
  readonly done: number;
  /** Answered with no by the other side itself. */
  readonly refused: number;
  /** Answered with 2xx, and nothing is other than before. */
  readonly idle: number;
}

export type Counts = Readonly<Record<string, Count>>;

/** Of an object that the API server answers with, as far as it matters here. */
interface Answered {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
}

const none: Count = { tried: 0, done: 0, refused: 0, idle: 0 };

export class Tally {
  #counts = new Map<string, Count>();
  #mine = new WeakSet<Exchange>();
  #writes = 0;
  /** Of all objects that the API server answered a write with. */
  readonly #versions = new Set<string>();
  readonly #looks = new Map<string, number>();
  #waiting: { readonly fits: (what: string) => boolean; readonly go: () => void }[] = [];

  /** Forgets what was counted, and what is still to come of it. */
  begin(): void {
    this.#counts = new Map();
    this.#mine = new WeakSet();
  }

  counts(): Counts {
    return Object.fromEntries(this.#counts);
  }

  of(id: string): Count {
    return this.#counts.get(id) ?? none;
  }

  /** All writes but those of leases, which are renewed for ever. */
  get writes(): number {
    return this.#writes;
  }

  /** How many that were counted as tried are not answered yet. */
  get unanswered(): number {
    return [...this.#counts.values()].reduce(
      (sum, { tried, done, refused, idle }) => sum + tried - done - refused - idle,
      0,
    );
  }

  tried(exchange: Exchange, { id, deed }: Point): void {
    this.#mine.add(exchange);
    this.#add(id, 'tried');
    if (deed !== 'lease') this.#writes += 1;
  }

  answered(exchange: Exchange, point: Point, reply: Reply): void {
    const { id } = point;
    if (this.#mine.has(exchange)) this.#add(id, this.#effectOf(exchange, point, reply));
    this.#happened(`answered ${id}`);
  }

  #effectOf(
    { write: { side, path } }: Exchange,
    { deed }: Point,
    { status, body }: Reply,
  ): 'done' | 'idle' | 'refused' {
    if (status >= 300) return 'refused';
    if (side === 'service') return 'done';
    const { metadata = {} } = JSON.parse(body.toString()) as { readonly metadata?: Answered };
    const { uid, deletionTimestamp, finalizers = [], resourceVersion } = metadata;
    // It goes once, although the API server says yes to each of several releases that meet.
    const gone = deed === 'release' && deletionTimestamp !== undefined && finalizers.length === 0;
    const version = `${path.replace(/\/status$/, '')} ${gone ? `${uid} is gone` : resourceVersion}`;
    const news = !this.#versions.has(version);
    this.#versions.add(version);
    return news ? 'done' : 'idle';
  }

  /** How often this path of the service was read. */
  looks(path: string): number {
    return this.#looks.get(path) ?? 0;
  }

  looked(side: Side, path: string): void {
    if (side === 'service') this.#looks.set(path, this.looks(path) + 1);
    this.#happened(`looked ${side} ${path}`);
  }

  /** Resolves when the next such thing happens: `answered <point>` or `looked <side> <path>`. */
  next(fits: (what: string) => boolean): Promise<void> {
    return new Promise((go) => this.#waiting.push({ fits, go }));
  }

  #add(id: string, what: keyof Count): void {
    const count = this.of(id);
    this.#counts.set(id, { ...count, [what]: count[what] + 1 });
  }

  #happened(what: string): void {
    const met = this.#waiting.filter(({ fits }) => fits(what));
    this.#waiting = this.#waiting.filter((one) => !met.includes(one));
    for (const { go } of met) go();
  }
}
