// The plan for a kind whose content decides: for the objects of former content, and for what a revision refers to. PURE.
//
//  wanted content            object of it                        plan
//  not known                 the spec was settled before         none: keep the current one
//  not known                 any                                 wait for the references
//  that of the current one   any                                 collect former ones that nothing refers to
//  another                   none                                create it; the current one serves until it is recorded
//  another                   a former one, still referred to     switch to it
//  another                   a former one, not referred to       collect it first: a DELETE of it may be under way
//
// What a revision refers to has to exist before it: an object of its own in the service.
//
//  private object      of the revision     plan
//  not recorded        nothing             adopt what a lost answer left of it, or create it
//  recorded, there     nothing             the revision may be created, unless a DELETE of it may take effect
//  recorded, gone      nothing             create it anew, once no request that names it can take effect
//  recorded, gone      exists              report it: what exists cannot refer to another one
import { collectionOf, type PrivateKind, privateContentOf, privateKindOf, remoteKey } from '../kind/kind.ts';
import { forgetId } from '../ledger/edits.ts';
import { type Claim, type Ledger, privateClaims } from '../ledger/ledger.ts';
import { revisionName } from '../ledger/naming.ts';
import { privateHash, privateOf } from '../ledger/private-content.ts';
import { leftoverClaims } from '../ledger/revision-history.ts';
import { refuse, shortText, waiting } from '../outcome.ts';
import { claimText, ownNamed, ownObjects, preferredObject } from '../ownership/ownership.ts';
import { mappingContext, type PlanInput } from '../plan-input.ts';
import { quarantineEnd } from '../quarantine.ts';
import { isReady, wasObserved } from '../resource/facts.ts';
import { adopt, disclaim, none, type Plan, switchTo } from './next-step.ts';
import {
  adopted,
  baseLedger,
  creating,
  foundByName,
  intendedLedger,
  planCreate,
  planObject,
  specOf,
  wantedClaim,
} from './plan-create.ts';
import { referencePrecondition } from './preconditions.ts';

/** The step toward other content; undefined: the current object has the wanted content, or is kept. */
export function planRevision(input: PlanInput, current: Claim): Plan | undefined {
  const { kind, facts, memory, resolutions, ledger } = input;
  if (kind.identity !== 'content' || !facts.spec.ok) return undefined;
  const hash = input.wantedHash;
  if (hash === undefined) {
    const observed = wasObserved(facts) && facts.observedGeneration === facts.generation;
    if (observed || memory.settledGeneration === facts.generation) return undefined;
    const awaited = referencePrecondition(resolutions, kind.references(facts.spec.value, facts.key.name));
    return awaited && none(awaited);
  }
  if (current.hash === undefined || current.hash === hash) return undefined;
  const former = ledger?.claims.find((one) => one.hash === hash && one.id !== undefined);
  return former ? planReturn(input, former) : planNewRevision(input);
}

/** Only while others refer to a former object is it certain that no DELETE of it is in flight. */
function planReturn(input: PlanInput, former: Claim): Plan {
  const { ledger, referencedIds, facts } = input;
  if (!ledger) throw new Error('cannot plan: there is no ledger');
  const switched = switchTo(input, former, ledger);
  // What was adopted is never collected.
  if (former.origin === 'adopted') return switched;
  const used = ownObjects(input, former).some(({ id }) => id === former.id && referencedIds?.has(id));
  if (used) return switched;
  const earlyStatus = waiting('service', 'Provisioning', 'replacing it');
  return { action: 'collect', claims: [former], generation: facts.generation, switched, earlyStatus };
}

/** Content that nothing refers to any more, and what lost answers may still bring. */
function formerRevisions(input: PlanInput): readonly Claim[] {
  const { kind, ledger, referencedIds } = input;
  if (kind.identity !== 'content' || !referencedIds) return [];
  return leftoverClaims(ledger).filter((claim) => {
    const rows = ownObjects(input, claim);
    return rows.length === 0 || claim.id === undefined || rows.some((row) => !referencedIds.has(row.id));
  });
}

/** Former objects that nothing refers to any more. */
export function planLeftovers(input: PlanInput): Plan | undefined {
  const { facts, ledger } = input;
  const claims = formerRevisions(input);
  if (claims.length === 0) return undefined;
  const adopted = claims.filter(({ origin }) => origin === 'adopted');
  if (adopted.length > 0 && ledger) return leave(ledger, adopted);
  if (isReady(facts)) return { action: 'collect', claims, generation: facts.generation };
  // First the status reports that the current one is there.
  const tidying = waiting('service', 'Provisioning', 'old revisions are left to delete');
  return none({ result: 'settled', tidying });
}

/** An adopted object, which another one has replaced, belongs to the user again. */
function leave(ledger: Ledger, adopted: readonly Claim[]): Plan {
  const note = `no longer managed, and left in the service: ${adopted.map(({ name, id }) => `${shortText(name)} (${id})`).join(', ')}`;
  return disclaim({ ...ledger, claims: ledger.claims.filter((one) => !adopted.includes(one)) }, note);
}

