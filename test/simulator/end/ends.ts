// How a world has to end once nothing goes wrong any more: what is still amiss.
import { type Claim, currentClaim } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { isOver, markerToRunAgain } from '../../support/service/runs.ts';
import { conditionsOf, type Stored } from '../api/fields.ts';
import { isOurs, type Row } from '../judge/facts.ts';
import { hasCounts } from '../judge/invariants-objects.ts';
import { isOfInstallation } from '../judge/ownership.ts';
import { referencesOf } from '../judge/references.ts';
import { namespace, tenant } from '../plan/plan.ts';
import type { World } from '../world/world.ts';
import { countsOf, wrongWithNodeGroup } from './node-group-end.ts';
import { wrongWithSchedule } from './schedule-end.ts';

export const collections = [
  'connections',
  'sharedconnections',
  'clusters',
  'clustertemplates',
  'nodegrouptemplates',
  'imageregistrations',
  'datasources',
  'jobbinaries',
  'jobs',
  'jobexecutions',
  'jobschedules',
  'nodegroups',
] as const;

export const nameOf = ({ kind, metadata }: Stored): string => `${kind} ${metadata.name}`;

/** What is not as its user wants it; empty: all is well. */
export function amiss(world: World): readonly string[] {
  const objects = collections.flatMap((plural) => world.server.list(plural));
  const waiting = [...world.users.awaited.keys()].map((key) => `the user still waits to make ${key} anew`);
  return [...waiting, ...objects.flatMap((object) => wrongWith(world, object)), ...wrongInService(world)];
}

function wrongWith(world: World, object: Stored): readonly string[] {
  const { generation, deletionTimestamp } = object.metadata;
  const ready = conditionsOf(object).find(({ type }) => type === 'Ready');
  if (deletionTimestamp !== undefined) return [`${nameOf(object)} is still there: ${ready?.reason} ${ready?.message}`];
  const { observedGeneration } = (object.status ?? {}) as { readonly observedGeneration?: number };
  if (ready === undefined || observedGeneration !== generation || ready.observedGeneration !== generation)
    return [`${nameOf(object)} has not seen generation ${generation}: ${ready?.reason} ${ready?.message}`];
  if (object.kind === 'JobExecution') return wrongWithRun(object);
  if (object.kind === 'NodeGroup')
    return wrongWithNodeGroup(world.server, object).map((what) => `${nameOf(object)} ${what}`);
  if (isNeededNoMore(world, object)) return [`${nameOf(object)} is there, and no run needs it any more`];
  const refusal = expectedRefusal(world, object);
  if (refusal !== undefined && ready.reason === refusal) return [];
  if (ready.status !== 'True') return [`${nameOf(object)} is not Ready: ${ready.reason} ${ready.message}`];
  if (refusal !== undefined) return [`${nameOf(object)} is Ready instead of ${refusal}`];
  return wrongThere(world, object);
}

/** What is Ready, and is not so in the service. */
function wrongThere(world: World, object: Stored): readonly string[] {
  switch (object.kind) {
    case 'Connection':
    case 'SharedConnection': {
      // A loss is over when its objects are found, or when the user has taken note of it.
      const loss = conditionsOf(object).find(({ type, status }) => type === 'MassChange' && status === 'True');
      return loss === undefined ? [] : [`${nameOf(object)} still tells of a loss: ${loss.message}`];
    }
    case 'ImageRegistration':
      return wrongWithImage(world, object);
    case 'Cluster':
      return wrongWithCluster(world, object);
    case 'JobSchedule':
      return wrongWithSchedule(world, object).map((what) => `${nameOf(object)} ${what}`);
    default: {
      const { id } = object.status as { readonly id?: string };
      const isThere = world.facts.rowsOf(object.metadata.uid).some(({ record }) => record.id === id);
      return isThere || world.strangers.ids.includes(id ?? '')
        ? []
        : [`${nameOf(object)} is Ready, and ${id} is not there`];
    }
  }
}

/** Each ends, unless its user has suspended it, and goes if it expires. That it is Complete only after a run that succeeded is judged all the time. */
function wrongWithRun(object: Stored): readonly string[] {
  const conditions = conditionsOf(object);
  const { reason, message } = conditions.find(({ type }) => type === 'Ready') ?? {};
  const { suspend = false, ttlSecondsAfterFinished } = object.spec as {
    readonly suspend?: boolean;
    readonly ttlSecondsAfterFinished?: number;
  };
  const isForMore = markerToRunAgain(message) !== undefined;
  if (isOver(conditions) && ttlSecondsAfterFinished !== undefined) return [`${nameOf(object)} has not expired`];
  if ((isOver(conditions) && !isForMore) || (suspend && reason === 'Suspended')) return [];
  return [`${nameOf(object)} has not ended: ${reason} ${message}`];
}

