// The plan for a resource that is being deleted. It reads the Connection, deletion policy and ledger, never the spec.
//
//  our finalizer   policy   ledger               service        plan
//  no              any      any                  any            none: it is not ours any more
//  yes             any      unconfirmed          any            release, nothing deleted
//  yes             Orphan,  something of ours,   any            hold where a SharedConnection limits what the namespace has
//                  Observe  or lost
//  yes             Orphan   something, or lost   any            release, and say what is left
//  yes             Observe  any                  any            release, and say what is left
//  yes             any      what it may not take, only           release, nothing deleted
//  yes             Delete   nothing, none open   any            release
//  yes             unset    what was there before us, only      release, and say what is left
//  yes             Delete   something            any            hold while resources that have something in the service refer to it
//  yes             Delete   something            not usable     hold: wait for the Connection
//  yes             Delete   pins differ          usable         hold: ConnectionChanged
//  yes             Delete   others', all of it   usable         release, nothing deleted
//  yes             Delete   others', in part     usable         disclaim: remove that from the ledger, then delete the rest
//  yes             Delete   somebody else's, too usable         hold, and say whose; or that nobody can tell whose it is
//  yes             Delete   something            usable         delete
//  yes             Delete   lost                 usable         delete what has our tag; wait while the list cannot be read
import { ledgerAnnotation } from '../../api/shared-api.ts';
import { collectionOf } from '../kind/kind.ts';
import type { Claim } from '../ledger/ledger.ts';
import { derivesFrom } from '../ledger/name-origin.ts';
import { unreadableRowText } from '../lists/unreadable-rows.ts';
import { blockersOf, freeing, type Outcome, refuse, shortText, waiting, wayOut } from '../outcome.ts';
import { isBorrowed, lostPrivates, mayBeThere, namedFor, ownNamed, provenOwn } from '../ownership/ownership.ts';
import { type Contest, type PlanInput, somebodyElse } from '../plan-input.ts';
import { deletionAwaited } from '../status/messages.ts';
import { disclaim, none, type Plan, release } from './next-step.ts';
import { foreignText, pinsDiffer } from './preconditions.ts';

/** How often to check whether another resource still claims the same object, in ms. */
const contestMs = 30_000;

export const deleting: Outcome = { result: 'waiting', on: 'service', reason: 'Deleting', message: deletionAwaited };

export function planDelete(input: PlanInput): Plan {
  const { facts, service, ledger } = input;
  if (!facts.hasFinalizer) return none({ result: 'released' });
  if (facts.ledger.state === 'unconfirmed') {
    const note = `released without deleting anything in the service: the annotation ${ledgerAnnotation} cannot be used (${facts.ledger.why})`;
    return release('Released', note);
  }
  const all = (ledger?.claims ?? []).filter((one) => mayBeThere(input.kind, one) && !facts.alleged.includes(one));
  const isObserved = facts.policy === 'Observe';
  if ((isObserved || facts.deletionPolicy === 'Orphan') && (all.length > 0 || !ledger))
    return staying(input, all) ?? release(isObserved ? 'Released' : 'Orphaned', orphanNote(all));
  const claims = all.filter((one) => !isBorrowed(one, facts));
  if (claims.length < all.length && claims.length === 0) return release('Released', borrowedNote(all));
  if (ledger && all.length === 0 && facts.alleged.length > 0) return release('Released', allegedNote(facts.alleged));
  if (ledger && claims.length === 0) return release('Deleted', 'nothing of it was left in the service');
  if (input.users.length > 0) return none(inUse(input));
  if (service.state !== 'usable') return none(hold(input, service));
  const moved = ledger && pinsDiffer(ledger, service, input.facts.connection);
  if (moved) return none(refuse('ConnectionChanged', `${moved}. ${wayOut}`));
  const contested = planContested(input, claims);
  if (contested) return contested;
  const wanted = ledger ? claims : lostClaims(input);
  // A row that cannot be read may have our tag.
  const isComplete = input.view?.complete && input.privates?.complete !== false;
  if (wanted.length === 0 && !isComplete) return none(unreadable(input));
  if (wanted.length === 0) return release('Deleted', 'nothing of it was found in the service');
  // What an object was started from is in use as long as the object exists.
  const first = wanted.filter((one) => one.role !== 'private');
  const later = wanted.filter((one) => one.role === 'private');
  return first.length === 0
    ? { action: 'delete', claims: later, later: [], earlyStatus: deleting }
    : { action: 'delete', claims: first, later, earlyStatus: deleting };
}

