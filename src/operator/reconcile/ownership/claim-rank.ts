// How good a resource's right is to an object of the service that it claims. PURE, except that it asks which kinds exist, and what their SharedConnections allow.
import type { RawResource } from '../../api/definition.ts';
import { ledgerAnnotation } from '../../api/shared-api.ts';
import type { Kind } from '../kind/kind.ts';
import { allegedClaims } from '../ledger/alleged.ts';
import { type Claim, isMirrored, isSameClaim, isVoid, type Ledger, ledgerIn } from '../ledger/ledger.ts';
import { type NamedBy, namedBy } from '../ledger/name-origin.ts';
import type { ResourceStore } from '../pass-ports.ts';
import { ledgerOf, ledgerTexts } from '../resource/references.ts';
import { rightsOf } from '../resource/sharing.ts';
import { ageText } from './claim-index.ts';

/** What reading the claims of any resource takes. */
export interface ClaimInput {
  readonly ports: {
    readonly installation: string;
    readonly kinds: ReadonlyMap<string, Kind>;
    readonly store: Pick<ResourceStore, 'read'>;
  };
  readonly kind: Kind;
}

/**
 * creator: the name was generated for this object. confirmed: status, which users cannot write, has the claim, too. alleged: only
 * the annotation has it. Undefined: the resource cannot have come by the claim honestly.
 */
export type ClaimStanding = 'creator' | 'confirmed' | 'alleged';
const standings: readonly ClaimStanding[] = ['creator', 'confirmed', 'alleged'];

/**
 * `objectName`: the object's name in the service, where it is known. A generated name gives a right to the object of that
 * name and to no other, whatever id is recorded beside it.
 */
export function claimStandingOf(
  pass: ClaimInput,
  resource: RawResource,
  { claim, objectName }: { readonly claim: Claim; readonly objectName: string | undefined },
): ClaimStanding | undefined {
  const found = claimIn(pass, resource, claim);
  if (!found) return undefined;
  const by = nameOwner(pass, resource, found);
  if (by === undefined) return undefined;
  if (by !== 'spec' && by !== 'adopted' && found.claim.name !== (objectName ?? claim.name))
    return objectName === undefined ? 'alleged' : undefined;
  if (by === 'uid') return 'creator';
  const [, mirror] = ledgerTexts(resource, ledgerAnnotation);
  return isMirrored(ledgerIn(mirror), found.claim) ? 'confirmed' : 'alleged';
}

export function nameOwner(
  { ports, kind }: ClaimInput,
  resource: RawResource,
  { claim, ledger }: { readonly claim: Claim; readonly ledger: Ledger },
): NamedBy | undefined {
  const of = resource.kind === kind.definition.kind ? kind : ports.kinds.get(resource.kind);
  if (!of) return undefined;
  const { installation, store } = ports;
  const alleged = allegedClaims(
    of,
    { resource, installation },
    ledgerOf(resource, installation),
    rightsOf(store, resource),
  );
  return alleged.some((one) => isSameClaim(one, claim))
    ? undefined
    : namedBy(of, { resource, installation, ledger }, claim);
}

/** The claim of a resource on the object of another one: by name, or else by id only. */
function claimIn({ ports }: Pick<ClaimInput, 'ports'>, resource: RawResource, { id, name, collection }: Claim) {
  const state = ledgerOf(resource, ports.installation);
  if (state.state !== 'ours') return undefined;
  const { ledger } = state;
  const there = ledger.claims.filter((one) => one.collection === collection);
  const claim =
    there.find((one) => one.name === name) ??
    there.find((one) => id !== undefined && (one.id === id || one.name === id));
  return claim && { claim, ledger };
}

/** As text: what sorts first has the better right. Who made it, then who may be making it, then who found it; then age. */
export function rightOf(
  pass: ClaimInput,
  resource: RawResource,
  { claim, standing = 'alleged' }: { readonly claim: Claim; readonly standing: ClaimStanding | undefined },
): string {
  return `${standings.indexOf(standing)} ${rankOf(pass, resource, claim)} ${ageText(resource)}`;
}

export const rank = { made: 0, making: 1, found: 2 } as const;

export function rankOf(pass: ClaimInput, resource: RawResource, wanted: Claim): number {
  const claim = claimIn(pass, resource, wanted)?.claim;
  if (claim === undefined || isVoid(claim) || claim.origin !== undefined) return rank.found;
  return claim.id === undefined ? rank.making : rank.made;
}
