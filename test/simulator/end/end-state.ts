// The end of a world in words that do not depend on its course: no ids, times, versions and revisions that were in use meanwhile.
import { type Claim, currentClaim } from '../../../src/operator/reconcile/ledger/ledger.ts';
import type { ClusterRecord } from '../../../src/service/model/records/records.ts';
import { conditionsOf, type Stored } from '../api/fields.ts';
import { collectionOf, type Row } from '../judge/facts.ts';
import { scheduleOf } from '../judge/schedules.ts';
import { tenant } from '../plan/plan.ts';
import type { World } from '../world/world.ts';
import { collections, nameOf } from './ends.ts';
import { hasSetters } from './node-group-end.ts';

export function endOf(world: World): readonly object[] {
  const objects = collections
    .flatMap((plural) => world.server.list(plural))
    // How many runs a schedule starts depends on when it can.
    .filter((object) => !mayExpire(object) && scheduleOf(object) === undefined)
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return objects.map((object) => {
    const { name, generation, finalizers = [] } = object.metadata;
    // Whether it was started, and how it ended, depends on what came first: what its user asked for, or its end.
    if (object.kind === 'JobExecution') return { kind: object.kind, name, generation };
    // Which of two NodeGroups comes first, and what is left of one, depend on when it was taken up.
    if (object.kind === 'NodeGroup') return { kind: object.kind, name, generation };
    return {
      kind: object.kind,
      name,
      ...(hasSetters(world.plan, object) ? {} : { generation }),
      finalizers,
      conditions: conditions(object),
      claims: claims(world, object),
      rows: rows(world, object),
      image: image(world, object),
    };
  });
}

/** It is there for as long as its user has suspended it, and otherwise gone in time: that depends on what came first. */
const mayExpire = ({ kind, spec }: Stored): boolean =>
  kind === 'JobExecution' &&
  (spec as { readonly ttlSecondsAfterFinished?: number }).ttlSecondsAfterFinished !== undefined;

/** Which revision a cluster was made from depends on when that was. */
const conditions = (object: Stored): readonly string[] =>
  conditionsOf(object)
    .filter(({ type }) => type !== 'TemplateOutdated')
    .map(({ type, status, reason }) => `${type} ${status} ${reason}`)
    .toSorted();

/** Without the uid that the name carries: how often users have made the object anew may depend on how long they had to wait. */
const clusterName = (name: string): string => name.replace(/-([a-z2-7]{4})[a-z2-7]{8}$/, '-$1');

/**
 * Of a template only its base and its content: whose uid the name carries after a restore depends on what the backup had of it. Of a
 * private one not even the content.
 */
function templateName(name: string, isPrivate: boolean): string {
  return isPrivate ? name.slice(0, -16) : `${name.slice(0, -16)}${name.slice(-8)}`;
}

const isPrivateTemplate = ({ role, collection }: Claim): boolean =>
  role === 'private' && collection.endsWith('templates');

const contents: readonly string[] = ['data-sources', 'job-binary-internals', 'job-binaries', 'jobs'];

function shownName(collection: string, name: string, isPrivate: boolean): string {
  if (collection === 'clusters') return clusterName(name);
  // The content of a job has the ids of its binaries in it, and that of a binary the id of its file.
  if (contents.includes(collection)) return name.replace(/-[a-z2-7]{20}(?=\.|$)/, '');
  return collection.endsWith('templates') ? templateName(name, isPrivate) : name;
}

/** Without former revisions: which of them runs have used, with their files, depends on when those began. */
function claims(world: World, object: Stored): readonly string[] {
  const ledger = world.facts.ledgerOf(object);
  const kept = ledger?.claims.filter((claim) => isPrivateTemplate(claim) || claim === currentClaim(ledger)) ?? [];
  return kept
    .map(({ role, collection, name }) => `${collection} ${shownName(collection, name, role === 'private')}`)
    .toSorted();
}

function rows(world: World, object: Stored): readonly string[] {
  const ledger = world.facts.ledgerOf(object);
  const former = ledger?.claims.filter((claim) => !isPrivateTemplate(claim) && claim !== currentClaim(ledger)) ?? [];
  return world.facts
    .rowsOf(object.metadata.uid)
    .filter(({ record }) => !former.some(({ id }) => id === record.id))
    .map((row) => shown(row, object.kind === 'Cluster', hasSetters(world.plan, object)))
    .toSorted();
}

/** A group without nodes is as good as none, and those of a private template were once wanted. */
function shown({ kind, record }: Row, isPrivate: boolean, hasOthersCounts: boolean): string {
  const told = (kind === 'clusters' && !hasOthersCounts) || !isPrivate;
  const groups = (told ? (record as Partial<ClusterRecord>).node_groups : undefined)
    ?.filter(({ count }) => count > 0)
    .map(({ name, count }) => `${name} ${count}`)
    .toSorted();
  const name = shownName(collectionOf(kind), record.name, isPrivate);
  return `${kind} ${name} ${(record as Partial<ClusterRecord>).status ?? ''} ${groups?.join() ?? ''}`;
}

function image(world: World, { kind, spec }: Stored): string {
  if (kind !== 'ImageRegistration') return '';
  const { imageID } = spec as { readonly imageID: string };
  const { username, tags } = world.service.store.get('images', tenant, imageID) ?? {};
  return `${username} ${tags?.toSorted().join()}`;
}
