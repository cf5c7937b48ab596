// What must hold of the counts that NodeGroups set: each function answers what is broken, or nothing.
import { isDeepStrictEqual } from 'node:util';
import { scaledByAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { ApiServer, Change } from '../api/api-server.ts';
import type { Stored } from '../api/fields.ts';
import { promptMs } from '../plan/plan.ts';
import type { Facts, Invariant } from './facts.ts';
import { targetOf } from './happening.ts';
import { clusterOf, entriesOf, entryOf, isHeld, rivalsOf, specOf } from './node-groups.ts';

/**
 * The counts that a Cluster is scaled to are those of the NodeGroups with the finalizer, and else its own. One NodeGroup of a group has
 * the finalizer, until the Cluster has its count; nothing else of a spec is changed.
 */
export const I17: Invariant = (facts, happening) => {
  if (happening.is === 'service sent') {
    const { method, collection, id = '' } = targetOf(happening.sent);
    return method === 'PUT' && collection === 'clusters' ? wrongScale(facts, id) : undefined;
  }
  if (happening.is !== 'kubernetes changed' || happening.by === undefined) return undefined;
  const { change } = happening;
  if (change.plural === 'clusters') return wrongLeaving(facts, change);
  return change.plural === 'nodegroups' ? wrongHold(facts, change) : undefined;
};

function wrongScale(facts: Facts, id: string): string | undefined {
  const cluster = facts.resourceOf(facts.ownerOf(id));
  const { change } = facts.ledgerOf(cluster) ?? {};
  // Of what was edited since, it is not known here what it asked for.
  if (cluster === undefined || change === undefined || change.generation !== cluster.metadata.generation)
    return undefined;
  const { name } = cluster.metadata;
  for (const entry of entriesOf(cluster)) {
    const target = change.target[entry.name];
    if (target === undefined || !facts.nodeGroups.hasAny(name, entry.name)) continue;
    // A group that is to be made of another template is taken away before.
    if (target === 0 && 'nodeGroupTemplateRef' in entry) continue;
    const counts = facts.nodeGroups.countsLately(name, entry, facts.options);
    if (!counts.includes(target))
      return `PUT of ${target} nodes for ${entry.name} of ${name}, which is to have ${counts.join(' or ')}`;
  }
  return undefined;
}

/** The one write into a spec: a count of a NodeGroup that is being deleted, and whose it is. */
function wrongLeaving(facts: Facts, { before, object }: Change): string | undefined {
  if (before === undefined || isDeepStrictEqual(before.spec, object.spec)) return undefined;
  const { name, annotations = {} } = object.metadata;
  const by = annotations[scaledByAnnotation];
  const nodeGroup = facts.options.server.list('nodegroups').find(({ metadata }) => metadata.name === by);
  if (nodeGroup === undefined || nodeGroup.metadata.deletionTimestamp === undefined || !isHeld(nodeGroup))
    return `a count is left in ${name} by ${by}, which is not being deleted with the finalizer`;
  const entry = entryOf(before, nodeGroup);
  const count = entryOf(object, nodeGroup)?.count ?? Number.NaN;
  // If its user has changed the count just now, that one is left next.
  const isAutoscaled = specOf(nodeGroup).autoscaling !== undefined;
  // What autoscaling chose is judged in its worlds.
  const known = isAutoscaled
    ? [count]
    : facts.nodeGroups.countsLately(name, entry ?? { name: '', count }, facts.options);
  const counts = entry === undefined ? [] : known;
  const nodeGroups = entriesOf(before).map((one) => (one.name === entry?.name ? { ...one, count } : one));
  const should = { ...(before.spec as object), nodeGroups };
  return isDeepStrictEqual(object.spec, should) && counts.includes(count)
    ? undefined
    : `${by} leaves ${JSON.stringify(object.spec)} in ${name}, where ${JSON.stringify(before.spec)} was: ${counts.join(' or ')}`;
}

function wrongHold(facts: Facts, { type, before, object }: Change): string | undefined {
  const { server } = facts.options;
  const { name, deletionTimestamp } = object.metadata;
  const holds = type !== 'DELETED' && isHeld(object);
  if (holds && !isHeld(before)) {
    const { now, behindMs } = facts.options;
    // A replica knows of its own writes at once, unless the API server is troubled.
    const isKnown = (one: Stored): boolean => facts.nodeGroups.heldFrom(one) <= now() - (behindMs() - promptMs);
    const other = rivalsOf(server, object).find((one) => one.metadata.name !== name && isHeld(one) && isKnown(one));
    return other && `NodeGroup ${name} gets the finalizer, and ${other.metadata.name} has it`;
  }
  if (holds || !isHeld(before) || deletionTimestamp === undefined || facts.nodeGroups.hasLeft(object)) return undefined;
  return `NodeGroup ${name} goes, and ${JSON.stringify(entriesIn(server, object))} is left of ${specOf(object).count} in its Cluster`;
}

const entriesIn = (server: ApiServer, object: Stored) => {
  const cluster = clusterOf(server, object);
  return cluster && entriesOf(cluster);
};
