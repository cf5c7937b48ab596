// What a ledger may claim through a SharedConnection: the namespaces that share it trust each other in nothing. PURE.
import type { RawResource } from '../../api/definition.ts';
import type { Kind } from '../kind/kind.ts';
import { isConfirmed } from './adoption.ts';
import { type Claim, type LedgerState, ledgerIn, mirrorText, recordedLedger } from './ledger.ts';
import { derivesFrom, type NameInput, type NameOwner, namedBy, ownersOf } from './name-origin.ts';

/** What a resource may claim beside what was made for itself. */
export interface Rights {
  /** What exists. */
  readonly takes: boolean;
  /** What was made for another resource, in whatever namespace that was: a restored resource is another one. */
  readonly takesOver: boolean;
}

/**
 * Claims on what the resource may not take or take over, and that nothing bears out but what its user can write: spec and ledger. They show
 * nothing of what was allowed when they came.
 */
export function allegedClaims(
  kind: Kind,
  naming: Omit<NameInput, 'ledger'>,
  state: LedgerState,
  { takes, takesOver }: Rights,
): readonly Claim[] {
  const ledger = recordedLedger(state);
  if (!ledger || (takes && takesOver)) return [];
  const { resource } = naming;
  const reasons = ledger.claims.map((claim) => ({ claim, by: namedBy(kind, { ...naming, ledger }, claim) }));
  const restored = takesOver ? [] : reasons.flatMap(({ claim, by }) => (by === 'previous' ? [claim] : []));
  const confirmed =
    restored.length === 0 ? [] : ownersOf(ledger).filter((owner) => isOwnerConfirmed(kind, resource, owner));
  const strange = restored.filter(({ name }) => !confirmed.some((owner) => derivesFrom(kind, name, owner)));
  const alleged = reasons.filter(({ claim, by }) => {
    if (by === 'previous') return strange.includes(claim);
    const isTaken = !takes && (by === 'adopted' || (by === 'spec' && kind.identity === 'given'));
    // Whoever owns the private template owns what has a fixed name.
    return (isTaken || (by === 'spec' && strange.length > 0)) && !isConfirmed(resource, claim);
  });
  return alleged.map(({ claim }) => claim);
}

/**
 * The copy of the ledger in the status, which users cannot write, has the owner together with something that was named for it: no ledger whose
 * claims are in doubt is copied.
 */
function isOwnerConfirmed(kind: Kind, resource: RawResource, { uid, installation }: NameOwner): boolean {
  const copy = ledgerIn(mirrorText(resource));
  if (copy?.uid !== resource.metadata.uid) return false;
  const isKnown = copy.previousOwners?.some((one) => one.uid === uid && one.installation === installation) ?? false;
  return isKnown && copy.claims.some(({ name }) => derivesFrom(kind, name, { uid, installation }));
}
