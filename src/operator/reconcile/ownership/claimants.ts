// Who else claims an object of the service, whose claim counts, and who has the better right to it.
//
//  whose claim                                                            counts
// names what it cannot have come by honestly, or may not take            never
// of the object that the name was generated for                          always, and before all others
//  its Connection leads to another service or tenant                      no
//  its Connection is not ours, and was only ever refused by the service   no
//  its Connection is missing, broken or cannot be reached                 yes: an outage must not let a copy take over
// its Connection was not observed yet                                    nothing is judged before it is
import type { RawResource } from '../../api/definition.ts';
import { sharedConnectionKind } from '../../api/shared-api.ts';
import type { View } from '../../client/list/list-view.ts';
import { collectionOf, type Kind, type RemoteObject } from '../kind/kind.ts';
import {
  type Claim,
  currentClaim,
  isMadeAt,
  isVoid,
  type Ledger,
  newLedger,
  recordedLedger,
} from '../ledger/ledger.ts';
import { keyOf, keyText, type PassPorts, type ServiceLookup } from '../pass-ports.ts';
import { type Contest, type PlanInput, somebodyElse } from '../plan-input.ts';
import type { ResourceFacts } from '../resource/facts.ts';
import { connectionOf, ledgerOf } from '../resource/references.ts';
import { type ClaimStanding, claimStandingOf, nameOwner, rank, rankOf, rightOf } from './claim-rank.ts';
import { isProven, proofOf } from './ownership.ts';

/** What judging claims takes: the part of a pass that concerns them. */
export interface ClaimsInput {
  readonly ports: Pick<
    PassPorts,
    'claimants' | 'claimantsOfId' | 'rivals' | 'holder' | 'services' | 'installation' | 'kinds' | 'store'
  >;
  readonly kind: Kind;
  readonly resource: RawResource;
  readonly facts: ResourceFacts;
  readonly ledger: Ledger | undefined;
  readonly service: ServiceLookup;
  /** The objects of the kind's own route, as far as they were observed. */
  readonly view: View<RemoteObject> | undefined;
  /** What a plan for the objects of the kind is made from. */
  planInput(): PlanInput;
}

/** What naming another resource takes. */
type NamingInput = Pick<ClaimsInput, 'resource' | 'service' | 'ports'>;

type RivalInput = Pick<ClaimsInput, 'ports' | 'resource' | 'kind' | 'view'>;

/** The resource that has the better right to our object. */
export function rightfulClaimant(pass: ClaimsInput): string | undefined {
  const { resource, ports, facts } = pass;
  if (facts.ledger.state === 'moved')
    return textOf(
      pass,
      ports.holder(resource, facts.ledger.ledger, (one) => isSame(one, resource) || counts(pass, one) !== 'no'),
    );
  const ledger = claimingLedger(pass);
  // All claims: former revisions are deleted, and private templates are proofs.
  const contests = ledger?.claims.map((claim) => contestOf(pass, claim, ledger));
  return contests?.find((contest) => contest?.wins)?.by;
}

/** Who contests the claim; undefined: nobody does. */
export function contestOf(pass: ClaimsInput, of: Claim, ledger = pass.ledger): Contest | undefined {
  if (!ledger) return undefined;
  const claim = decisive(pass, of);
  const objectName = objectNameOf(pass, claim);
  const others = rivalsOf(pass, claim, ledger).filter((one) => counts(pass, one, claim) !== 'no');
  const standing = isUnproven(pass, claim) ? 'alleged' : claimStandingOf(pass, pass.resource, { claim, objectName });
  const mine = rightOf(pass, pass.resource, { claim, standing });
  const better = others.find(
    (one) => rightOf(pass, one, { claim, standing: claimStandingOf(pass, one, { claim, objectName }) }) < mine,
  );
  if (better) return { by: shownAs(pass, better), wins: true };
  // Only a claim that the operator itself has confirmed blocks the claimant with the better right.
  const confirmed = others.find((one) => claimStandingOf(pass, one, { claim, objectName }) === 'confirmed');
  return confirmed && { by: shownAs(pass, confirmed), wins: false };
}

