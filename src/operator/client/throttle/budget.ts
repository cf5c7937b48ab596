// Send permits for one service: a rate, a burst and a number of requests in flight, shared in turn between users.
import type { Clock } from '../../../lib/ports.ts';
import { type Rate, TokenBucket } from '../../../lib/timing/token-bucket.ts';
import { checkLimits, type Limits } from '../limits.ts';

/** The right to send one request, now. */
export interface Permit {
  /** The signal given to `take`: it ends the request that is sent with this permit. */
  readonly signal: AbortSignal | undefined;
  /** Asked just before the first byte of the write that is sent with it, which is not sent if false. Defaults to true. */
  readonly isStillWanted?: () => boolean;
  /** Returns the place in flight; further calls do nothing. */
  release(): void;
}

export interface PermitRequest {
  /** Who asks: such as `Cluster/team-a/etl`, or `inventory`. */
  readonly user: string;
  /** Milliseconds; 0 = now or not at all. */
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly signal: AbortSignal | undefined;
  readonly serve: (permit: Permit | undefined) => void;
}

/** How long a user that was notified of a free permit has to take it before the next user is notified. */
const turnMs = 20;

/** Called for every request for a permit: how long it waited, in ms, or undefined when it got none. Must not throw. */
export type PermitListener = (waitedMs: number | undefined) => void;

function rateOf({ requestsPerSecond, burst }: Limits): Rate {
  return { perSecond: requestsPerSecond, burst };
}

/** Throws a RangeError for limits that are not positive. */
export class Budget {
  readonly #clock: Clock;
  readonly #asked: PermitListener | undefined;
  readonly #bucket: TokenBucket;
  readonly #listeners: ((user: string) => void)[] = [];
  /** Users in the order of their turns, each with its waiting requests. */
  readonly #waiting = new Map<string, Waiter[]>();
  /** Users that got no permit, longest ago first. */
  readonly #missed = new Set<string>();
  #limits: Limits;
  #inFlight = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  constructor(limits: Limits, clock: Clock, asked?: PermitListener) {
    this.#limits = checkLimits(limits);
    this.#clock = clock;
    this.#asked = asked;
    this.#bucket = new TokenBucket(clock, rateOf(limits));
  }

  /** In effect now. */
  get limits(): Limits {
    return this.#limits;
  }

  /** Permits in use. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Requests that wait for a permit. */
  get waiting(): number {
    return this.#waiting.values().reduce((sum, waiters) => sum + waiters.length, 0);
  }

  /**
   * Undefined: not within `withinMs`, or the signal or `close` came first. After the first of these the user is remembered, and
   * `onFree` names it once when a permit is available. Waiting users are served in turn, one permit each, whatever the number
   * of their requests.
   */
  take({ user, withinMs, signal }: PermitRequest): Promise<Permit | undefined> {
    if (this.#closed || signal?.aborted === true) return Promise.resolve(undefined);
    this.#missed.delete(user);
    if (this.#waiting.size === 0 && this.#available() >= 1) {
      this.#asked?.(0);
      return Promise.resolve(this.#grant(signal));
    }
    if (withinMs <= 0) {
      this.#asked?.(undefined);
      this.#miss(user);
      return Promise.resolve(undefined);
    }
    return this.#wait(user, withinMs, signal);
  }

  /** `listener` is called for each user that got no permit, when one is available for it. It must not throw. */
  onFree(listener: (user: string) => void): void {
    this.#listeners.push(listener);
  }

  /** No permits for `ms` from now, as a 429 asks. A longer pause that is in effect stays. */
  pauseFor(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + ms);
    this.#schedule();
  }

  /** New settings apply from now on; permits in use stay valid. */
  configure(limits: Limits): void {
    this.#limits = checkLimits(limits);
    this.#bucket.configure(rateOf(limits));
    this.#serve();
  }

  /** Refuses all who wait, and all who come. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#missed.clear();
    for (const waiter of [...this.#waiting.values()].flat()) waiter.serve(undefined);
  }

  #wait(user: string, withinMs: number, signal: AbortSignal | undefined): Promise<Permit | undefined> {
    const since = this.#clock.monotonic();
    return new Promise((resolve) => {
      const leave = () => waiter.serve(undefined);
      const waiter: Waiter = {
        signal,
        serve: (permit) => {
          this.#asked?.(permit && this.#clock.monotonic() - since);
          cancel();
          signal?.removeEventListener('abort', leave);
          this.#remove(user, waiter);
          resolve(permit);
        },
      };
      const cancel = this.#clock.after(withinMs, () => {
        this.#miss(user);
        leave();
      });
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.set(user, [...(this.#waiting.get(user) ?? []), waiter]);
      this.#serve();
    });
  }

  #remove(user: string, waiter: Waiter): void {
    const rest = this.#waiting.get(user)?.filter((other) => other !== waiter) ?? [];
    if (rest.length > 0) this.#waiting.set(user, rest);
    else this.#waiting.delete(user);
  }

  #miss(user: string): void {
    this.#missed.add(user);
    this.#schedule();
  }

  #grant(signal: AbortSignal | undefined): Permit {
    this.#bucket.take();
    this.#inFlight += 1;
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      this.#inFlight -= 1;
      this.#serve();
    };
    return { signal, release };
  }

  /** Permits that could be given out now. */
  #available(): number {
    if (this.#closed || this.#clock.monotonic() < this.#pausedUntil) return 0;
    return Math.floor(Math.min(this.#bucket.count(), this.#limits.maxInFlight - this.#inFlight));
  }

  #serve(): void {
    for (let free = this.#available(); free >= 1 && this.#waiting.size > 0; free--) {
      const [user, waiters] = this.#waiting.entries().next().value ?? ['', []];
      // Its other requests go to the end of the line.
      this.#waiting.delete(user);
      this.#waiting.set(user, waiters);
      waiters[0]?.serve(this.#grant(waiters[0].signal));
    }
    this.#notifyMissed();
    this.#schedule();
  }

  #notifyMissed(): void {
    const free = this.#waiting.size === 0 ? this.#available() : 0;
    for (const user of [...this.#missed].slice(0, Math.max(free, 0))) {
      this.#missed.delete(user);
      for (const listener of this.#listeners) listener(user);
    }
  }

  /** Wakes when the next permit can be available; without a free place in flight, the next release does. */
  #schedule(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#closed || (this.#waiting.size === 0 && this.#missed.size === 0)) return;
    if (this.#inFlight >= this.#limits.maxInFlight) return;
    const now = this.#clock.monotonic();
    const ms = Math.max(this.#pausedUntil - now, this.#bucket.waitMs(), this.#waiting.size === 0 ? turnMs : 0);
    this.#cancelTimer = this.#clock.after(ms, () => this.#serve());
  }
}
