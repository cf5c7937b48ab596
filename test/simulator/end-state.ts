// The end of a world in words that do not depend on its course: no ids, times, versions and revisions that were in use meanwhile.
import { currentClaim } from '../../src/reconcile/ledger.ts';
import type { ClusterRecord } from '../../src/server/records.ts';
import { collections, conditionsOf, nameOf } from './ends.ts';
import type { Row } from './facts.ts';
import type { Stored } from './fields.ts';
import { tenant } from './plan.ts';
import type { World } from './world.ts';

export function endOf(world: World): readonly object[] {
  const objects = collections
    .flatMap((plural) => world.server.list(plural))
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return objects.map((object) => {
    const { name, uid, generation, finalizers = [] } = object.metadata;
    return {
      kind: object.kind,
      name,
      uid,
      generation,
      finalizers,
      conditions: conditions(object),
      claims: claims(world, object),
      rows: rows(world, object),
      image: image(world, object),
    };
  });
}

/** Which revision a cluster was made from depends on when that was. */
const conditions = (object: Stored): readonly string[] =>
  conditionsOf(object)
    .filter(({ type }) => type !== 'TemplateOutdated')
    .map(({ type, status, reason }) => `${type} ${status} ${reason}`)
    .toSorted();

/** Whose uid the name of a restored cluster carries depends on whether the backup was from before or after a recreation. */
const clusterName = (name: string, isRestored: boolean): string => (isRestored ? name.slice(0, -8) : name);

/**
 * Of a template only its base and its content: whose uid the name carries after a restore depends on what the backup had of it. Of a
 * private one not even the content.
 */
function templateName(name: string, isPrivate: boolean): string {
  return isPrivate ? name.slice(0, -16) : `${name.slice(0, -16)}${name.slice(-8)}`;
}

/** Without former revisions. */
function claims(world: World, object: Stored): readonly string[] {
  const ledger = world.facts.ledgerOf(object);
  const isRestored = world.facts.ownership.isSuccessor(object.metadata.uid);
  const kept = ledger?.claims.filter((claim) => claim.role === 'private' || claim === currentClaim(ledger)) ?? [];
  return kept
    .map(({ role, collection, name }) =>
      collection.endsWith('templates')
        ? `${collection} ${templateName(name, role === 'private')}`
        : `${collection} ${collection === 'clusters' ? clusterName(name, isRestored) : name}`,
    )
    .toSorted();
}

function rows(world: World, object: Stored): readonly string[] {
  const ledger = world.facts.ledgerOf(object);
  const former = ledger?.claims.filter((claim) => claim.role !== 'private' && claim !== currentClaim(ledger)) ?? [];
  const traits = {
    isPrivate: object.kind === 'Cluster',
    isRestored: world.facts.ownership.isSuccessor(object.metadata.uid),
  };
  return world.facts
    .rowsOf(object.metadata.uid)
    .filter(({ record }) => !former.some(({ id }) => id === record.id))
    .map((row) => shown(row, traits))
    .toSorted();
}

/** A group without nodes is as good as none. */
function shown(
  { kind, record }: Row,
  { isPrivate, isRestored }: { readonly isPrivate: boolean; readonly isRestored: boolean },
): string {
  const groups = (record as Partial<ClusterRecord>).node_groups
    ?.filter(({ count }) => count > 0)
    .map(({ name, count }) => `${name} ${count}`)
    .toSorted();
  const name = kind === 'clusters' ? clusterName(record.name, isRestored) : templateName(record.name, isPrivate);
  return `${kind} ${name} ${(record as Partial<ClusterRecord>).status ?? ''} ${groups?.join() ?? ''}`;
}

function image(world: World, { kind, spec }: Stored): string {
  if (kind !== 'ImageRegistration') return '';
  const { imageID } = spec as { readonly imageID: string };
  const { username, tags } = world.service.store.get('images', tenant, imageID) ?? {};
  return `${username} ${tags?.toSorted().join()}`;
}
