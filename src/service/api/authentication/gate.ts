// Authentication before every route: none, tokens of the command line, or Keystone.
import type { Clock, CommonPorts } from '../../../lib/ports.ts';
import { digestOf } from '../../../lib/secrets.ts';
import { isUuid } from '../../../wire/common.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import { Refusal } from '../../model/refusal.ts';
import { checkAccess, type Grant, grantsFor } from './authentication.ts';
import type { TokenSubject, Validate } from './validation.ts';

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

/** Concurrent requests with the same token share one validation, and memory is bounded. */
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

/** Lets a request pass, or throws or rejects with a Refusal. Resolves to the tenant to serve if it differs from that of the path. */
export type Gate = (token: string | undefined, tenant: string | undefined) => Promise<string> | undefined;

/** The tenant of requests without one, if the token does not determine it. */
const nobody = 'default';

/** Late upstream compares the tenant of the path only if it has the form of an identifier. Otherwise it serves the tenant of the token. */
const isCompared = (dialect: Dialect, tenant: string | undefined): boolean =>
  dialect !== 'sahara' || isUuid(tenant ?? '');

/** Without grants, everybody passes. Without a comparable tenant in the path, the first tenant of the token is served. */
export const grantsGate =
  (grants: readonly Grant[], dialect: Dialect): Gate =>
  (token, tenant) => {
    const matching = grantsFor(grants, token);
    const named = matching.some((grant) => grant.tenant === undefined || grant.tenant === tenant) ? tenant : undefined;
    const own = matching.find((grant) => grant.tenant !== undefined)?.tenant;
    const served = (isCompared(dialect, tenant) ? tenant : named) ?? own ?? tenant ?? nobody;
    checkAccess(grants, token, served);
    return served === tenant ? undefined : Promise.resolve(served);
  };

interface KeystoneGateOptions extends CommonPorts {
  readonly validate: Validate;
  /** Where to get a token, for the answer to requests without a valid one. */
  readonly authUrl: () => string;
  readonly dialect: Dialect;
  /** How long a validated token is accepted, even if Keystone revokes it. */
  readonly cacheMs: number;
}

function filterTenant({ project }: TokenSubject, tenant: string | undefined, dialect: Dialect): string {
  if (project === undefined) {
    throw Refusal.by('unscoped', 'cannot authorize: the token has no project');
  }
  if (isCompared(dialect, tenant) && tenant !== project) {
    throw Refusal.by('foreignTenant', 'cannot authorize: the token is for another tenant');
  }
  return project;
}

export function keystoneGate({ validate, authUrl, dialect, clock, log, cacheMs }: KeystoneGateOptions): Gate {
  const logged: Validate = (token) =>
    validate(token).catch((err: unknown) => {
      log.error({ action: 'validate', err }, 'cannot ask Keystone about a token');
      throw err;
    });
  const cache = new TokenCache({ validate: logged, clock, cacheMs });
  const unauthenticated = (why: string) => Refusal.by('noToken', `cannot authenticate: ${why}`, authUrl());
  return async (token, tenant) => {
    if (token === undefined || token === '') throw unauthenticated('X-Auth-Token is missing');
    const subject = await cache.subjectOf(token).catch(() => {
      // The failure has been logged.
      throw Refusal.by('noKeystone', 'cannot authenticate: Keystone cannot be asked');
    });
    if (subject === undefined) throw unauthenticated('the token is not valid');
    return filterTenant(subject, tenant, dialect);
  };
}
