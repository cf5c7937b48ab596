// Which private object belongs to which revision. PURE. Each revision has one of its own, whose hash derives from that of the revision.
import { type Claim, isVoid, type Ledger, privateClaims } from './ledger.ts';
import { contentHash } from './naming.ts';

/** The hash of the private object that a revision refers to. It differs from that of the revision, so that their names differ, too. */
export function privateHash(revision: string): string {
  return contentHash({ privateOf: revision });
}

/** The claim on the private object of a revision. */
export function privateOf(ledger: Ledger | undefined, revision: string | undefined): Claim | undefined {
  const hash = revision === undefined ? undefined : privateHash(revision);
  return hash === undefined ? undefined : privateClaims(ledger).find((one) => one.hash === hash);
}

/** Private objects whose revision does not exist and cannot appear any more. */
export function sparePrivates(ledger: Ledger | undefined): readonly Claim[] {
  const revisions = ledger?.claims.filter((one) => one.role !== 'private' && !isVoid(one)) ?? [];
  const used = revisions.flatMap(({ hash }) => (hash === undefined ? [] : [privateHash(hash)]));
  return privateClaims(ledger).filter(({ hash }) => hash === undefined || !used.includes(hash));
}
