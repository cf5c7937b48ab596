// Whose an object of the service is: by a generated name, by the id that the spec gives, or, for a fixed name, by the template it was
// started from. PURE. A recorded id only says where to look: anyone who may edit the resource can write it.
import { sharedConnectionKind } from '../../api/shared-api.ts';
import type { View } from '../../client/list/list-view.ts';
import {
  collectionOf,
  type Kind,
  type ObjectKind,
  objectsNamed,
  privateKindOf,
  type RemoteObject,
  remoteKey,
} from '../kind/kind.ts';
import { type Claim, isRefused, isSameClaim, isVoid, privateClaims } from '../ledger/ledger.ts';
import { type NamedBy, namedBy } from '../ledger/name-origin.ts';
import { isOwnName, revisionOf } from '../ledger/naming.ts';
import { type Outcome, refuse, shortText } from '../outcome.ts';
import type { PlanInput } from '../plan-input.ts';

/** The kind of a claim's object: the resource's own, or that of its private object. */
export function kindOf(kind: Kind, claim: Claim | undefined): ObjectKind {
  const hidden = privateKindOf(kind);
  return hidden && claim?.collection === collectionOf(hidden) ? hidden : kind;
}

/** The view that holds the claim's object, as far as it was observed. */
export function viewFor({ kind, view, privates }: PlanInput, claim: Claim): View<RemoteObject> | undefined {
  return kindOf(kind, claim) === kind ? view : privates;
}

/** For people: `Cluster etl-x1`. */
export function claimText(kind: Kind, claim: Claim): string {
  return `${kindOf(kind, claim).definition.kind} ${claim.name}`;
}

/** With the ledger lost, private objects are found by the tag in their names. */
export function lostPrivates({ kind, privates, facts }: PlanInput): readonly Claim[] {
  const hidden = privateKindOf(kind);
  if (!hidden || !privates) return [];
  return [...privates.names()].flatMap((row): readonly Claim[] => {
    const hash = isOwnName(row.name, facts.identity) ? revisionOf(row.name) : undefined;
    if (hash === undefined) return [];
    return [{ role: 'private', collection: collectionOf(hidden), name: row.name, id: row.id, hash }];
  });
}

/** Ids of the templates with the generated name of the claim. A list may lag behind a GET of the recorded id. */
function templatesOf({ kind, privates, remotes }: PlanInput, { name, id }: Claim): readonly string[] {
  const hidden = privateKindOf(kind);
  const seen = hidden && id !== undefined ? remotes.get(remoteKey(hidden.route, id)) : undefined;
  const rows = [...(privates?.byName(name) ?? []), ...(seen?.name === name ? [seen] : [])];
  return rows.map((row) => row.id);
}

/** Why the claim may have its name; undefined: it cannot belong to this resource. */
export function namedFor({ kind, facts, ledger, installation }: PlanInput, claim: Claim): NamedBy | undefined {
  return namedBy(kind, { resource: facts.resource, installation, ledger }, claim);
}

/** The row is the object of the claim: it has the name that only this resource gives, or is proven otherwise. */
export function isProven(input: PlanInput, claim: Claim, row: RemoteObject): boolean {
  if (isForeign(input, claim)) return false;
  switch (namedFor(input, claim)) {
    case undefined:
      return false;
    case 'adopted':
      return row.id === claim.id;
    case 'spec':
      return input.kind.identity === 'given' ? row.id === claim.name : provenOwn(input, [row]).length > 0;
    default:
      return row.name === claim.name;
  }
}

/** The resource cannot have come by the claim honestly. */
function isForeign({ facts: { foreign } }: PlanInput, claim: Claim): boolean {
  return foreign.some((one) => isSameClaim(one, claim));
}

/** Those objects of a fixed name that were started from a template of ours: nobody else gives that name to one. */
export function provenOwn(input: PlanInput, rows: readonly RemoteObject[]): readonly RemoteObject[] {
  return rows.filter((row) => proofOf(input, row) !== undefined || isKnown(input, row));
}

/** The claim on the template that the object was started from: whoever owns the template owns the object. */
export function proofOf(input: PlanInput, row: RemoteObject): Claim | undefined {
  const { kind, ledger, memory } = input;
  const known = isKnown(input, row) ? memory.proven?.from : undefined;
  const from = startedFrom(kind, row) ?? known;
  if (from === undefined) return undefined;
  const claims = ledger
    ? privateClaims(ledger).filter((one) => namedFor(input, one) && !isForeign(input, one))
    : lostPrivates(input);
  return claims.find((claim) => templatesOf(input, claim).includes(from) || (known === from && claim.id === known));
}

/** It was proven before. */
function isKnown({ kind, memory: { proven } }: PlanInput, row: RemoteObject): boolean {
  return proven?.id === row.id && (startedFrom(kind, row) ?? proven.from) === proven.from;
}