/**
 * Whether a judgement has to wait: the Connection of another claimant was not observed yet, so whether its claim counts
 * is not known.
 */
export function isUnjudged(pass: ClaimsInput): boolean {
  const { facts, ports, resource } = pass;
  const isOpen = (one: RawResource, claim?: Claim): boolean =>
    !isSame(one, resource) && counts(pass, one, claim) === 'unknown';
  if (facts.ledger.state === 'moved') return ports.rivals(facts.ledger.ledger).some((one) => isOpen(one));
  const ledger = claimingLedger(pass);
  const claims = ledger?.claims.map((claim) => decisive(pass, claim)) ?? [];
  return (
    ledger !== undefined && claims.some((claim) => rivalsOf(pass, claim, ledger).some((one) => isOpen(one, claim)))
  );
}

/** The claim that decides who owns the object. For a fixed name that is the template that the object was started from. */
function decisive(pass: ClaimsInput, claim: Claim): Claim {
  const row = recordedRow(pass, claim);
  return (row && proofOf(pass.planInput(), row)) ?? claim;
}

/** Resources with a claim on the same object, unless its name was generated for ours. */
function rivalsOf(pass: ClaimsInput, claim: Claim, ledger: Ledger): readonly RawResource[] {
  const { ports, resource, kind } = pass;
  const by = nameOwner(pass, resource, { claim, ledger });
  if (by === 'uid' && !isUnproven(pass, claim)) return [];
  // A fixed name alone proves nothing: the service gives it to one object at a time. A given id is the name.
  const byName = kind.identity === 'given' || by === 'previous' || by === undefined;
  const objects = new Set([...(claim.id === undefined ? [] : [claim.id]), ...(byName ? [claim.name] : [])]);
  const asked = [...objects].map((id) => ({ ...claim, id }));
  return [...new Set(ports.claimants({ ...ledger, claims: asked }))].filter((one) => !isSame(one, resource));
}

function recordedRow(
  { view, kind }: Pick<ClaimsInput, 'view' | 'kind'>,
  { id, collection }: Claim,
): RemoteObject | undefined {
  return id === undefined || collection !== collectionOf(kind) ? undefined : view?.byId(id);
}

function objectNameOf(pass: RivalInput, claim: Claim): string | undefined {
  return recordedRow(pass, claim)?.name;
}

/** The recorded object exists, and neither its name nor the template it was started from shows that it is ours. */
function isUnproven(pass: ClaimsInput, claim: Claim): boolean {
  const row = recordedRow(pass, claim);
  return row !== undefined && !isProven(pass.planInput(), claim, row);
}

/** yes, no, or unknown until its Connection is observed. */
function counts(pass: RivalInput, one: RawResource, claim?: Claim): 'yes' | 'no' | 'unknown' {
  const standing = claim
    ? claimStandingOf(pass, one, { claim, objectName: objectNameOf(pass, claim) })
    : originalStandingOf(pass, one);
  if (standing === undefined) return 'no';
  if (standing === 'creator') return 'yes';
  const { services, installation } = pass.ports;
  const found = services.lookup(connectionOf(one));
  if (found.state === 'unchecked') return 'unknown';
  const refused = found.refused && !isSameConnection(pass.resource, one);
  if (found.state !== 'usable') return refused ? 'no' : 'yes';
  const ledger = recordedLedger(ledgerOf(one, installation));
  return refused || !ledger || !isMadeAt(ledger, found) ? 'no' : 'yes';
}

/** What the service refused to one of them it refused to both. */
function isSameConnection(one: RawResource, other: RawResource): boolean {
  return keyText(connectionOf(one)) === keyText(connectionOf(other));
}

/**
 * The standing of a resource among those that claim what our restored or copied ledger names. Whoever a name was generated for is
 * the original, and ours the copy. An id proves nothing: everybody can write it beside a name of their own.
 */
