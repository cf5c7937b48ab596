// Limits failed logins for each address and each account.
import type { Clock } from '../../src/lib/ports.ts';
import { digestOf } from '../../src/lib/secrets.ts';
import { IdentityRefusal } from './refusal.ts';

export interface Attempt {
  /** Must be called before the secret is compared. Throws a 429. */
  on(account: string): void;
  /** Must be called if the secret was wrong. */
  failed(): void;
}

/** The period in which failures are counted together. */
const windowMs = 60_000;
const perAccount = 10;
const perAddress = 30;
/** The maximum number of entries. The oldest ones are dropped. */
const maxKept = 10_000;

interface Failures {
  readonly since: number;
  readonly count: number;
}

class Counts {
  readonly #most: number;
  /** Ordered by the time of the first failure. */
  readonly #failures = new Map<string, Failures>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#failures.size;
  }

  /** Throws if there were too many failures. */
  check(key: string, now: number): void {
    this.#forget(now);
    const { since, count } = this.#failures.get(key) ?? { since: now, count: 0 };
    if (count < this.#most) return;
    const retryAfter = Math.max(Math.ceil((since + windowMs - now) / 1000), 1);
    throw new IdentityRefusal(
      429,
      `Too many failed authentication attempts. Try again in ${retryAfter} seconds.`,
      retryAfter,
    );
  }

  note(key: string, now: number): void {
    const { since, count } = this.#failures.get(key) ?? { since: now, count: 0 };
    const [oldest] = this.#failures.keys();
    if (count === 0 && this.#failures.size >= maxKept && oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(key, { since, count: count + 1 });
  }

  #forget(now: number): void {
    for (const [key, { since }] of this.#failures) {
      if (now < since + windowMs) return;
      this.#failures.delete(key);
    }
  }
}

export class Throttle {
  readonly #clock: Clock;
  readonly #addresses = new Counts(perAddress);
  readonly #accounts = new Counts(perAccount);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of addresses and accounts with failures. */
  get size(): number {
    return this.#addresses.size + this.#accounts.size;
  }

  attemptFrom(address: string): Attempt {
    this.#addresses.check(address, this.#clock.monotonic());
    let key: string | undefined;
    return {
      on: (account) => {
        // Clients choose the length of the account, so its digest is stored.
        key = digestOf(account).toString('base64');
        this.#accounts.check(key, this.#clock.monotonic());
      },
      failed: () => {
        this.#addresses.note(address, this.#clock.monotonic());
        if (key !== undefined) this.#accounts.note(key, this.#clock.monotonic());
      },
    };
  }
}
