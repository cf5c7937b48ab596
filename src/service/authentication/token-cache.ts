// Caches the validation of tokens. Concurrent requests with the same token share one validation, and memory is bounded.
import type { Clock } from '../../lib/ports.ts';
import type { TokenSubject, Validate } from '../identity/validation.ts';
import { digestOf } from './secrets.ts';

interface TokenCacheOptions {
  readonly validate: Validate;
  readonly clock: Clock;
  /** How long a validated token is accepted, even if Keystone revokes it. */
  readonly cacheMs: number;
}

/** An invalid token can become valid if several Keystones share their state with a delay. */
const refusedMs = 10_000;
const maxKept = 1000;
const maxAsked = 1000;

interface KnownToken {
  /** Undefined if the token is invalid. */
  readonly subject: TokenSubject | undefined;
  readonly until: number;
}

/** A bounded map that drops its oldest entry. */
class CachedTokens {
  readonly #known = new Map<string, KnownToken>();

  get(key: string, now: number): KnownToken | undefined {
    const known = this.#known.get(key);
    if (known === undefined || now < known.until) return known;
    this.#known.delete(key);
    return undefined;
  }

  set(key: string, known: KnownToken): void {
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= maxKept && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, known);
  }
}

export class TokenCache {
  readonly #options: TokenCacheOptions;
  /** Separate, so that invented tokens cannot evict valid ones. */
  readonly #good = new CachedTokens();
  readonly #bad = new CachedTokens();
  readonly #asked = new Map<string, Promise<TokenSubject | undefined>>();

  constructor(options: TokenCacheOptions) {
    this.#options = options;
  }

  /** Resolves to undefined if the token is invalid. Rejects if that cannot be determined. */
  async subjectOf(token: string): Promise<TokenSubject | undefined> {
    const { clock } = this.#options;
    const key = digestOf(token).toString('base64');
    const now = clock.monotonic();
    const known = this.#good.get(key, now) ?? this.#bad.get(key, now);
    const subject = known === undefined ? await this.#ask(key, token) : known.subject;
    return subject !== undefined && clock.wall() < subject.expiresAt ? subject : undefined;
  }

  #ask(key: string, token: string): Promise<TokenSubject | undefined> {
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    if (this.#asked.size >= maxAsked) return Promise.reject(new Error('it is being asked about too many tokens'));
    const asking = this.#askAnew(key, token).finally(() => this.#asked.delete(key));
    this.#asked.set(key, asking);
    return asking;
  }

  async #askAnew(key: string, token: string): Promise<TokenSubject | undefined> {
    const { validate, clock, cacheMs } = this.#options;
    const subject = await validate(token);
    const [kept, ms] = subject === undefined ? [this.#bad, Math.min(refusedMs, cacheMs)] : [this.#good, cacheMs];
    kept.set(key, { subject, until: clock.monotonic() + ms });
    return subject;
  }
}