function originalStandingOf({ ports, resource, kind }: RivalInput, one: RawResource): ClaimStanding | undefined {
  const [mine, other] = [resource, one].map((each) => recordedLedger(ledgerOf(each, ports.installation)));
  if (!mine || !other) return undefined;
  const owners = other.claims.flatMap((claim) => {
    const isNamed = mine.claims.some(({ name }) => name === claim.name);
    if (!isNamed && !mine.claims.some(({ id }) => id !== undefined && id === claim.id)) return [];
    const by = nameOwner({ ports, kind }, one, { claim, ledger: other });
    return by === 'uid' && isNamed ? ['creator' as const] : by === undefined ? [] : ['alleged' as const];
  });
  return owners.find((standing) => standing === 'creator') ?? owners[0];
}

/**
 * Where the id is given, another resource may have claimed the object, and sent its request, while this one was about to. Asked
 * after the intent, when the order of claims is the same for everyone: exactly one of them continues.
 */
export function isForestalled(pass: ClaimsInput): boolean {
  const { resource, kind, ledger, ports } = pass;
  if (kind.identity !== 'given' || currentClaim(ledger)?.id !== undefined) return false;
  const claiming = claimingLedger(pass);
  const claim = currentClaim(claiming);
  if (!claiming || claim?.id === undefined) return false;
  const first = ports
    .claimants(claiming)
    .find(
      (one) => rankOf(pass, one, claim) !== rank.found && (isSame(one, resource) || counts(pass, one, claim) !== 'no'),
    );
  return first !== undefined && !isSame(first, resource);
}

/**
 * Who has recorded the object of the kind with this id. Ids that the service generates are unique: whoever has recorded one at another
 * address has the same object, and the address is another spelling. An image has its id in each service that knows it.
 */
export function ownerOf(pass: NamingInput & Pick<ClaimsInput, 'kind'>, id: string): string | undefined {
  const { kind, service, ports } = pass;
  if (service.state !== 'usable') return undefined;
  const { endpoints, tenant } = service;
  const [here] = endpoints.flatMap((endpoint) => ports.claimants({ endpoint, tenant, claims: [claimOn(kind, id)] }));
  if (here !== undefined || kind.identity === 'given') return textOf(pass, here);
  const [anywhere] = ports.claimantsOfId({ tenant, collection: collectionOf(kind) }, id);
  return textOf(pass, anywhere);
}

function claimOn(kind: Kind, id: string): Claim {
  return { role: 'main', collection: collectionOf(kind), name: id, id };
}

function isSame(one: RawResource, other: RawResource): boolean {
  return one.metadata.uid === other.metadata.uid;
}

function textOf(pass: NamingInput, resource: RawResource | undefined): string | undefined {
  return resource && shownAs(pass, resource);
}

/**
 * For people: `Cluster/ns/name`. Whoever may not use the service does not learn the names of other namespaces that do. A former
 * endpoint proves nothing, because a user can list any.
 */
function shownAs({ resource, service, ports }: NamingInput, other: RawResource): string {
  if (other.metadata.namespace === resource.metadata.namespace) return keyText(keyOf(other));
  const ledger = recordedLedger(ledgerOf(other, ports.installation));
  const isAtSameAddress =
    service.state === 'usable' && ledger && isMadeAt(ledger, { ...service, endpoints: [service.endpoint] });
  // Who shares a connection does not hold its credentials.
  const isShared = connectionOf(resource).kind === sharedConnectionKind;
  return isAtSameAddress && service.accepted && !isShared ? keyText(keyOf(other)) : somebodyElse;
}

/** Where the id is given, other claimants are asked before anything is written. */
function claimingLedger({ ledger, kind, facts, service, ports }: ClaimsInput): Ledger | undefined {
  const claim = currentClaim(ledger);
  if (kind.identity !== 'given' || claim?.id !== undefined || service.state !== 'usable') return ledger;
  const wanted = facts.deleting || facts.policy === 'Observe' ? undefined : facts.givenId;
  const id = claim && !isVoid(claim) ? claim.name : wanted;
  if (id === undefined) return undefined;
  const { installation } = ports;
  const { uid } = facts.resource.metadata;
  const pins = { endpoint: service.endpoint, tenant: service.tenant, base: '' };
  return { ...(ledger ?? newLedger({ uid, installation }, pins)), claims: [claimOn(kind, id)] };
}
