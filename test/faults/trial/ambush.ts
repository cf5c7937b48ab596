// Lies in wait for one write, and lets its fault befall it; counts all writes of the cell before and after.

import { freshToken, mend } from '../plane/user.ts';
import type { Fault } from '../tables/faults.ts';
import type { Point, Side } from '../tables/points.ts';
import { befall, refusalOf, statusInstead } from './acting.ts';
import type { Exchange, Reply } from './exchange.ts';
import type { Scene } from './scene.ts';
import { Tally } from './tally.ts';
import { Witness } from './witness.ts';

/** What goes wrong, and where. */
export interface Trouble {
  readonly point: Point;
  readonly fault: Fault;
}

export interface AmbushOptions {
  /** Nothing goes wrong without it. */
  readonly trouble: Trouble | undefined;
  /** Where it is; known by the first write. */
  readonly scene: () => Scene;
  /** The token that the service knows. */
  readonly token: string;
}

export class Ambush {
  readonly tally = new Tally();
  readonly #witness: Witness;
  readonly #options: AmbushOptions;
  #state: 'before' | 'armed' | 'closed' = 'before';
  #firedAt: number | undefined;
  #over = false;
  #token: 'plain' | 'revoked' | 'mended' = 'plain';
  readonly #failure = Promise.withResolvers<never>();
  /** The user has got what he asked for. */
  readonly #rest = Promise.withResolvers<void>();

  constructor(options: AmbushOptions) {
    this.#options = options;
    // Nobody may be waiting for it.
    this.#failure.promise.catch(() => undefined);
    this.#witness = new Witness(options.scene, [options.token, freshToken]);
  }

  /** What its writes broke so far. */
  get broken(): readonly string[] {
    return this.#witness.broken;
  }

  get trouble(): Trouble | undefined {
    return this.#options.trouble;
  }

  /** Undefined: it has not met its write yet. */
  get firedAt(): number | undefined {
    return this.#firedAt;
  }

  /** Rejects when the fault, or what the user does about it, cannot be carried out. */
  get failure(): Promise<never> {
    return this.#failure.promise;
  }

  /** What keeps it from being over, in words. */
  get pending(): string | undefined {
    const { trouble } = this;
    if (trouble === undefined) return undefined;
    if (this.#firedAt === undefined) return `${trouble.point.id} was not passed`;
    if (this.#token === 'revoked') return 'the token is still refused';
    const { act, words } = trouble.fault;
    // Work that waits for a next try which nobody makes is never done.
    const waits = act.act === 'work late' && act.after === 'the next try';
    return waits || this.#over ? undefined : `${words}: this is not over`;
  }

  /** From now on. */
  arm(): void {
    if (this.#state === 'before') this.tally.begin();
    this.#state = 'armed';
  }

  rest(): void {
    this.#rest.resolve();
  }

  close(): void {
    this.#state = 'closed';
  }

  /** The token that the service is to see; undefined: it would refuse this one. */
  admits(token: string | undefined): string | undefined {
    if (token === freshToken) return this.#options.token;
    return this.#token === 'plain' ? token : undefined;
  }

  /**
   * Answers the write in its own way, or leaves it to others: undefined. `kill` ends the one who sent it, sees to another one, and resolves
   * when it is dead.
   */
  wrote(exchange: Exchange, kill: () => Promise<void>): Promise<void> | undefined {
    const { point } = exchange;
    if (point === undefined || this.#state === 'closed') return undefined;
    this.#witness.sent(exchange);
    const { trouble } = this;
    const fires = this.#state === 'armed' && trouble?.point === point && this.#firedAt === undefined;
    this.tally.tried(exchange, point);
    if (!fires) return undefined;
    this.#firedAt = this.#options.scene().now();
    const status = statusInstead(trouble.fault.act);
    if (status !== undefined) this.#witness.answered(exchange, refusalOf(point.side, status));
    return this.#befall(exchange, trouble.fault, kill)
      .catch((error: Error) => this.#failure.reject(error))
      .finally(() => void (this.#over = true));
  }

  answered(exchange: Exchange, reply: Reply): void {
    if (exchange.point === undefined) return;
    this.#witness.answered(exchange, reply);
    this.tally.answered(exchange, exchange.point, reply);
  }

  looked(side: Side, path: string): void {
    this.tally.looked(side, path);
  }

  #befall(exchange: Exchange, { act }: Fault, kill: () => Promise<void>): Promise<void> {
    const { side, path } = exchange.write;
    const collection = `looked ${side} ${path.split('/').slice(0, 4).join('/')}`;
    return befall(exchange, act, {
      kill,
      // An object of Kubernetes need not be read again: there are watches.
      looked: async () =>
        side === 'service'
          ? Promise.race([this.#rest.promise, this.tally.next((what) => what.startsWith(collection))])
          : undefined,
      triedAgain: (id) => this.tally.next((what) => what === `answered ${id}`),
      revoke: () => this.#revoke(),
    });
  }

  #revoke(): void {
    this.#token = 'revoked';
    mend(this.#options.scene()).then(
      () => void (this.#token = 'mended'),
      (error: Error) => this.#failure.reject(error),
    );
  }
}
