// Who refers to the objects of a resource: objects of the service, ledgers of other resources, and requests in flight.

import { slicesOf } from '../../../lib/slices.ts';
import { routes } from '../../../wire/routes.ts';
import { ledgerAnnotation } from '../../api/common.ts';
import type { RawResource } from '../../api/definition.ts';
import type { View } from '../../client/list/view.ts';
import { type AnyKind, collectionOf, type ObjectKind, type RemoteObject } from '../kind.ts';
import { isVoid, type Ledger } from '../ledger/ledger.ts';
import { leftoverClaims } from '../ledger/revision-history.ts';
import type { User } from '../outcome.ts';
import type { PassState } from '../pass-state.ts';
import { effectEnd, quarantineEnd } from '../plan-input.ts';
import { specOf } from '../resource/facts.ts';
import { isLetGo, ledgerOf, ledgerTexts } from '../resource/references.ts';

/**
 * Ids of objects of the kind that anything refers to, by lists begun at `notBefore` or later; undefined: a list has rows
 * that cannot be read, or lacks more objects than can be asked for one by one, and these may refer to anything. Throws ServiceError.
 */
export async function listReferencedIds(
  pass: PassState,
  kind: ObjectKind,
  notBefore: number,
): Promise<ReadonlySet<string> | undefined> {
  const { service, ports, context } = pass;
  const ids = new Set<string>();
  if (service.state !== 'usable') return undefined;
  for (const other of ports.kinds.values()) {
    if (!other.referencesIn) continue;
    const wanted = { notBefore, signal: context.signal };
    const view = await service.service.inventory.observe(routes[other.route], wanted);
    if (!view.complete) return undefined;
    for await (const rows of slicesOf(view.all()))
      for (const id of rows.flatMap((row) => mentioned(other, row, kind))) ids.add(id);
    const unlisted = await readUnlisted(pass, other, view);
    if (!unlisted) return undefined;
    for (const id of unlisted.flatMap((row) => mentioned(other, row, kind))) ids.add(id);
  }
  const unseen = leftoverClaims(pass.ledger).flatMap(({ id }) => (id === undefined || ids.has(id) ? [] : [id]));
  for (const id of await remembered(pass, unseen)) ids.add(id);
  return ids;
}

/** So many objects that a list lacks are asked for by their ids. */
const mostUnlisted = 20;

/** The recorded objects of other resources that the list lacks and a GET shows: a list may lag. Undefined: they are too many. */
async function readUnlisted(
  pass: PassState,
  kind: AnyKind,
  view: View<RemoteObject>,
): Promise<readonly RemoteObject[] | undefined> {
  const { service, ports, context } = pass;
  if (service.state !== 'usable') return undefined;
  const collection = collectionOf(kind);
  const missing = new Set<string>();
  for await (const slice of slicesOf(others(pass))) {
    const ledgers = slice.flatMap((other) => ledgerIn(ports, other) ?? []).filter((one) => isAt(one, service));
    for (const claim of ledgers.flatMap(({ claims }) => claims))
      if (claim.id !== undefined && claim.collection === collection && !view.byId(claim.id)) missing.add(claim.id);
    if (missing.size > mostUnlisted) return undefined;
  }
  const { inventory } = service.service;
  const rows: RemoteObject[] = [];
  for (const id of missing) {
    const { row } = await inventory.getById(routes[kind.route], id, context.signal);
    if (row) rows.push(row as RemoteObject);
  }
  return rows;
}

/** What was made elsewhere is in no list of this service. */
function isAt(
  { endpoint, tenant }: Ledger,
  service: { readonly endpoints: readonly string[]; readonly tenant: string },
): boolean {
  return tenant === service.tenant && service.endpoints.includes(endpoint);
}

function mentioned(kind: AnyKind, row: RemoteObject, of: ObjectKind): readonly string[] {
  const all = kind.referencesIn?.(row) ?? [];
  return all.filter((one) => one.route === of.route).map((one) => one.id);
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

/** Resources that an object of this one may be in use by, as far as Kubernetes tells, in a stable order. */
export async function usersOf(pass: PassState, id: string): Promise<readonly User[]> {
  const users: User[] = [];
  for await (const slice of slicesOf(others(pass)))
    for (const other of slice) {
      const { kind, metadata } = other;
      if (isMade(pass, other) && (refersTo(pass, other) || ledgerTexts(other, ledgerAnnotation)[0]?.includes(id)))
        users.push({ kind, name: metadata.name });
    }
  return inOrder(users);
}

/**
 * Resources that refer to this one and have something in the service: it stays as long as they do. One that is being deleted counts
 * until its own objects are gone, and one that has nothing does not, so that resources which are deleted together never wait for each
 * other in a circle.
 */
export async function referringUsers(pass: PassState): Promise<readonly User[]> {
  const users: User[] = [];
  for await (const slice of slicesOf(others(pass)))
    for (const other of slice)
      if (!isLetGo(other) && isMade(pass, other) && refersTo(pass, other))
        users.push({ kind: other.kind, name: other.metadata.name });
  return inOrder(users);
}

const inOrder = (users: readonly User[]): readonly User[] =>
  users.toSorted((a, b) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1)).slice(0, usersShown);

function isMade({ ports }: PassState, other: RawResource): boolean {
  return ledgerIn(ports, other)?.claims.some((claim) => !isVoid(claim)) ?? false;
}

function ledgerIn({ installation }: PassState['ports'], other: RawResource): Ledger | undefined {
  const state = ledgerOf(other, installation);
  return state.state === 'ours' || state.state === 'moved' ? state.ledger : undefined;
}

/** In the same namespace, which no reference leaves. */
function others({ ports, resource }: PassState): readonly RawResource[] {
  const { namespace, uid } = resource.metadata;
  const all = [...ports.kinds.keys()].flatMap((kind) => [...ports.store.list(kind)]);
  return all.filter(({ metadata }) => metadata.namespace === namespace && metadata.uid !== uid);
}

function refersTo({ ports, facts }: PassState, other: RawResource): boolean {
  const kind = ports.kinds.get(other.kind);
  const spec = kind && specOf(kind, other);
  if (!spec?.ok) return false;
  return (
    kind?.references(spec.value).some(({ kind: one, name }) => one === facts.key.kind && name === facts.key.name) ??
    false
  );
}

function isUnderWay({ ports }: PassState, other: RawResource): boolean {
  const ledger = ledgerIn(ports, other);
  if (!ledger) return false;
  const { claims, change } = ledger;
  const wall = ports.clock.wall();
  const times = { now: { wall }, quarantineMs: ports.quarantineMs };
  const ends = claims.flatMap((claim) => quarantineEnd(times, claim) ?? []);
  if (change) ends.push(effectEnd(times, change.sentAt));
  return ends.some((end) => wall < end);
}
