// The plan for a resource whose object is not known yet: adopt what a lost answer left, or create it.

import { routes } from '../../../wire/routes.ts';
import { type AnyKind, collectionOf, type Desired, type RemoteObject, remoteKey } from '../kind.ts';
import { dropClaims } from '../ledger/edits.ts';
import { type Claim, currentClaim, isVoid, type Ledger, newLedger, type Owner } from '../ledger/ledger.ts';
import { baseName, clusterName, isOwnName, revisionName, revisionOf } from '../ledger/naming.ts';
import { type Outcome, refuse } from '../outcome.ts';
import { identityOf, lostTemplates, ownNamed } from '../ownership/ownership.ts';
import { claimOf, foundClaim, given, type Situation } from '../plan-input.ts';
import { wantedHash } from '../resource/content-hash.ts';
import { resolutionOf } from '../resource/references.ts';
import { planRemnant } from './failed-create.ts';
import { configDigests, keeper, referenceObstacle } from './preconditions.ts';
import type { Plan } from './types.ts';

const ledgerBaseLimit = 24;

export function planCreate(situation: Situation): Plan {
  const known = pendingClaim(situation);
  const found = known && foundByName(situation, known);
  const remnant = known && found && planRemnant(situation, known, found);
  if (remnant) return remnant;
  // A found object is ours whatever became of its references: they are needed only to make it.
  if (
    known &&
    known.id === undefined &&
    found &&
    situation.ledger &&
    !(situation.kind.identity === 'given' && isVoid(known))
  )
    return { action: 'adopt', claim: known, ledger: situation.ledger, id: found.id };
  const obstacle = createObstacle(situation);
  return obstacle ? { action: 'none', outcome: obstacle } : planBody(situation);
}

/** The claim of what is to be found or made: of the content that is wanted now, as far as that can be told. */
function pendingClaim(situation: Situation): Claim | undefined {
  const { ledger } = situation;
  const hash = wantedHash(situation);
  return hash === undefined ? currentClaim(ledger) : ledger?.claims.find((one) => one.hash === hash);
}

export function specOf(situation: Situation): Record<string, unknown> {
  const { spec } = situation.facts;
  if (!spec.ok) throw new Error('cannot plan a create: the spec was not readable');
  return spec.value;
}

export function createObstacle(situation: Situation): Outcome | undefined {
  const { kind, resolutions } = situation;
  const spec = specOf(situation);
  const awaited = referenceObstacle(resolutions, kind.references(spec)) ?? unready(situation);
  if (awaited) return awaited;
  const ask = given(situation, '');
  const missing = kind.lookups(spec, ask.idOf).find((one) => !situation.remotes.has(remoteKey(one.route, one.id)));
  if (missing) {
    const what = routes[missing.route].single.replaceAll('_', ' ');
    const message = `${missing.field}: the service has no ${what} with id ${missing.id}. It is waited for; for another one make a new ${kind.definition.kind}`;
    const blocker = { kind: missing.kind, name: missing.id, reason: 'DependencyNotReady', message } as const;
    return { result: 'waiting', on: 'service', reason: 'DependencyNotReady', message, blockedOn: [blocker] };
  }
  const wrong = kind.checkCreate?.(spec, ask);
  return wrong ? refuse('InvalidSpec', wrong) : undefined;
}

/** The Connection lets nothing be made now. */
function unready({ service, facts }: Situation): Outcome | undefined {
  if (service.state !== 'usable' || service.mayCreate) return undefined;
  const message = service.message ?? `Connection ${facts.connection} is not ready`;
  const blocker = { kind: 'Connection', name: facts.connection, reason: 'NotReady', message } as const;
  return { result: 'waiting', on: 'kubernetes', reason: 'DependencyNotReady', message, blockedOn: [blocker] };
}

function planBody(situation: Situation): Plan {
  const { kind } = situation;
  const spec = specOf(situation);
  const claim = wantedClaim(situation, spec);
  const desired = kind.desired(spec, given(situation, claim.name));
  const ledger = intendedLedger(situation, claim, desired);
  const tagged = kind.identity === 'named' ? foundByTag(situation) : [];
  if (tagged.length > 1) return { action: 'none', outcome: ambiguous(tagged) };
  const found = foundByName(situation, claim) ?? tagged[0];
  if (found) return { action: 'adopt', claim: adopted(situation.kind, claim, found), ledger, id: found.id };
  return { action: 'create', claim, ledger, body: desired.body };
}

