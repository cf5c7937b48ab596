// Who else claims an object of the service, and who of them has the better right to it.
import type { RawResource } from '../api/definition.ts';
import { ageText } from './claim-index.ts';
import type { AnyKind } from './kind.ts';
import { type Claim, currentClaim, isVoid, type Ledger, newLedger } from './ledger.ts';
import { keyOf, keyText } from './ports.ts';
import { ledgerOf } from './references.ts';
import type { Run } from './run.ts';
import { collectionOf } from './situation.ts';

/**
 * The resource that has the better right to our object: who made it before who may be making it, both before those who found it; then
 * the older, then the smaller uid.
 */
export function rightfulClaimant(run: Run): string | undefined {
  const { resource, ports, facts } = run;
  const { installation } = ports;
  if (facts.ledger.state === 'moved') return textOf(ports.holder(resource, facts.ledger.ledger));
  const ledger = claimingLedger(run);
  const id = currentClaim(ledger)?.id;
  if (!ledger || id === undefined) return undefined;
  const right = rightOf({ resource, id, installation });
  const better = ports
    .claimants(ledger)
    .find((other) => !isSame(other, resource) && rightOf({ resource: other, id, installation }) < right);
  return textOf(better);
}

/**
 * Where the id is given, another claimed the object while this one was on its way to do so, and may have sent its request already. It
 * is asked for after the intent, when who was known first is told alike to all of them: one of several goes on, and only one.
 */
export function isForestalled(run: Run): boolean {
  const { resource, kind, ledger, ports } = run;
  if (kind.identity !== 'given' || currentClaim(ledger)?.id !== undefined) return false;
  const claiming = claimingLedger(run);
  const id = currentClaim(claiming)?.id;
  if (!claiming || id === undefined) return false;
  const { installation } = ports;
  const first = ports.claimants(claiming).find((one) => rankOf({ resource: one, id, installation }) !== rank.found);
  return first !== undefined && !isSame(first, resource);
}

/** Who has the object of the kind by this id on record. */
export function ownerOf({ kind, service, ports }: Run, id: string): string | undefined {
  if (service.state !== 'usable') return undefined;
  const { endpoints, tenant } = service;
  const [owner] = endpoints.flatMap((endpoint) => ports.claimants({ endpoint, tenant, claims: [claimOn(kind, id)] }));
  return textOf(owner);
}

const claimOn = (kind: AnyKind, id: string): Claim => ({ role: 'main', collection: collectionOf(kind), name: id, id });

const isSame = (one: RawResource, other: RawResource): boolean => one.metadata.uid === other.metadata.uid;

const textOf = (resource: RawResource | undefined): string | undefined => resource && keyText(keyOf(resource));

/** Where the id is given, others are asked before anything is written. */
function claimingLedger({ ledger, kind, facts, service, ports }: Run): Ledger | undefined {
  const claim = currentClaim(ledger);
  if (kind.identity !== 'given' || claim?.id !== undefined || service.state !== 'usable') return ledger;
  const wanted = facts.spec.ok && !facts.deleting ? kind.givenId?.(facts.spec.value) : undefined;
  const id = claim && !isVoid(claim) ? claim.name : wanted;
  if (id === undefined) return undefined;
  const { installation } = ports;
  const { uid } = facts.resource.metadata;
  const pins = { endpoint: service.endpoint, tenant: service.tenant, base: '' };
  return { ...(ledger ?? newLedger({ uid, installation }, pins)), claims: [claimOn(kind, id)] };
}

interface Claimant {
  readonly resource: RawResource;
  readonly id: string;
  readonly installation: string;
}

/** As text: what sorts before has the better right. */
const rightOf = (claimant: Claimant): string => `${rankOf(claimant)} ${ageText(claimant.resource)}`;

const rank = { made: 0, making: 1, found: 2 } as const;

function rankOf({ resource, id, installation }: Claimant): number {
  const state = ledgerOf(resource, installation);
  const claims = state.state === 'ours' ? state.ledger.claims : [];
  const claim = claims.find((one) => one.id === id || one.name === id);
  if (claim === undefined || isVoid(claim) || claim.origin !== undefined) return rank.found;
  return claim.id === undefined ? rank.making : rank.made;
}
