// The plan for a resource whose object is not known yet: adopt what a lost answer left, or create it.
import { routes } from '../../../wire/routes.ts';
import { sharedConnectionKind } from '../../api/shared-api.ts';
import { collectionOf, type Desired, type Kind, type RemoteObject, remoteKey } from '../kind/kind.ts';
import { dropClaims } from '../ledger/edits.ts';
import { type Claim, currentClaim, isVoid, type Ledger, newLedger, type Owner } from '../ledger/ledger.ts';
import { derivesFrom } from '../ledger/name-origin.ts';
import { baseName, clusterName, revisionName, revisionOf } from '../ledger/naming.ts';
import { type Outcome, refuse, waiting } from '../outcome.ts';
import { foundClaim, isFailedCreateOf, lostPrivates, ownNamed, preferredObject } from '../ownership/ownership.ts';
import { nameText } from '../pass-ports.ts';
import { claimOf, mappingContext, type PlanInput } from '../plan-input.ts';
import { recentDelete } from '../quarantine.ts';
import { resolutionOf } from '../resource/references.ts';
import { adopt, deleteFailedCreate, none, type Plan } from './next-step.ts';
import { configDigests, correctionMs, referencePrecondition, refuseContent } from './preconditions.ts';
import { untilFailed } from './runs/time-to-fail.ts';

const ledgerBaseLimit = 24;
export const creating = waiting('service', 'Provisioning', 'creating it in the service');

/** `make`: the step that makes it, once nothing is in the way. */
export function planCreate(input: PlanInput, make = planObject): Plan {
  const known = pendingClaim(input);
  const found = known && foundByName(input, known);
  const remnant = known && found && planFailedCreate(input, known, found);
  if (remnant) return remnant;
  // A found object is ours whatever became of its references: they are needed only to make it.
  if (known && known.id === undefined && found && input.ledger && !(input.kind.identity === 'given' && isVoid(known)))
    return adopt(input, { claim: known, ledger: input.ledger, id: found.id });
  const obstacle = createPrecondition(input);
  return obstacle ? none(obstacle) : make(input);
}

/** What a refused create left in the service holds the name, so it is deleted before the next try. A deletion without effect, or a stuck one, is repeated. */
export function planFailedCreate(input: PlanInput, claim: Claim, found: RemoteObject): Plan | undefined {
  if (!isFailedCreateOf(input.kind, claim, found)) return undefined;
  if (!recentDelete(input, found, input.kind.health(found))) return deleteFailedCreate(input, claim, found.id);
  const message = `what a refused create left in the service (${found.id}) is being deleted before the next try`;
  // As a failure: a wait for the service would begin the backoff anew, and the next try would come within seconds each time.
  return none({ result: 'failed', reason: 'ExternalRejected', message, cause: undefined });
}

/** The claim to find or create: of the content that is wanted now, as far as that is known. */
function pendingClaim(input: PlanInput): Claim | undefined {
  const { ledger } = input;
  const hash = input.wantedHash;
  return hash === undefined ? currentClaim(ledger) : ledger?.claims.find((one) => one.hash === hash);
}

export function specOf(input: PlanInput): Record<string, unknown> {
  const { spec } = input.facts;
  if (!spec.ok) throw new Error('cannot plan a create: the spec was not readable');
  return spec.value;
}

export function createPrecondition(input: PlanInput): Outcome | undefined {
  const { kind, resolutions, madeFor } = input;
  const spec = specOf(input);
  if (madeFor !== undefined) {
    const message = `${madeFor}, which it was created for, has ended: it is not created in the service any more`;
    return { ...waiting('kubernetes', 'DependencyNotReady', message), untimed: true };
  }
  const found = referencePrecondition(resolutions, kind.references(spec, input.facts.key.name));
  const awaited = found && kind.identity === 'once' ? untilFailed(input, found) : found;
  if (awaited?.result === 'refused') return awaited;
  // What the spec refers to mostly waits for the same Connection, so the message names the Connection as the cause.
  const obstacle = unready(input) ?? awaited;
  if (obstacle) return obstacle;
  const lookups = kind.identity === 'named' ? kind.lookups(spec, mappingContext(input, '').idOf) : [];
  const missing = lookups.find((one) => !input.remotes.has(remoteKey(one.route, one.id)));
  if (missing) {
    const what = routes[missing.route].single.replaceAll('_', ' ');
    const message = `${missing.field}: the service has no ${what} with id ${missing.id}. The operator waits for it. To use another one, create a new ${kind.definition.kind}`;
    const blocker = { kind: missing.kind, name: missing.id, reason: 'DependencyNotReady', message } as const;
    return waiting('service', 'DependencyNotReady', message, [blocker]);
  }
  return createProblem(input);
}