/** The cluster of a run that has ended or waits, or is gone. */
function isNeededNoMore({ server }: World, { kind, metadata }: Stored): boolean {
  if (kind !== 'Cluster' || metadata.ownerReferences === undefined) return false;
  const run = server.list('jobexecutions').find(({ metadata: { uid } }) => uid === metadata.ownerReferences?.[0]?.uid);
  return (
    run === undefined || isOver(conditionsOf(run)) || (run.spec as { readonly suspend?: boolean }).suspend === true
  );
}

/** Why the operator has to leave it alone, whatever else happens. */
function expectedRefusal({ facts, strangers }: World, object: Stored): string | undefined {
  const { id } = (object.status ?? {}) as { readonly id?: string };
  const ledger = facts.ledgerOf(object);
  if (ledger !== undefined && ledger.uid !== object.metadata.uid && facts.resourceOf(ledger.uid) !== undefined)
    return 'OwnershipUnconfirmed';
  const { name } = object.spec as { readonly name?: string };
  return id === undefined && name !== undefined && strangers.hasName(name) ? 'NameConflict' : undefined;
}

function wrongWithImage(world: World, object: Stored): readonly string[] {
  const {
    imageID,
    username,
    tags = [],
  } = object.spec as {
    readonly imageID: string;
    readonly username: string;
    readonly tags?: readonly string[];
  };
  const image = world.service.store.get('images', tenant, imageID);
  const same = image?.username === username && tags.toSorted().join() === image.tags.toSorted().join();
  return same ? [] : [`${nameOf(object)} is Ready, and its image is ${JSON.stringify(image)}`];
}

function wrongWithCluster(world: World, object: Stored): readonly string[] {
  const { id = '' } = object.status as { readonly id?: string };
  const row = world.service.store.get('clusters', tenant, id);
  if (row === undefined) return [`${nameOf(object)} is Ready, and ${id} is not there`];
  const wanted = countsOf(world.server, object, world.facts.ledgerOf(object));
  if (row.status === 'Active' && hasCounts(row, wanted)) return wrongRevision(world, object);
  return [`${nameOf(object)} is Ready, and ${id} is ${row.status}, not ${JSON.stringify(wanted)}`];
}

/** It says that there is a newer revision of its template where there is one, and nowhere else. */
function wrongRevision({ facts, server }: World, object: Stored): readonly string[] {
  const { clusterTemplateRef } = object.spec as { readonly clusterTemplateRef?: { readonly name: string } };
  const template = server.get('clustertemplates', namespace, clusterTemplateRef?.name ?? '');
  if (template === undefined || template.metadata.deletionTimestamp !== undefined) return [];
  const used = facts.ledgerOf(object)?.templateRevision;
  const newest = currentClaim(facts.ledgerOf(template))?.hash;
  const outdated = conditionsOf(object).some(({ type }) => type === 'TemplateOutdated');
  return outdated === (used !== undefined && used !== newest)
    ? []
    : [
        `${nameOf(object)} was made from ${used}, the template is ${newest}, and it is told${outdated ? '' : ' not'} to be outdated`,
      ];
}

function wrongInService(world: World): readonly string[] {
  const rows = world.facts.rows();
  const left = rows
    .filter((row) => isStray(world, row))
    .map(({ kind, record }) => `${kind} ${record.id} ${record.name} is left over`);
  const touched = world.strangers.touched().map((id) => `the object ${id} of somebody else is not as it was`);
  const late = [...world.facts.underWay].map((number) => `request ${number} may still take effect`);
  return [...left, ...touched, ...late, ...formerRevisions(world)];
}

/** Beside what each resource stands for, what nothing refers to any more: no object of the service, and no ledger of what may want a group back. */
function formerRevisions({ facts, server }: World): readonly string[] {
  const used = new Set<string | undefined>(facts.rows().flatMap(({ record }) => referencesOf(record)));
  const named = (object: Stored, id = ''): boolean =>
    collections
      .flatMap((plural) => server.list(plural))
      .some((other) => other !== object && JSON.stringify([facts.ledgerOf(other), other.spec]).includes(id));
  // Earlier attempts of a run stay as long as its object.
  return collections
    .filter((plural) => plural !== 'jobexecutions')
    .flatMap((plural) => server.list(plural))
    .flatMap((object) => {
      const ledger = facts.ledgerOf(object);
      const unused = ({ id }: Claim): boolean => !used.has(id) && !named(object, id);
      const former = ledger?.claims.filter((claim) => claim !== currentClaim(ledger) && unused(claim)) ?? [];
      return former.map(({ name }) => `the former revision ${name} of ${nameOf(object)} is not collected`);
    });
}

/** Ours, and nobody's id. */
function isStray(world: World, { kind, record }: Row): boolean {
  const { id, name } = record;
  const { facts } = world;
  // Nobody else starts runs.
  const isOurs = kind === 'jobExecutions' || isOfInstallation(name);
  if (!isOurs || facts.orphans.has(id) || facts.orphans.has(name)) return false;
  const ledger = facts.ledgerOf(facts.resourceOf(facts.ownerOf(id)));
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
