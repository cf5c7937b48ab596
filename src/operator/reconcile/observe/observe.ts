// Observes both sides for one pass: the objects of the service, and what a create reads of the referenced resources.
import { type Route, routes } from '../../../wire/routes.ts';
import type { View } from '../../client/list/list-view.ts';
import { leastListMs } from '../kind/intervals.ts';
import { type Kind, type ObjectKind, type RemoteObject, remoteKey } from '../kind/kind.ts';
import { currentClaim, isVoid } from '../ledger/ledger.ts';
import { leftoverClaims } from '../ledger/revision-history.ts';
import { unreadableRowOf } from '../lists/unreadable-rows.ts';
import { isBorrowed, mayBeThere } from '../ownership/ownership.ts';
import type { PassState } from '../pass-state.ts';
import { isAdopting, isUnwanted } from '../plan-input.ts';
import { quarantineEnd } from '../quarantine.ts';
import { isReady } from '../resource/facts.ts';
import { resolutionOf } from '../resource/references.ts';
import { lookupAgeMs, noteBack, observePrivates } from './privates.ts';
import { isAwaited, listReferencedIds } from './referrers.ts';

/** False when nothing in the service can belong to this resource, or nothing may be asked. */
export function needsObservation({ facts, ledger, service, kind }: PassState): boolean {
  if (facts.ended && kind.identity === 'once' && !facts.deleting) return false;
  if (service.state !== 'usable' || facts.ledger.state === 'unconfirmed' || facts.ledger.state === 'moved')
    return false;
  if (ledger?.expired) return ledger.claims.some((one) => mayBeThere(kind, one));
  if (facts.deleting)
    return (
      facts.deletionPolicy !== 'Orphan' &&
      facts.policy !== 'Observe' &&
      (!ledger || ledger.claims.some((one) => mayBeThere(kind, one) && !isBorrowed(one, facts)))
    );
  // An object of a fixed name may be there that was never ours.
  const looksFirst = facts.fixedName !== undefined || mayBeUnknown(kind) || isAdopting({ kind, facts, ledger });
  return (!facts.neverManaged || looksFirst) && !idle({ ledger, service });
}

/** Not every service has the collection. One that lacks it is sent nothing, so that nothing has to be waited for when the resource is deleted. */
function mayBeUnknown({ route }: Kind): boolean {
  const { version }: Route = routes[route];
  return version !== undefined;
}

/** Nothing was ever sent for it, and its Connection allows no creation now: asking the service would only add to its load. */
function idle({ ledger, service }: Pick<PassState, 'ledger' | 'service'>): boolean {
  return service.state === 'usable' && !service.mayCreate && (ledger?.claims ?? []).every(isVoid);
}

/** The acceptable age of a list while work goes on, in ms. */
function workingAgeMs({ context, service }: PassState): number {
  return Math.max(context.pollMs, leastListMs(service));
}

/** A load that something follows is read anew in each poll: a poll comes up to a tenth early. */
const loadAge = 0.9;

/**
 * The acceptable age of an observation: a settled object is polled at its steady interval, whatever woke the key. One that is missing
 * from the last list is not settled: it is looked for again after the delay that its status names.
 */
function notBefore(pass: PassState): number {
  const { facts, memory, ports } = pass;
  // The user asked for a poll: an older observation will not do.
  if (!facts.isRequestHandled) return askedAt(pass);
  // An old observation must not let anything expire.
  const isExpiring = memory.use?.announced !== undefined;
  const settled = isReady(facts) && !facts.deleting && memory.missingSince === undefined && !isExpiring;
  const settledAgeMs = pass.followsLoad ? pass.loadPollMs() * loadAge : pass.steadyMs();
  const age = Math.max(workingAgeMs(pass), settled ? settledAgeMs : 0);
  const ended = memory.lastEffectAt ?? Number.NEGATIVE_INFINITY;
  return Math.max(ports.clock.monotonic() - age, ended, doubtedAt(pass));
}

/** When this process first saw that the user asked. */
function askedAt({ memory, facts: { requestedAt = '' }, startedAt }: PassState): number {
  if (memory.asked?.value !== requestedAt) memory.asked = { value: requestedAt, at: startedAt };
  return memory.asked.at;
}

/** Where the service did not say what became of the start of a run, it has to answer again before another one begins. */
function doubtedAt({ kind, service, ledger }: PassState): number {
  const isStart = kind.identity === 'once' && currentClaim(ledger)?.id === undefined;
  return isStart && service.state === 'usable' ? service.service.starts.doubtedAt : Number.NEGATIVE_INFINITY;
}

/** Whether the next observation has to ask the service. */
export function needsRequest(pass: PassState): boolean {
  if (pass.service.state !== 'usable') return false;
  const age = pass.service.service.inventory.age(routes[pass.kind.route]);
  return age === undefined || pass.ports.clock.monotonic() - age < notBefore(pass);
}

