// What stands before every route: nothing, the tokens of the command line, or a Keystone whose word is kept for a while.
import type { Clock, Log } from '../../lib/ports.ts';
import { isUuid } from '../../wire/common.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { Refusal } from '../http/refusal.ts';
import type { TokenSubject, Validate } from '../identity/validation.ts';
import { checkAccess, type Grant, grantsFor } from './authentication.ts';
import { TokenKnowledge } from './token-cache.ts';

/**
 * Lets a request pass, or throws or rejects with a Refusal. Resolves with the tenant to serve where that is another one than the path
 * says.
 */
export type Gate = (token: string | undefined, tenant: string | undefined) => Promise<string> | undefined;

/** Whoever names no tenant where none is known from the token. */
const nobody = 'default';

/** Late upstream compares only what looks like an identifier; whatever else stands there is the token's own tenant. */
const isCompared = (dialect: Dialect, tenant: string | undefined): boolean =>
  dialect !== 'sahara' || isUuid(tenant ?? '');

/** No grants: everybody may pass. Without a tenant in the path that is compared, it is the first that the token is for. */
export const grantsGate =
  (grants: readonly Grant[], dialect: Dialect): Gate =>
  (token, tenant) => {
    const held = grantsFor(grants, token);
    const named = held.some((grant) => grant.tenant === undefined || grant.tenant === tenant) ? tenant : undefined;
    const own = held.find((grant) => grant.tenant !== undefined)?.tenant;
    const served = (isCompared(dialect, tenant) ? tenant : named) ?? own ?? tenant ?? nobody;
    checkAccess(grants, token, served);
    return served === tenant ? undefined : Promise.resolve(served);
  };

export interface KeystoneGateOptions {
  readonly validate: Validate;
  /** Told to those who have no good token: where to get one. */
  readonly authUrl: () => string;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  /** How long the word of Keystone is taken for true, also after it called the token back. */
  readonly cacheMs: number;
}

/** The tenant to serve. */
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
  const knowledge = new TokenKnowledge({ validate: logged, clock, cacheMs });
  const unauthenticated = (why: string) =>
    new Refusal([401, 'UNAUTHORIZED'], `cannot authenticate: ${why}`, 'identity', authUrl());
  return async (token, tenant) => {
    if (token === undefined || token === '') throw unauthenticated('X-Auth-Token is missing');
    const subject = await knowledge.subjectOf(token).catch(() => {
      // It has been logged.
      const why = 'cannot authenticate: Keystone cannot be asked';
      throw new Refusal([503, 'SERVICE_UNAVAILABLE'], why, 'tenant');
    });
    if (subject === undefined) throw unauthenticated('the token is not valid');
    return filterTenant(subject, tenant, dialect);
  };
}
