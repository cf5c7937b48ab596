// What passed the links for one cell: how often each write was tried and carried out, and who waits for the next of them.
import type { Exchange } from './link.ts';
import type { Point, Side } from './points.ts';

export interface Count {
  readonly tried: number;
  /** Answered with 2xx by the other side, whatever the operator heard of it. */
  readonly done: number;
  /** Answered with no by the other side itself. */
  readonly refused: number;
}

export type Counts = Readonly<Record<string, Count>>;

const none: Count = { tried: 0, done: 0, refused: 0 };

export class Tally {
  #counts = new Map<string, Count>();
  #mine = new WeakSet<Exchange>();
  #writes = 0;
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

  tried(exchange: Exchange, { id, deed }: Point): void {
    this.#mine.add(exchange);
    this.#add(id, 'tried');
    if (deed !== 'lease') this.#writes += 1;
  }

  answered(exchange: Exchange, { id }: Point, status: number): void {
    if (this.#mine.has(exchange)) this.#add(id, status < 300 ? 'done' : 'refused');
    this.#happened(`answered ${id}`);
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
