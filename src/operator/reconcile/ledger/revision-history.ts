// Former revisions in the ledger: which claims are of another content than the current one, and how that changes. PURE.
import { type Claim, currentClaim, isVoid, type Ledger } from './ledger.ts';

/** The claims of other contents of the resource, of which something is there or may come. */
export function leftoverClaims(value: Ledger | undefined): readonly Claim[] {
  const current = currentClaim(value);
  return value?.claims.filter((one) => one.role !== 'private' && one !== current && !isVoid(one)) ?? [];
}

/** From now on the resource stands for the object of this claim; the one before is a former revision. */
export function makeCurrent(value: Ledger, name: string): Ledger {
  const known = value.claims.find((one) => one.name === name);
  if (!known || known.role === 'private') return value;
  const others = value.claims
    .filter((one) => one !== known)
    .map((one): Claim => (one.role === 'main' ? { ...one, role: 'revision' } : one));
  return { ...value, claims: [...others, { ...known, role: 'main' }] };
}
