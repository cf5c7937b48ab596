// Tokens and the tenants that they are valid for (section 5).
import type { Log } from '../../../lib/ports.ts';
import { isSameSecret } from '../../../lib/secrets.ts';
import { Refusal } from '../../model/refusal.ts';
import { readPrivate } from '../../model/store/private-files.ts';

/** A token that is valid for one tenant or, without `tenant`, for all. */
export interface Grant {
  readonly token: string;
  readonly tenant?: string | undefined;
}

/** Parses `token` or `token=tenant` from the command line. */
export function parseGrant(text: string): Grant {
  const at = text.indexOf('=');
  return at < 0 ? { token: text } : { token: text.slice(0, at), tenant: text.slice(at + 1) };
}

/** The grants for this token. All of them are compared, so that the time reveals nothing. */
export const grantsFor = (grants: readonly Grant[], token: string | undefined): readonly Grant[] =>
  token === undefined ? [] : grants.filter((grant) => isSameSecret(grant.token, token));

/** Throws a 401 unless a grant is for this token and tenant. Without grants there is no authentication. */
export function checkAccess(grants: readonly Grant[], token: string | undefined, tenant: string | undefined): void {
  if (grants.length === 0) return;
  const matching = grantsFor(grants, token);
  if (matching.length === 0) {
    const why = token === undefined ? 'X-Auth-Token is missing' : 'the token is not valid';
    throw Refusal.by('noToken', `cannot authenticate: ${why}`);
  }
  if (matching.some((grant) => grant.tenant === undefined || grant.tenant === tenant)) return;
  throw Refusal.by('foreignTenant', 'cannot authorize: the token is for another tenant');
}

/** Messages quote nothing of a line, because it contains a secret. */
function parseTokens(text: string): readonly Grant[] {
  const lines = text.split('\n').map((line) => line.trim());
  const wrong = lines.findIndex((line) => line.startsWith('='));
  if (wrong >= 0) throw new Error(`line ${wrong + 1} has no token; write TOKEN or TOKEN=TENANT`);
  const grants = lines.filter((line) => line !== '').map(parseGrant);
  if (grants.length === 0) throw new Error('it has no token; write TOKEN or TOKEN=TENANT, a line each');
  return grants;
}

/** Throws `cannot read token file FILE: ...`. */
export const readTokens = (file: string, log: Log): readonly Grant[] =>
  readPrivate({ what: 'token file', file, log }, parseTokens);