/** What is wrong with the spec together with what it refers to. Of a run, only the latter can change. */
export function createProblem(input: PlanInput): Outcome | undefined {
  const { kind } = input;
  if (kind.identity !== 'named' && kind.identity !== 'once') return undefined;
  const wrong = kind.checkCreate(specOf(input), mappingContext(input, ''));
  return wrong === undefined ? undefined : refuseContent(input, wrong, correctionMs);
}

/** The Connection allows no creation now. */
function unready({ service, facts }: PlanInput): Outcome | undefined {
  if (service.state !== 'usable' || service.mayCreate) return undefined;
  const why = service.message ?? `${nameText(facts.connection)} is not ready`;
  const message = service.leaving ? `${why}. ${leavingRemedy(facts)}` : why;
  const { kind, name } = facts.connection;
  const blocker = { kind, name, reason: 'DependencyNotReady', message } as const;
  return waiting('kubernetes', 'DependencyNotReady', message, [blocker]);
}

/** A Connection that is being deleted stays as long as a resource has the finalizer, and waits for no other one. */
function leavingRemedy({ connection, hasFinalizer, key: { kind } }: PlanInput['facts']): string {
  if (hasFinalizer)
    return connection.kind === sharedConnectionKind
      ? `Its deletion ends when no resource needs it any more: delete this ${kind}, too, and apply it again once the administrator of the cluster has applied ${nameText(connection)} again`
      : `Its deletion ends when no resource needs it any more: delete this ${kind}, too, and then apply both again`;
  const another = `because connectionRef is immutable, delete this ${kind} (nothing was created yet) and apply it with another one`;
  if (connection.kind === sharedConnectionKind)
    return `Ask the administrator of the cluster to apply ${nameText(connection)} again once it is gone, or, ${another}`;
  return `Apply ${nameText(connection)} again once it is gone: first delete what needs it (its status.blockedOn). Or, ${another}`;
}

export function planObject(input: PlanInput): Plan {
  const { kind } = input;
  const claim = wantedClaim(input);
  const desired = kind.desired(specOf(input), mappingContext(input, claim.name));
  const ledger = intendedLedger(input, claim, desired);
  const tagged = kind.identity === 'named' ? foundByTag(input) : [];
  if (tagged.length > 1) return none(ambiguous(tagged));
  const found = foundByName(input, claim) ?? tagged[0];
  if (found) return adopt(input, { claim: adopted(input.kind, claim, found), ledger, id: found.id });
  return { action: 'create', claim, ledger, body: desired.body, earlyStatus: creating };
}

/** What the ledger remembers of a create, before its attempt. */
export function intendedLedger(input: PlanInput, claim: Claim, desired: Desired<unknown>): Ledger {
  const { kind } = input;
  const spec = specOf(input);
  return {
    ...baseLedger(input, claim),
    configs: configDigests(kind, spec),
    ...(desired.baseline ? { baseline: desired.baseline } : {}),
    ...(desired.madeFrom ? { madeFrom: { ...desired.madeFrom } } : {}),
    ...revisionUsed(input, spec),
  };
}

/** What the object keeps of its template, which may be edited afterwards. */
function revisionUsed({ kind, resolutions }: PlanInput, spec: Record<string, unknown>) {
  const reference = kind.identity === 'named' ? kind.template(spec) : undefined;
  const found = reference && resolutionOf(resolutions, reference);
  return found?.state === 'resolved' && found.hash !== undefined ? { templateRevision: found.hash } : {};
}

