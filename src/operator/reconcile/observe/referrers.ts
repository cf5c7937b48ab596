// Who refers to the objects of a resource: objects of the service, ledgers of other resources, and requests in flight.
import { slicesOf } from '../../../lib/timing/slices.ts';
import { routes } from '../../../wire/routes.ts';
import type { RawResource } from '../../api/definition.ts';
import { ledgerAnnotation, runAgainAnnotation } from '../../api/shared-api.ts';
import { collectionOf, type Kind, type ObjectKind, type RemoteObject } from '../kind/kind.ts';
import {
  currentClaim,
  isMadeAt,
  isVoid,
  type Ledger,
  openAttempts,
  type Place,
  privateClaims,
  recordedLedger,
} from '../ledger/ledger.ts';
import { leftoverClaims } from '../ledger/revision-history.ts';
import type { User } from '../outcome.ts';
import type { PassState } from '../pass-state.ts';
import { effectEnd, quarantineEnd } from '../quarantine.ts';
import { endIn, specOf } from '../resource/facts.ts';
import { isIdle, readStatus } from '../resource/read-conditions.ts';
import { isLetGo, ledgerOf, ledgerTexts } from '../resource/references.ts';
import { runsNaming } from './use.ts';

interface ReferrerSearch {
  /** Lists are begun then or later. */
  readonly notBefore: number;
  /** Lists are enough, because nothing is deleted after this search: an id that it lacks may be in use. */
  readonly listsOnly?: boolean;
}

/**
 * Ids of objects of the kind that anything refers to; undefined: a list has rows that cannot be read, or lacks more objects than one
 * search asks for, and these may refer to anything. Throws ServiceError.
 */
export async function listReferencedIds(
  pass: PassState,
  kind: ObjectKind,
  { notBefore, listsOnly = false }: ReferrerSearch,
): Promise<ReadonlySet<string> | undefined> {
  const { service, ports, context } = pass;
  const ids = new Set<string>();
  if (service.state !== 'usable') return undefined;
  const { inventory } = service.service;
  // First the ledgers, then the lists: what is created meanwhile is made of the current revision.
  const recorded = await recordedIds(pass, service);
  for (const other of ports.kinds.values()) {
    if (!other.referencesIn.routes.includes(kind.route)) continue;
    const wanted = { notBefore, signal: context.signal };
    const view = await inventory.observe(routes[other.route], wanted);
    if (!view.complete) return undefined;
    for await (const rows of slicesOf(view.all()))
      for (const id of rows.flatMap((row) => mentioned(other, row, kind))) ids.add(id);
    // The list may lag: what it lacks is gone only if a GET confirms that.
    if (listsOnly) continue;
    const route = routes[other.route];
    const unlisted = [...(recorded.get(collectionOf(other)) ?? [])].filter(
      (id) => !view.byId(id) && !inventory.isGone(route, id),
    );
    for (const id of unlisted.slice(0, mostAsked)) {
      const { row } = await inventory.getById(route, id, context.signal);
      if (row) for (const used of mentioned(other, row as RemoteObject, kind)) ids.add(used);
    }
    if (unlisted.length > mostAsked) return undefined;
  }
  const unwanted = kind === pass.kind ? leftoverClaims(pass.ledger) : privateClaims(pass.ledger);
  const unseen = unwanted.flatMap(({ id }) => (id === undefined || ids.has(id) ? [] : [id]));
  for (const id of await remembered(pass, unseen)) ids.add(id);
  return ids;
}

/** Objects of a collection that a list lacks and that one search asks for one by one. What is gone is remembered, so that the next search continues from there. */
const mostAsked = 100;

/** Ids of the objects that other resources recorded at this service, by collection. */
async function recordedIds(pass: PassState, place: Place): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const ids = new Map<string, Set<string>>();
  for await (const slice of slicesOf(others(pass))) {
    const ledgers = slice.flatMap((other) => ledgerFrom(pass.ports, other) ?? []);
    for (const { collection, id } of ledgers.flatMap((one) => (isMadeAt(one, place) ? one.claims : []))) {
      if (id === undefined) continue;
      const known = ids.get(collection);
      if (known) known.add(id);
      else ids.set(collection, new Set([id]));
    }
  }
  return ids;
}

function mentioned(kind: Kind, row: RemoteObject, of: ObjectKind): readonly string[] {
  return kind.referencesIn
    .of(row)
    .filter((one) => one.route === of.route)
    .map((one) => one.id);
}

/** Ids that another resource names: in its spec, or in its ledger, as a cluster does that may add one of its groups again. */
async function remembered(pass: PassState, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (ids.length === 0) return found;
  for await (const slice of slicesOf(others(pass))) {
    const texts = slice.flatMap((other) => [...ledgerTexts(other, ledgerAnnotation), JSON.stringify(other.spec)]);
    for (const id of ids) if (texts.some((text) => text?.includes(id))) found.add(id);
  }
  return found;
}

/** A create or change of a resource that refers to this one may still take effect; with which object is not known. */
export async function isAwaited(pass: PassState): Promise<boolean> {
  for await (const slice of slicesOf(others(pass)))
    if (slice.some((other) => refersTo(pass, other) && isUnderWay(pass, other))) return true;
  return false;
}