/** Fills in the view and what derives from it. Throws ServiceError. */
export async function observe(pass: PassState): Promise<void> {
  const { service, kind, context, facts, ports } = pass;
  if (service.state !== 'usable') return;
  const { inventory } = service.service;
  const claim = currentClaim(pass.ledger);
  const several = leftoverClaims(pass.ledger).length > 0;
  const wanted = { notBefore: notBefore(pass), signal: context.signal };
  const view: View<RemoteObject> = await inventory.observe(routes[kind.route], wanted);
  pass.observed(kind, view);
  noteMissing(pass, view);
  noteFailure(pass, view);
  noteBack(pass, view);
  await observePrivates(pass, notBefore(pass));
  const doubled = claim && kind.identity === 'content' && view.byName(claim.name).length > 1;
  // This pass may have been caused by the last reference going away.
  if (!doubled && (!several || facts.deleting)) return;
  // While a request that may refer to it is under way, no former revision is deleted, whatever else refers to it.
  const listsOnly = !doubled && (await isAwaited(pass));
  const search = { notBefore: ports.clock.monotonic() - workingAgeMs(pass), listsOnly };
  pass.referencedIds = await listReferencedIds(pass, kind, search);
}

/** Remembers when the recorded object was first missing from a list, or the run of an open create from one begun after the quarantine. */
function noteMissing(pass: PassState, view: View<RemoteObject>): void {
  const { memory, ledger, kind } = pass;
  const claim = currentClaim(ledger);
  if (kind.identity === 'once' && claim?.id === undefined) {
    const { now, ...times } = { now: pass.now(), quarantineMs: pass.ports.quarantineMs };
    const until = quarantineEnd({ now, ...times }, claim);
    const isOver = until !== undefined && now.wall - (now.monotonic - view.listSentAt) >= until;
    const isMissing = isOver && claim && view.byName(claim.name).length === 0 && !unreadableRowOf(kind, view, claim);
    memory.missingSince = isMissing ? (memory.missingSince ?? view.listSentAt) : undefined;
    return;
  }
  if (claim?.id === undefined || view.byId(claim.id)) memory.missingSince = undefined;
  else if (!unreadableRowOf(kind, view, claim)) memory.missingSince ??= droppedAt(pass, claim.id) ?? view.listSentAt;
}

/**
 * When a LIST first lacked the object. Only a LIST that was sent after our last effect counts, but it may have been sent for another resource: many objects that
 * are deleted together need no more LISTs than one.
 */
function droppedAt({ kind, memory, service }: PassState, id: string): number | undefined {
  if (service.state !== 'usable') return undefined;
  const at = service.service.inventory.droppedAt(routes[kind.route], id);
  return at !== undefined && at > (memory.lastEffectAt ?? Number.NEGATIVE_INFINITY) ? at : undefined;
}

/** Remembers when the current run was first seen to have failed. */
function noteFailure({ memory, ledger, kind, ports }: PassState, view: View<RemoteObject>): void {
  const { id, name: run } = currentClaim(ledger) ?? {};
  const row = id === undefined ? undefined : view.byId(id);
  if (run === undefined || !row || kind.identity !== 'once' || kind.progress(row).state !== 'failed') return;
  if (memory.failed?.run !== run) memory.failed = { run, at: ports.clock.monotonic() };
}

/** Fetches what building the request reads. Throws ServiceError. */
export async function readReferents(pass: PassState): Promise<void> {
  const { facts, kind } = pass;
  if (kind.identity !== 'named' || !facts.spec.ok || facts.deleting || pass.ledger?.expired) return;
  const claim = currentClaim(pass.ledger);
  // An object that is to be replaced needs the same check of what the new one is made from.
  const made = claim?.id !== undefined && !isUnwanted(kind, facts, claim);
  if (made || idle(pass) || pass.resolutions.some((one) => one.state !== 'resolved')) return;
  const idOf = (reference: { readonly kind: string; readonly name: string }) => {
    const found = resolutionOf(pass.resolutions, reference);
    return found?.state === 'resolved' ? found.id : '';
  };
  for (const { route, id } of kind.lookups(facts.spec.value, idOf)) {
    const row = await referentOf(pass, { route, id });
    if (row) pass.remotes.set(remoteKey(route, id), row);
  }
}

/** A recent observation of an object that does not change; undefined: the service does not list it. */
export async function referentOf(
  pass: PassState,
  { route, id }: { readonly route: ObjectKind['route']; readonly id: string },
): Promise<RemoteObject | undefined> {
  const { service, ports, context } = pass;
  if (service.state !== 'usable') return undefined;
  const { inventory } = service.service;
  const now = ports.clock.monotonic();
  const rowOf = async (ageMs: number) =>
    (await inventory.observe(routes[route], { notBefore: now - ageMs, signal: context.signal })).byId(id);
  return (await rowOf(lookupAgeMs)) ?? (await rowOf(context.pollMs));
}