/** The pinned claim; a new one where there is none, or where no object of the pinned name ever existed and the content has changed. */
export function wantedClaim(input: PlanInput): Claim {
  const { kind } = input;
  const spec = specOf(input);
  const collection = collectionOf(kind);
  const identity = input.facts.identity;
  const known = pendingClaim(input);
  if (kind.identity === 'named') {
    const longest = kind.longestGroup(spec, mappingContext(input, ''));
    return known ?? { role: 'main', collection, name: clusterName(identity, longest) };
  }
  if (known && !isVoid(known)) return known;
  if (kind.identity === 'given') return { role: 'main', collection, name: input.facts.givenId ?? '' };
  const hash = input.wantedHash;
  if (hash === undefined || kind.identity !== 'content')
    throw new Error(`cannot name a ${kind.definition.kind}: its references are not resolved`);
  const current = claimOf(input);
  const role = current && current.id === undefined ? current.role : 'revision';
  return { role, collection, name: revisionName(identity, hash, kind.nameEnding(spec)), hash };
}

/** The ledger without claims of other names that never had an object. */
export function baseLedger(input: PlanInput, claim: Claim): Ledger {
  const { service, ledger, installation } = input;
  if (service.state !== 'usable') throw new Error('cannot plan a create: there is no service');
  const { uid, name } = input.facts.identity;
  const owner: Owner = { uid, installation };
  const base =
    ledger ??
    lostRevisions(
      input,
      newLedger(owner, { endpoint: service.endpoint, tenant: service.tenant, base: baseName(name, ledgerBaseLimit) }),
    );
  const renewed = input.kind.identity === 'given';
  // The recorded refusal shows that a create may have left something, so it stays until the next create.
  const stale = base.claims.filter(
    (one) =>
      isVoid(one) && (renewed || one.name !== claim.name) && (claim.role !== 'private' || one.role === 'private'),
  );
  return dropClaims(
    base,
    stale.map(({ name: one }) => one),
  );
}

export function foundByName(input: PlanInput, claim: Claim): RemoteObject | undefined {
  return preferredObject(ownNamed(input, claim), undefined, input.referencedIds);
}

/** With the ledger lost, the name that the object was given counts. */
export function adopted(kind: Kind, claim: Claim, found: RemoteObject): Claim {
  return kind.identity === 'given' ? foundClaim(kind, claim) : { ...claim, name: found.name };
}

/** With the ledger lost, former revisions are recorded as such: they go once nothing refers to them. */
function lostRevisions(input: PlanInput, ledger: Ledger): Ledger {
  const { kind } = input;
  if (kind.identity !== 'content') return { ...ledger, claims: [...lostPrivates(input)] };
  const hash = input.wantedHash;
  const former = new Map(foundByTag(input).map((row) => [revisionOf(row.name), row]));
  const claims = [...former].flatMap(([own, { id, name }]): readonly Claim[] =>
    own === undefined || own === hash
      ? []
      : [{ role: 'revision', collection: collectionOf(kind), name, id, hash: own }],
  );
  return { ...ledger, claims: [...claims, ...lostPrivates(input)] };
}

/** With the ledger lost, only the tag in the name is left: nobody else can have given it. */
export function foundByTag(input: PlanInput): readonly RemoteObject[] {
  const { kind, view, facts, ledger } = input;
  if (!view || ledger || facts.neverManaged) return [];
  return [...view.names()].flatMap(({ id, name }) => (derivesFrom(kind, name, facts.identity) && view.byId(id)) || []);
}

function ambiguous(rows: readonly RemoteObject[]): Outcome {
  const ids = rows.map((row) => `${row.name} (${row.id})`).join(', ');
  const message = `the ledger is lost, and several objects in the service have this resource's tag: ${ids}. Delete all but one of them in the service`;
  return refuse('OwnershipUnconfirmed', message);
}