/** The plan for a revision that is not recorded. */
export function planNewRevision(input: PlanInput): Plan {
  return planCreate(input, planRevisionObject);
}

/** First what the object refers to. An object that exists already needs nothing more. */
function planRevisionObject(input: PlanInput): Plan {
  if (privateContentOf(input.kind)?.field(specOf(input)) === undefined) return planObject(input);
  const claim = wantedClaim(input);
  const found = foundByName(input, claim);
  const known = intendedLedger(input, claim, { body: undefined });
  if (found) return adopt(input, { claim: adopted(input.kind, claim, found), ledger: known, id: found.id });
  const first = planPrivate(input, claim);
  if (typeof first !== 'string') return first;
  const desired = input.kind.desired(specOf(input), { ...mappingContext(input, claim.name), privateId: first });
  return { action: 'create', claim, ledger: known, body: desired.body, earlyStatus: creating };
}

function privateKind({ kind }: PlanInput): PrivateKind {
  const hidden = privateKindOf(kind);
  if (!hidden) throw new Error(`a ${kind.definition.kind} refers to no private object`);
  return hidden;
}

/** The claim on the private object of a revision, as it is before anything was created. */
function freshPrivate(input: PlanInput, { hash: revision = '' }: Claim): Claim {
  const hash = privateHash(revision);
  const name = revisionName(input.facts.identity, hash);
  return { role: 'private', collection: collectionOf(privateKind(input)), name, hash };
}

/** The id of the private object of the revision `main`, or the step toward it. */
function planPrivate(input: PlanInput, main: Claim): Plan | string {
  const fresh = freshPrivate(input, main);
  const ledger = baseLedger(input, fresh);
  const claim = privateClaims(ledger).find((one) => one.hash === fresh.hash) ?? fresh;
  const { id } = claim;
  if (id !== undefined && isThere(input, id)) return planWhileDeleted(input, { ...claim, id }) ?? id;
  if (id !== undefined) return planAgain(input, main, { claim, ledger });
  const found = preferredObject(ownNamed(input, claim), undefined, input.referencedIds);
  if (found) return adopt(input, { claim, ledger, id: found.id });
  const body = privateKind(input).body(specOf(input), mappingContext(input, claim.name));
  // The ConfigMap has changed since its digest was taken: the change wakes the key.
  if (body === undefined) return none({ result: 'requeue', afterMs: readAgainMs });
  return { action: 'create', claim, ledger, body, earlyStatus: creating };
}

const readAgainMs = 2_000;

/** It was spare before its content was wanted again, and a DELETE of it may still take effect. */
function planWhileDeleted(input: PlanInput, claim: Claim & { readonly id: string }): Plan | undefined {
  const { memory, now, quarantineMs, service } = input;
  const sent = memory.deletesSent?.get(claim.id);
  const leftMs = sent === undefined ? 0 : sent.at + quarantineMs - now.monotonic;
  if (leftMs <= 0) return undefined;
  const pollMs = service.state === 'usable' ? service.pollSeconds * 1000 : leftMs;
  const message = `waiting for the old ${claimText(input.kind, claim)} to be deleted before recreating it`;
  return none({ ...waiting('time', 'Provisioning', message), afterMs: Math.min(leftMs, pollMs) });
}

/** Without a list nothing is known to be gone. */
function isThere(input: PlanInput, id: string): boolean {
  const { privates, remotes } = input;
  return !privates || privates.byId(id) !== undefined || remotes.has(remoteKey(privateKind(input).route, id));
}

/** Somebody deleted it. A revision that refers to it and still appears would be useless, and its name would be taken. */
function planAgain(
  input: PlanInput,
  main: Claim,
  { claim, ledger }: { readonly claim: Claim; readonly ledger: Ledger },
): Plan {
  const until = quarantineEnd(input, main);
  const { wall } = input.now;
  if (until === undefined || until <= wall)
    return { action: 'forget', claim, id: claim.id ?? '', ledger: forgetId(ledger, claim.name) };
  const message = `${claimText(input.kind, claim)} is gone from the service, and what was to refer to it may still appear`;
  return none({ ...waiting('time', 'Provisioning', message), afterMs: until - wall });
}

/** The revision exists, and somebody deleted what it refers to. */
export function planLostContent(input: PlanInput, { hash }: Claim): Plan | undefined {
  const { kind, ledger, facts } = input;
  const content = privateContentOf(kind);
  const claim = content && privateOf(ledger, hash);
  if (!claim || claim.id === undefined || isThere(input, claim.id)) return undefined;
  const what = `${claimText(kind, claim)} (${claim.id})`;
  const field = facts.spec.ok ? content.field(facts.spec.value) : undefined;
  const message = `${what} was deleted in the service, not by this operator, and the object that exists refers to it. To create another one, change ${field ?? 'spec'}, or delete this resource and apply it again`;
  return none(refuse('ExternalDeleted', message));
}
