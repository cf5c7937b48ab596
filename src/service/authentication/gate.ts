// Authentication before every route: none, tokens of the command line, or Keystone.
import type { Clock, Log } from '../../lib/ports.ts';
import { isUuid } from '../../wire/common.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { Refusal } from '../http/refusal.ts';
import type { TokenSubject, Validate } from '../identity/validation.ts';
import { checkAccess, type Grant, grantsFor } from './authentication.ts';
import { TokenCache } from './token-cache.ts';

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

interface KeystoneGateOptions {
  readonly validate: Validate;
  /** Where to get a token, for the answer to requests without a valid one. */
  readonly authUrl: () => string;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a validated token is accepted, even if Keystone revokes it. */
  readonly cacheMs: number;
}

function filterTenant({ project }: TokenSubject, tenant: string | undefined, dialect: Dialect): string {
  if (project === undefined) {
    throw new Refusal([503, 'SERVICE_UNAVAILABLE'], 'cannot authorize: the token has no project', 'tenant');
  }
  if (isCompared(dialect, tenant) && tenant !== project) {
    throw new Refusal([401, 'UNAUTHORIZED'], 'cannot authorize: the token is for another tenant', 'tenant');
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
  const unauthenticated = (why: string) =>
    new Refusal([401, 'UNAUTHORIZED'], `cannot authenticate: ${why}`, 'identity', authUrl());
  return async (token, tenant) => {
    if (token === undefined || token === '') throw unauthenticated('X-Auth-Token is missing');
    const subject = await cache.subjectOf(token).catch(() => {
      // The failure has been logged.
      const why = 'cannot authenticate: Keystone cannot be asked';
      throw new Refusal([503, 'SERVICE_UNAVAILABLE'], why, 'tenant');
    });
    if (subject === undefined) throw unauthenticated('the token is not valid');
    return filterTenant(subject, tenant, dialect);
  };
}