function startedFrom(kind: Kind, row: RemoteObject): string | undefined {
  return kind.identity === 'named' ? kind.fixedName.startedFrom(row) : undefined;
}

/** The objects with the claim's name that are ours. */
export function ownNamed(input: PlanInput, claim: Claim): readonly RemoteObject[] {
  const view = viewFor(input, claim);
  const rows = view ? objectsNamed(kindOf(input.kind, claim), view, claim.name) : [];
  return rows.filter((row) => isProven(input, claim, row));
}

/** Of several objects with one content name: the recorded one, else one that something refers to, else the smallest id. */
export function preferredObject(
  rows: readonly RemoteObject[],
  recorded: string | undefined,
  mentioned: ReadonlySet<string> | undefined,
): RemoteObject | undefined {
  const sorted = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  return sorted.find((row) => row.id === recorded) ?? sorted.find((row) => mentioned?.has(row.id)) ?? sorted[0];
}

/**
 * The object of a claim of which only id and name can be read: enough to delete it. Without a name it may belong to
 * somebody else.
 */
export function unreadOwn(input: PlanInput, claim: Claim): RemoteObject | undefined {
  const rows = viewFor(input, claim)?.unreadable.flatMap((row): RemoteObject[] => {
    const { id, name, problem: _problem, ...rest } = row;
    return id && name && (id === claim.id || name === claim.name) ? [{ ...rest, id, name }] : [];
  });
  return rows?.find((row) => isProven(input, claim, row));
}

/** The objects that are ours, the recorded one first. */
export function ownObjects(input: PlanInput, claim: Claim): readonly RemoteObject[] {
  const recorded = claim.id === undefined ? undefined : viewFor(input, claim)?.byId(claim.id);
  const named = ownNamed(input, claim).filter((row) => row.id !== claim.id);
  return recorded && isProven(input, claim, recorded) ? [recorded, ...named] : named;
}

/** The object with the recorded id exists, and nothing proves that it is ours: it was renamed, or the ledger was tampered with. */
export function unprovenObject(input: PlanInput, claim: Claim): RemoteObject | undefined {
  const row = claim.id === undefined ? undefined : viewFor(input, claim)?.byId(claim.id);
  return row && !isProven(input, claim, row) ? row : undefined;
}

/** For people: why nothing is done with it. */
export function unprovenText({ kind, facts }: PlanInput, claim: Claim, row: RemoteObject): string {
  const what = `${kindOf(kind, claim).definition.kind} ${shortText(row.id)}`;
  if (row.name === claim.name)
    return `nothing proves that ${what} was created for this resource, because it was started from a template of somebody else`;
  // Whoever forges an id must not learn what others call their objects.
  const name = facts.connection.kind === sharedConnectionKind ? 'something else' : shortText(row.name);
  return `nothing proves that ${what} was created for this resource, because it is called ${name} in the service instead of ${claim.name}`;
}

/** Another object has the claim's fixed name; undefined: none has, or it is ours. */
export function nameConflict(input: PlanInput, { name, role }: Claim): Outcome | undefined {
  const { kind, view } = input;
  if (role === 'private' || input.facts.fixedName === undefined || !view) return undefined;
  const rows = view.byName(name);
  const [other] = rows;
  if (!other || provenOwn(input, rows).length > 0) return undefined;
  const what = kind.definition.kind;
  const owner = input.ownerOf(other.id);
  const which = owner === undefined ? other.id : `${other.id}, of ${owner}`;
  return refuse(
    'NameConflict',
    `cannot use the name ${name}: the service already has another object with this name (${which}), which was not created for this ${what}. ` +
      `Nothing is created until that object is gone. To manage it, delete this ${what} and apply it with spec.adopt.id: ${shortText(other.id)} in place of spec.name; to have another one, with another spec.name`,
  );
}

/** An object that was there under a given id, without any create of ours, was there before us. */
export function foundClaim(kind: ObjectKind, claim: Claim): Claim {
  return kind.identity === 'given' && isVoid(claim) ? { ...claim, origin: 'preexisting' } : claim;
}

/** What was there before us stays when the resource is deleted, unless the user explicitly asks for its removal. */
export function isBorrowed({ origin }: Claim, { deletionPolicy }: Pick<PlanInput['facts'], 'deletionPolicy'>): boolean {
  return deletionPolicy === undefined && origin !== undefined;
}

/** Whether the service may have anything of the claim: its object, one that may still appear, or what a refused create left. */
export function mayBeThere(kind: ObjectKind, claim: Claim): boolean {
  return !isVoid(claim) || (kind.identity === 'named' && isRefused(claim));
}

/** What a refused create of the claim left, also while that is being deleted. */
export function isFailedCreateOf(kind: ObjectKind, claim: Claim, row: RemoteObject): boolean {
  return (
    kind.identity === 'named' &&
    isRefused(claim) &&
    kind.isFailedCreate(row) &&
    ['failed', 'deleting'].includes(kind.health(row).state)
  );
}
