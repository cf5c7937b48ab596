// What a ledger may name. PURE. Anyone who may edit a resource can write its ledger, so nothing in it proves anything by itself.
//
// A generated name contains a digest of the uid that it was made for. The API server assigns uids, so nobody can have an object
// whose uid yields another object's name. A fixed name or a given id is stated by the spec.
import { routes } from '../../../wire/routes.ts';
import type { RawResource } from '../../api/definition.ts';
import { type Kind, type ObjectKind, privateKindOf } from '../kind/kind.ts';
import { isAdopted } from './adoption.ts';
import type { Claim, Ledger } from './ledger.ts';
import { attemptOf, isOwnName } from './naming.ts';

/** What a name derives from. */
export interface NameOwner {
  readonly uid: string;
  readonly installation: string;
}

/**
 * Why a claim may have its name. uid: generated for this object. previous: generated for an object that the ledger was restored
 * or taken over from. spec: the spec states it. adopted: its object, which has a name of its own, was adopted.
 */
export type NamedBy = 'uid' | 'previous' | 'spec' | 'adopted';

/** The name was generated for this owner: it has the owner's tag, or is one of its markers. */
export function derivesFrom({ identity }: Pick<ObjectKind, 'identity'>, name: string, owner: NameOwner): boolean {
  return identity === 'once' ? attemptOf(name, owner.uid) !== undefined : isOwnName(name, { name, ...owner });
}

export interface NameInput {
  readonly resource: RawResource;
  readonly installation: string;
  readonly ledger: Ledger | undefined;
}

/** Undefined: the resource cannot have come by this claim honestly. The raw spec is read, because it may not parse. */
export function namedBy(
  kind: Kind,
  naming: NameInput,
  claim: Pick<Claim, 'collection' | 'name' | 'id' | 'origin'>,
): NamedBy | undefined {
  const { collection, name, id } = claim;
  const { resource, installation, ledger } = naming;
  const hidden = privateKindOf(kind);
  const own = collection === routes[kind.route].path;
  if (!own && (!hidden || collection !== routes[hidden.route].path)) return undefined;
  const stated = own && 'statedName' in kind ? kind.statedName(resource.spec) : undefined;
  if (kind.identity === 'given') return stated === name && (id === undefined || id === name) ? 'spec' : undefined;
  const derives = ({ uid, installation: of }: NameOwner): boolean => derivesFrom(kind, name, { uid, installation: of });
  if (derives({ uid: resource.metadata.uid, installation })) return 'uid';
  if (ledger && ownersOf(ledger).some(derives)) return 'previous';
  if (own && isAdopted(resource, claim)) return 'adopted';
  return stated === name ? 'spec' : undefined;
}

/** For whom the ledger was written, and before that. */
export function ownersOf(ledger: Ledger): readonly NameOwner[] {
  return [ledger, ...(ledger.previousOwners ?? [])];
}

/** The ledger for its next owner; it remembers the previous owner as long as a name derives from that one. */
export function passedOn(ledger: Ledger, next: NameOwner): Ledger {
  const { uid, installation, previousOwners = [], claims } = ledger;
  const needed = [...previousOwners, { uid, installation }].filter((one) =>
    claims.some(
      ({ name }) =>
        isOwnName(name, { name, uid: one.uid, installation: one.installation }) ||
        attemptOf(name, one.uid) !== undefined,
    ),
  );
  const { previousOwners: _before, ...rest } = ledger;
  return { ...rest, ...next, ...(needed.length > 0 ? { previousOwners: needed } : {}) } as Ledger;
}