/** What is remembered of a create, before its attempt. */
export function intendedLedger(situation: Situation, claim: Claim, desired: Desired<unknown>): Ledger {
  const { kind } = situation;
  const spec = specOf(situation);
  return {
    ...baseLedger(situation, claim),
    configs: configDigests(kind, spec),
    ...(desired.baseline ? { baseline: desired.baseline } : {}),
    ...(desired.madeFrom ? { madeFrom: { ...desired.madeFrom } } : {}),
    ...revisionUsed(situation, spec),
  };
}

/** What the object keeps of its template, which may be edited afterwards. */
function revisionUsed({ kind, resolutions }: Situation, spec: Record<string, unknown>) {
  const reference = kind.template?.(spec);
  const found = reference && resolutionOf(resolutions, reference);
  return found?.state === 'resolved' && found.hash !== undefined ? { templateRevision: found.hash } : {};
}

/** The pinned claim; a new one where there is none, or where none of the pinned name ever was and the content is another now. */
function wantedClaim(situation: Situation, spec: Record<string, unknown>): Claim {
  const { kind } = situation;
  const collection = collectionOf(kind);
  const identity = identityOf(situation);
  const known = pendingClaim(situation);
  if (kind.identity === 'named') {
    const longest = kind.longestGroup?.(spec, given(situation, '')) ?? 0;
    return known ?? { role: 'main', collection, name: clusterName(identity, longest) };
  }
  if (known && !isVoid(known)) return known;
  if (kind.identity === 'given') return { role: 'main', collection, name: kind.givenId?.(spec) ?? '' };
  const hash = wantedHash(situation);
  if (hash === undefined) throw new Error(`cannot name a ${kind.definition.kind}: its references are not resolved`);
  const current = claimOf(situation);
  const role = current && current.id === undefined ? current.role : 'revision';
  return { role, collection, name: revisionName(identity, hash), hash };
}

/** The ledger without claims that never came to anything under another name. */
export function baseLedger(situation: Situation, claim: Claim): Ledger {
  const { service, ledger, installation } = situation;
  if (service.state !== 'usable') throw new Error('cannot plan a create: there is no service');
  const { uid, name } = identityOf(situation);
  const owner: Owner = { uid, installation };
  const base =
    ledger ??
    lostRevisions(
      situation,
      newLedger(owner, { endpoint: service.endpoint, tenant: service.tenant, base: baseName(name, ledgerBaseLimit) }),
    );
  const renewed = situation.kind.identity === 'given';
  // What a refused create may have left is told from the refusal, so that stays until the next create itself.
  const stale = base.claims.filter(
    (one) =>
      isVoid(one) && (renewed || one.name !== claim.name) && (claim.role !== 'private' || one.role === 'private'),
  );
  return dropClaims(
    base,
    stale.map(({ name: one }) => one),
  );
}

function foundByName(situation: Situation, claim: Claim): RemoteObject | undefined {
  return keeper(ownNamed(situation, claim), undefined, situation.mentioned);
}

/** With the ledger lost, the name that was given then is what counts. */
function adopted(kind: AnyKind, claim: Claim, found: RemoteObject): Claim {
  return kind.identity === 'given' ? foundClaim(kind, claim) : { ...claim, name: found.name };
}

/** With the ledger lost, former revisions come back as what they are: they go once nothing refers to them. */
function lostRevisions(situation: Situation, ledger: Ledger): Ledger {
  const { kind } = situation;
  if (kind.identity !== 'content') return { ...ledger, claims: [...lostTemplates(situation)] };
  const hash = wantedHash(situation);
  const former = new Map(foundByTag(situation).map((row) => [revisionOf(row.name), row]));
  const claims = [...former].flatMap(([own, { id, name }]): readonly Claim[] =>
    own === undefined || own === hash
      ? []
      : [{ role: 'revision', collection: collectionOf(kind), name, id, hash: own }],
  );
  return { ...ledger, claims };
}

/** With the ledger lost, the tag in a name is what is left: only this resource can have given it. */
function foundByTag(situation: Situation): readonly RemoteObject[] {
  const { view, facts, ledger } = situation;
  if (!view || ledger || facts.virgin) return [];
  return [...view.names()].flatMap(({ id, name }) => (isOwnName(name, identityOf(situation)) && view.byId(id)) || []);
}

function ambiguous(rows: readonly RemoteObject[]): Outcome {
  const ids = rows.map((row) => `${row.name} (${row.id})`).join(', ');
  const message = `the ledger is lost, and several objects of the service bear this resource's tag: ${ids}. Delete all but one of them in the service`;
  return refuse('OwnershipUnconfirmed', message);
}