/** Where others claim the same: the lower-ranked resource drops the claim, the higher-ranked one waits until nobody else claims it. */
function planContested(input: PlanInput, claims: readonly Claim[]): Plan | undefined {
  const { ledger, facts } = input;
  if (!ledger) return undefined;
  const contests = new Map(claims.map((claim) => [claim, input.contestOf(claim)]));
  // An object whose name was generated for this resource is ours and goes first, whatever the recorded id is.
  const owns = (claim: Claim): boolean => namedFor(input, claim) === 'uid' && ownNamed(input, claim).length > 0;
  const lost = claims.filter((claim) => contests.get(claim)?.wins && !owns(claim));
  const whose = lost.map(
    (claim) => `${claim.collection} ${shortText(claim.id ?? claim.name)} belongs to ${contests.get(claim)?.by}`,
  );
  if (lost.length > 0) {
    if (lost.length === claims.length)
      return release('Released', `released without deleting anything: ${whose.join(', ')}`);
    const left = ledger.claims.filter((claim) => !lost.includes(claim));
    return disclaim({ ...ledger, claims: left }, `not deleted: ${whose.join(', ')}`);
  }
  const foreign = facts.foreign.find((claim) => claims.includes(claim));
  if (foreign) return none(refuse('OwnershipUnconfirmed', `${foreignText(foreign)}. ${wayOut}`));
  const [shared] = [...contests].filter(([, contest]) => contest?.wins === false);
  return shared?.[1] && none(holdFor(input, shared[0], shared[1]));
}

function holdFor({ facts }: PlanInput, { id, name }: Claim, { by }: Contest): Outcome {
  const object = shortText(id ?? name);
  const message = `${by} also claims object ${object}. The operator deletes ${object} when that resource is gone or no longer claims it. ${wayOut}`;
  const [kind = '', ...rest] = by === somebodyElse ? [facts.key.kind, 'of another namespace'] : by.split('/');
  const blocker = { kind, name: rest.join('/'), reason: 'DuplicateClaim', message } as const;
  return { result: 'waiting', on: 'time', reason: 'Deleting', message, blockedOn: [blocker], afterMs: contestMs };
}

/** What was there before us counted for nobody, and may be given back. */
function staying({ mayNotLeave, facts, ledger }: PlanInput, claims: readonly Claim[]): Plan | undefined {
  if (mayNotLeave === undefined || (ledger && claims.every(({ origin }) => origin !== undefined))) return undefined;
  const policy = facts.policy === 'Observe' ? 'spec.policy to Plan and ' : '';
  const remedy = `set ${policy}spec.deletionPolicy to Delete, or ask the administrator of the cluster to remove the limits`;
  return none(refuse('QuotaExceeded', `${mayNotLeave}: ${remedy}`));
}

function unreadable({ view, privates }: PlanInput): Outcome {
  const [doubt] = [...(view?.unreadable ?? []), ...(privates?.unreadable ?? [])];
  const why = doubt ? unreadableRowText(doubt) : 'the service was not observed';
  const message = `${why}: it is not known whether anything of this resource is left. ${wayOut}`;
  return waiting('service', 'Deleting', message);
}

function hold({ facts }: PlanInput, service: { readonly message: string; readonly credentials: boolean }): Outcome {
  const message = `${service.message}. The operator needs it to delete the objects of this resource in the service. ${wayOut}`;
  const { kind, name } = facts.connection;
  const blocker = { kind, name, reason: 'DependencyNotReady', message: service.message } as const;
  const reason = service.credentials ? 'CredentialsMissing' : 'DependencyNotReady';
  return waiting('kubernetes', reason, message, [blocker]);
}

/** The Kubernetes reference counts, whatever the service knows of it: nothing of this resource is deleted while it exists. */
function inUse({ users, facts }: PlanInput): Outcome {
  const blockedOn = blockersOf(users, facts.key);
  const names = users.map(({ kind, name }) => `${kind} ${name}`).join(', ');
  const message = `still in use by ${names}: ${freeing(users)}. ${wayOut}`;
  return waiting('kubernetes', 'Deleting', message, blockedOn);
}

function orphanNote(claims: readonly Claim[]): string {
  const left = claims.map((one) => `${one.collection} ${one.name} (${one.id ?? 'its id is not known'})`);
  return left.length === 0
    ? 'what it made in the service, if anything, stays there and is not known, because its ledger is lost'
    : `left in the service: ${left.join(', ')}`;
}

function allegedNote(claims: readonly Claim[]): string {
  const left = claims.map(({ collection, id, name }) => `${collection} ${shortText(id ?? name)}`).join(', ');
  return `released without deleting anything: the annotation ${ledgerAnnotation} claims ${left}, which the SharedConnection does not let this resource take`;
}

function borrowedNote(claims: readonly Claim[]): string {
  const left = claims.map((one) => `${one.collection} ${one.id}`).join(', ');
  return `left in the service: ${left}, which was there before this resource; set spec.deletionPolicy to Delete to have it removed`;
}

/** Annotation and mirror are both lost: the tag in the name of the object, or of the template it was started from, shows what is ours. */
function lostClaims(input: PlanInput): readonly Claim[] {
  const { view, kind } = input;
  const role = kind.identity === 'named' || kind.identity === 'once' ? 'main' : 'revision';
  const all = view && kind.identity !== 'given' ? [...view.all()] : [];
  const proven = provenOwn(input, all);
  const rows = all.filter((row) => derivesFrom(kind, row.name, input.facts.identity) || proven.includes(row));
  const claims = rows.map((row): Claim => ({ role, collection: collectionOf(kind), name: row.name, id: row.id }));
  return [...claims, ...lostPrivates(input)];
}
