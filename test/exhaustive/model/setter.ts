// A NodeGroup that sets the count of a group of the Cluster, and what its user does with it: makes, scales and deletes it.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { finalizer } from '../../../src/operator/api/shared-api.ts';
import { scalerKind } from '../../../src/operator/reconcile/resource/scalers.ts';
import { resourceOf, wall } from '../../operator/reconcile/support.ts';
import type { Move } from './moves.ts';
import type { Tables } from './tables.ts';
import { type Rules, spend, type World } from './world.ts';

/** What there is of the NodeGroup, and the pass over it that is under way. */
export interface Setter {
  readonly resource: RawResource | null;
  readonly pass?: Under;
  /** It is being deleted, and the Cluster has had its count since. */
  readonly left?: true;
}

export interface Under {
  readonly known: RawResource;
  /** The version of the Cluster that was read, once it was. */
  readonly read?: number;
  /** The count was written, if it had to be. */
  readonly wrote?: true;
}

export const noSetter: Setter = { resource: null };
/** No count that the Cluster gets by an edit. */
const firstCount = 5;
export const group = 'worker';

interface SetterSpec {
  readonly clusterRef: { readonly name: string };
  readonly nodeGroup: string;
  readonly count: number;
}

export const specOf = ({ spec }: RawResource): SetterSpec => spec as SetterSpec;

export const setterOf = ({ tables }: Rules, { setter }: World): Setter => tables.setters.at(setter);

export const isHeld = ({ metadata }: RawResource): boolean => metadata.finalizers?.includes(finalizer) ?? false;

/** The count that is to be that of the group: by the NodeGroup where it has the finalizer, else by the Cluster. */
export function countWanted(resource: RawResource | null, cluster: RawResource): number | undefined {
  return resource && isHeld(resource) ? specOf(resource).count : entryCount(cluster);
}

export function entryCount({ spec }: RawResource): number | undefined {
  const { nodeGroups = [] } = spec as { readonly nodeGroups?: readonly { name: string; count: number }[] };
  return nodeGroups.find(({ name }) => name === group)?.count;
}

/** What the passes over the Cluster that begin now see of it. */
export const setterSeen = (rules: Rules, world: World): number =>
  rules.tables.setters.numberOf({ resource: setterOf(rules, world).resource });

/** As the caches of a process have it. */
export const settersIn = (tables: Tables, setter: number): readonly RawResource[] => {
  const { resource } = tables.setters.at(setter);
  return resource ? [resource] : [];
};

/** There is a NodeGroup, or may be one. */
export const hasSetter = (rules: Rules, world: World): boolean =>
  world.left.setters > 0 || setterOf(rules, world).resource !== null;

/** What the user does with it. */
export function setterMoves(rules: Rules, world: World): readonly Move[] {
  const { resource, pass } = setterOf(rules, world);
  if (world.left.setters === 0) return [];
  const spent = spend(world, 'setters');
  const to = (label: string, after: RawResource | null): Move => {
    return { label, world: withSetter(rules, spent, { resource: after, ...(pass && { pass }) }) };
  };
  if (resource === null) return [to('the user makes a NodeGroup', made(world))];
  const { metadata } = resource;
  const spec = { ...specOf(resource), count: specOf(resource).count + 1 };
  const scaled = to(`the user scales the NodeGroup to ${spec.count}`, { ...resource, spec });
  if (metadata.deletionTimestamp !== undefined) return [scaled];
  const doomed = { ...resource, metadata: { ...metadata, deletionTimestamp: new Date(wall).toISOString() } };
  return [scaled, to('the user deletes the NodeGroup', isHeld(resource) ? doomed : null)];
}

/** Each has a uid of its own. */
function made({ left }: World): RawResource {
  const spec: SetterSpec = { clusterRef: { name: 'etl' }, nodeGroup: group, count: firstCount };
  const metadata = { name: 'workers', uid: `setter${left.setters}`, annotations: {} };
  return { ...resourceOf({ spec, metadata }), kind: scalerKind };
}

export function withSetter({ tables }: Rules, world: World, setter: Setter): World {
  return { ...world, setter: tables.setters.numberOf(setter) };
}
