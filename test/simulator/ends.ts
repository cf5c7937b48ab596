// How a world has to end once nothing goes wrong any more: what is still amiss, and what of the end two runs must have in common.
import type { ClusterRecord } from '../../src/server/records.ts';
import { isOurs, type Row } from './facts.ts';
import type { Stored } from './fields.ts';
import { hasCounts, wantedOf } from './invariants.ts';
import { namespace, tenant } from './plan.ts';
import type { World } from './world.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

const collections = ['connections', 'clusters', 'clustertemplates', 'nodegrouptemplates'] as const;

export function conditionsOf({ status }: Stored): readonly Condition[] {
  return (status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
}

const nameOf = ({ kind, metadata }: Stored): string => `${kind} ${metadata.name}`;

/** What is not as its user wants it; empty: all is well. */
export function amiss(world: World): readonly string[] {
  const objects = collections.flatMap((plural) => world.server.list(plural));
  const waiting = [...world.awaited.keys()].map((key) => `the user still waits to make ${key} anew`);
  return [...waiting, ...objects.flatMap((object) => wrongWith(world, object)), ...wrongInService(world)];
}

function wrongWith(world: World, object: Stored): readonly string[] {
  const { generation, deletionTimestamp } = object.metadata;
  const ready = conditionsOf(object).find(({ type }) => type === 'Ready');
  if (deletionTimestamp !== undefined) return [`${nameOf(object)} is still there: ${ready?.reason} ${ready?.message}`];
  const { observedGeneration } = (object.status ?? {}) as { readonly observedGeneration?: number };
  if (ready === undefined || observedGeneration !== generation || ready.observedGeneration !== generation)
    return [`${nameOf(object)} has not seen generation ${generation}: ${ready?.reason} ${ready?.message}`];
  if (ready.status !== 'True') return [`${nameOf(object)} is not Ready: ${ready.reason} ${ready.message}`];
  return object.kind === 'Cluster' ? wrongWithCluster(world, object) : [];
}

function wrongWithCluster(world: World, object: Stored): readonly string[] {
  const { id = '' } = object.status as { readonly id?: string };
  const row = world.service.store.get('clusters', tenant, id);
  if (row === undefined) return [`${nameOf(object)} is Ready, and ${id} is not there`];
  const wanted = wantedOf(object, world.facts.ledgerOf(object));
  if (row.status === 'Active' && hasCounts(row, wanted)) return [];
  return [`${nameOf(object)} is Ready, and ${id} is ${row.status}, not ${JSON.stringify(wanted)}`];
}

function wrongInService(world: World): readonly string[] {
  const rows = world.facts.rows();
  const left = rows
    .filter((row) => isStray(world, row))
    .map(({ kind, record }) => `${kind} ${record.id} ${record.name} is left over`);
  const touched = [...world.strangers]
    .filter(([id, text]) => JSON.stringify(world.service.store.get('nodeGroupTemplates', tenant, id)) !== text)
    .map(([id]) => `the object ${id} of somebody else is not as it was`);
  const open = collections
    .flatMap((plural) => world.server.list(plural))
    .filter((object) => (world.facts.ledgerOf(object)?.claims ?? []).some(({ attempts }) => (attempts?.open ?? 0) > 0))
    .map((object) => `${nameOf(object)} has an attempt open`);
  return [...left, ...touched, ...(open.length > 1_000 ? open : [])];
}

/** Ours, and nobody's id. */
function isStray(world: World, { record }: Row): boolean {
  const { id, name } = record;
  const { facts } = world;
  if (!facts.isOfInstallation(name) || facts.orphans.has(id) || facts.orphans.has(name)) return false;
  const ledger = facts.ledgerOf(facts.resourceOf(facts.owners.get(id)));
  return !(ledger?.claims.some((claim) => claim.id === id) ?? false);
}

/** What a resource that does not come to rest has to say for itself: a condition that names a cause. */
export function unexplained(world: World): readonly string[] {
  return collections
    .flatMap((plural) => world.server.list(plural))
    .filter(isOurs)
    .filter((object) => {
      const ready = conditionsOf(object).find(({ type }) => type === 'Ready');
      if (ready === undefined) return true;
      if (ready.status === 'True') return false;
      const says = conditionsOf(object).some(
        ({ type, status }) => (type === 'Stalled' || type === 'Reconciling') && status === 'True',
      );
      return ready.message === '' || !says;
    })
    .map((object) => `${nameOf(object)} does not say why it is not Ready: ${JSON.stringify(conditionsOf(object))}`);
}

/** The end of a world in words that do not depend on its course: no ids, times and versions. */
export function endOf(world: World): readonly object[] {
  const objects = collections
    .flatMap((plural) => world.server.list(plural))
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return objects.map((object) => {
    const { name, uid, generation, finalizers = [] } = object.metadata;
    const conditions = conditionsOf(object)
      .map(({ type, status, reason }) => `${type} ${status} ${reason}`)
      .toSorted();
    const claims = (world.facts.ledgerOf(object)?.claims ?? [])
      .map((claim) => `${claim.collection} ${claim.name}`)
      .toSorted();
    return {
      kind: object.kind,
      name,
      uid,
      generation,
      finalizers,
      conditions,
      claims,
      rows: world.facts.rowsOf(uid).map(shown).toSorted(),
    };
  });
}

/** A group without nodes is as good as none. */
function shown({ kind, record }: Row): string {
  const groups = (record as Partial<ClusterRecord>).node_groups
    ?.filter(({ count }) => count > 0)
    .map(({ name, count }) => `${name} ${count}`)
    .toSorted();
  return `${kind} ${record.name} ${(record as Partial<ClusterRecord>).status ?? ''} ${groups?.join() ?? ''}`;
}

export const secretsHeld = (world: World): number =>
  world.server.list('secrets').filter(({ metadata }) => metadata.namespace === namespace).length;