const usersShown = 20;

/** Resources that may use an object of this one, according to Kubernetes. */
export function usersOf(pass: PassState, id: string): Promise<readonly User[]> {
  const isUser = (one: RawResource) =>
    refersTo(pass, one) || ledgerTexts(one, ledgerAnnotation)[0]?.includes(id) === true;
  return usersAmong(pass, others(pass), isUser);
}

/**
 * Resources that refer to this one and have something in the service: it stays as long as they do. One that is being deleted counts
 * until its own objects are gone, and one that has nothing does not, so that resources which are deleted together never wait for each
 * other in a circle.
 */
export function referringUsers(pass: PassState): Promise<readonly User[]> {
  if (pass.kind.identity !== 'named')
    return usersAmong(pass, others(pass), (one) => !isLetGo(one) && refersTo(pass, one));
  // Only runs refer to clusters.
  return usersAmong(pass, runsNaming(pass), (one) => !isLetGo(one) && mayBeInProgress(pass, one));
}

/** Finished runs remain when their cluster is deleted, so only others block it. */
function mayBeInProgress({ ports }: PassState, run: RawResource): boolean {
  if (run.metadata.deletionTimestamp !== undefined) return true;
  const status = readStatus(run.status);
  return endIn(status.conditions) === undefined && !(isIdle(status) && isStatusCurrent(ledgerFrom(ports, run), run));
}

/** Its status is as new as its ledger: no attempt has begun since. One of unknown outcome counts as over if its user wants another. */
function isStatusCurrent(ledger: Ledger | undefined, { metadata, status }: RawResource): boolean {
  const claim = currentClaim(ledger);
  const { externalName } = (status ?? {}) as { readonly externalName?: unknown };
  if (claim === undefined || claim.name !== externalName) return false;
  return openAttempts(claim) === 0 || metadata.annotations?.[runAgainAnnotation] === claim.name;
}

/** Those with something in the service, in a stable order. */
async function usersAmong(
  pass: PassState,
  found: readonly RawResource[],
  isUser: (one: RawResource) => boolean,
): Promise<readonly User[]> {
  const users: User[] = [];
  for await (const slice of slicesOf(found))
    for (const one of slice) if (isUser(one) && isMade(pass, one)) users.push(userFrom(pass, one));
  return users.toSorted((a, b) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1)).slice(0, usersShown);
}

function userFrom(pass: PassState, one: RawResource): User {
  const { kind, metadata, spec, status } = one;
  const user = { kind, name: metadata.name };
  if (metadata.deletionTimestamp !== undefined) return { ...user, ends: 'deletion' };
  const { conditions } = readStatus(status);
  // What a run was started from stays as long as its row does, whether it has ended or not. A cluster is free at its end.
  const isRun = pass.kind.identity === 'named' && pass.ports.kinds.get(kind)?.identity === 'once';
  const isCancelled = (spec as { readonly cancel?: unknown } | null | undefined)?.cancel === true;
  // Nothing can be cancelled of a run that the service does not have.
  const isLost = conditions.some(({ type, status: is }) => type === 'Stalled' && is === 'True');
  return isRun && !isCancelled && !isLost ? { ...user, ends: 'cancel' } : user;
}

function isMade({ ports }: PassState, other: RawResource): boolean {
  return ledgerFrom(ports, other)?.claims.some((claim) => !isVoid(claim)) ?? false;
}

function ledgerFrom({ installation }: PassState['ports'], other: RawResource): Ledger | undefined {
  return recordedLedger(ledgerOf(other, installation));
}

/** In the same namespace, which no reference leaves. */
function others({ ports, resource }: PassState): readonly RawResource[] {
  const { namespace, uid } = resource.metadata;
  const all = [...ports.kinds.keys()].flatMap((kind) => [...ports.store.list(kind)]);
  return all.filter(({ metadata }) => metadata.namespace === namespace && metadata.uid !== uid);
}

function refersTo({ ports, facts }: PassState, other: RawResource): boolean {
  if (!mentionsName(other, facts.key.name)) return false;
  const kind = ports.kinds.get(other.kind);
  const spec = kind && specOf(kind, other);
  if (!spec?.ok) return false;
  return (
    kind
      ?.references(spec.value, other.metadata.name)
      .some(({ kind: one, name }) => one === facts.key.kind && name === facts.key.name) ?? false
  );
}

/** Takes less time than reading the spec: what does not contain the name cannot refer to it. What a run owns has the name of the run. */
function mentionsName({ metadata, spec }: RawResource, name: string): boolean {
  return metadata.name === name || (JSON.stringify(spec) ?? '').includes(name);
}

function isUnderWay({ ports }: PassState, other: RawResource): boolean {
  const ledger = ledgerFrom(ports, other);
  if (!ledger) return false;
  const { claims, change } = ledger;
  const wall = ports.clock.wall();
  const times = { now: { wall }, quarantineMs: ports.quarantineMs };
  const ends = claims.flatMap((claim) => quarantineEnd(times, claim) ?? []);
  if (change) ends.push(effectEnd(times, change.sentAt));
  return ends.some((end) => wall < end);
}
