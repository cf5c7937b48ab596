// What Keystone says of tokens: asked once for each, however many requests bring it, and kept for a while. Nothing of it grows for ever.
import type { Clock } from '../../lib/ports.ts';
import type { TokenSubject, Validate } from '../identity/validation.ts';
import { digestOf } from './secrets.ts';

export interface KnowledgeOptions {
  readonly validate: Validate;
  readonly clock: Clock;
  /** How long the word of Keystone is taken for true, also after it called the token back. */
  readonly cacheMs: number;
}

/** A token may get good after it was refused, where several Keystones share what they know. */
const refusedMs = 10_000;
const maxKept = 1000;
const maxAsked = 1000;

interface KnownToken {
  /** Undefined: the token is not good. */
  readonly subject: TokenSubject | undefined;
  readonly until: number;
}

/** The oldest makes room. */
class Kept {
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

export class TokenKnowledge {
  readonly #options: KnowledgeOptions;
  /** Apart, so that bad tokens, which anybody can make up, drive out no good ones. */
  readonly #good = new Kept();
  readonly #bad = new Kept();
  readonly #asked = new Map<string, Promise<TokenSubject | undefined>>();

  constructor(options: KnowledgeOptions) {
    this.#options = options;
  }

  /** Undefined: the token is not good. Rejects when that cannot be found out. */
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
