// Who may call: tokens and the tenants they are for (section 5).
import { Refusal } from '../http/refusal.ts';
import { isSameSecret } from './secrets.ts';

/** A token, for one tenant or, without `tenant`, for all. */
export interface Grant {
  readonly token: string;
  readonly tenant?: string | undefined;
}

/** Reads `token` or `token=tenant`, as given on the command line. */
export function parseGrant(text: string): Grant {
  const at = text.indexOf('=');
  return at < 0 ? { token: text } : { token: text.slice(0, at), tenant: text.slice(at + 1) };
}

/** Those for this token. All are looked at, whichever it is. */
export const grantsFor = (grants: readonly Grant[], token: string | undefined): readonly Grant[] =>
  token === undefined ? [] : grants.filter((grant) => isSameSecret(grant.token, token));

/** Throws a 401 unless one of the grants is for this token and this tenant. No grants: no authentication. */
export function checkAccess(grants: readonly Grant[], token: string | undefined, tenant: string | undefined): void {
  if (grants.length === 0) return;
  const held = grantsFor(grants, token);
  if (held.length === 0) {
    const why = token === undefined ? 'X-Auth-Token is missing' : 'the token is not valid';
    throw new Refusal([401, 'UNAUTHORIZED'], `cannot authenticate: ${why}`, 'identity');
  }
  if (held.some((grant) => grant.tenant === undefined || grant.tenant === tenant)) return;
  throw new Refusal([401, 'UNAUTHORIZED'], 'cannot authorize: the token is for another tenant', 'tenant');
}
