// Former revisions in the ledger: which claims are of other content than the current one, and how that changes. PURE.
import { type Claim, currentClaim, isVoid, type Ledger } from './ledger.ts';

/** Claims of other content of the resource, where something exists or may appear. */
export function leftoverClaims(value: Ledger | undefined): readonly Claim[] {
  const current = currentClaim(value);
  return value?.claims.filter((one) => one.role !== 'private' && one !== current && !isVoid(one)) ?? [];
}

/** The resource stands for the object of this claim from now on; the previous one becomes a former revision. */
export function makeCurrent(value: Ledger, name: string): Ledger {
  const known = value.claims.find((one) => one.name === name);
  if (!known || known.role === 'private') return value;
  const others = value.claims
    .filter((one) => one !== known)
    .map((one): Claim => (one.role === 'main' ? { ...one, role: 'revision' } : one));
  return { ...value, claims: [...others, { ...known, role: 'main' }] };
}
