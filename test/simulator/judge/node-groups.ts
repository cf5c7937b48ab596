// What is known of NodeGroups: which of them count for a Cluster, which counts they asked for, and whether one that is deleted has left its own.
import { finalizer } from '../../../src/operator/api/shared-api.ts';
import type { ApiServer, Change } from '../api/api-server.ts';
import type { Stored } from '../api/fields.ts';

interface Spec {
  readonly clusterRef: { readonly name: string };
  readonly nodeGroup: string;
  readonly count: number;
  /** Then the count is only what a group begins with; autoscaled worlds have laws of their own. */
  readonly autoscaling?: object;
}

export interface Entry {
  readonly name: string;
  readonly count: number;
}

export const specOf = ({ spec }: Pick<Stored, 'spec'>): Spec => spec as Spec;

export const isHeld = (object: Stored | undefined): boolean =>
  object?.metadata.finalizers?.includes(finalizer) ?? false;

export const entriesOf = ({ spec }: Stored): readonly Entry[] =>
  (spec as { readonly nodeGroups?: readonly Entry[] }).nodeGroups ?? [];

/** The NodeGroups of the same group, this one among them. */
export const rivalsOf = (server: ApiServer, { metadata, spec }: Stored): readonly Stored[] => {
  const { clusterRef, nodeGroup } = specOf({ spec });
  return server
    .list('nodegroups')
    .filter((one) => one.metadata.namespace === metadata.namespace)
    .filter((one) => specOf(one).clusterRef.name === clusterRef.name && specOf(one).nodeGroup === nodeGroup);
};

export const clusterOf = (server: ApiServer, nodeGroup: Stored): Stored | undefined =>
  server.get('clusters', nodeGroup.metadata.namespace, specOf(nodeGroup).clusterRef.name);

/** That of its group in the spec of the Cluster. */
export const entryOf = (cluster: Stored, nodeGroup: Stored): Entry | undefined =>
  entriesOf(cluster).find(({ name }) => name === specOf(nodeGroup).nodeGroup);

/** A count while it was the one of its group: by a NodeGroup with the finalizer. */
interface Tenure {
  readonly uid: string;
  readonly count: number;
  readonly from: number;
  readonly until: number;
}

/** Counts of one group of a Cluster over time. */
interface Group {
  readonly tenures: readonly Tenure[];
  /** When it last had no NodeGroup with the finalizer. */
  readonly vacantAt: number;
}

interface Knowledge {
  readonly now: () => number;
  /** What a pass goes by may be so old. */
  readonly behindMs: () => number;
}

const forever = Number.POSITIVE_INFINITY;
const unknown: Group = { tenures: [], vacantAt: forever };
const keyOf = (cluster: string, group: string): string => `${cluster}/${group}`;

export class NodeGroups {
  readonly #groups = new Map<string, Group>();
  /** Of those that are being deleted: their Cluster has had the count since then, or could have none. */
  readonly #left = new Set<string>();

  changed(server: ApiServer, { plural, object, before, type }: Change, now: number): void {
    if (plural === 'nodegroups') {
      // Another count has to be left anew.
      if (before !== undefined && specOf(before).count !== specOf(object).count) this.#left.delete(object.metadata.uid);
      if (!specOf(object).autoscaling) this.#counted(object, type !== 'DELETED' && isHeld(object), now);
    }
    if (plural !== 'nodegroups' && plural !== 'clusters') return;
    for (const one of server.list('nodegroups')) if (hasLeft(server, one)) this.#left.add(one.metadata.uid);
  }

  #counted(object: Stored, counts: boolean, now: number): void {
    const { clusterRef, nodeGroup, count } = specOf(object);
    const { uid } = object.metadata;
    const key = keyOf(clusterRef.name, nodeGroup);
    const { tenures, vacantAt } = this.#groups.get(key) ?? unknown;
    const ended = tenures.map((one) => (one.uid === uid && one.until === forever ? { ...one, until: now } : one));
    const next = counts ? [...ended, { uid, count, from: now, until: forever }] : ended;
    const wasVacant = tenures.every(({ until }) => until !== forever);
    const isVacant = next.every(({ until }) => until !== forever);
    this.#groups.set(key, { tenures: next, vacantAt: isVacant ? forever : wasVacant ? now : vacantAt });
  }

  /** Whether the NodeGroup, as it was before it lost the finalizer, may go. */
  hasLeft({ metadata }: Stored): boolean {
    return this.#left.has(metadata.uid);
  }

  /** The counts that a pass may go by for a group of this Cluster; `entry`: that of the Cluster. */
  countsLately(cluster: string, { name, count }: Entry, { now, behindMs }: Knowledge): readonly number[] {
    const since = now() - behindMs();
    const { tenures, vacantAt } = this.#groups.get(keyOf(cluster, name)) ?? unknown;
    const owned = tenures.filter(({ until }) => until >= since).map((one) => one.count);
    return vacantAt >= since ? [...owned, count] : owned;
  }

  /** When it got the finalizer, or its count since then. */
  heldFrom({ metadata, spec }: Stored): number {
    const { clusterRef, nodeGroup } = specOf({ spec });
    const { tenures } = this.#groups.get(keyOf(clusterRef.name, nodeGroup)) ?? unknown;
    return tenures.findLast(({ uid }) => uid === metadata.uid)?.from ?? forever;
  }

  /** A NodeGroup had the finalizer at any time. */
  hasAny(cluster: string, group: string): boolean {
    return this.#groups.has(keyOf(cluster, group));
  }
}

function hasLeft(server: ApiServer, nodeGroup: Stored): boolean {
  if (nodeGroup.metadata.deletionTimestamp === undefined) return false;
  const cluster = clusterOf(server, nodeGroup);
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return true;
  const entry = entryOf(cluster, nodeGroup);
  return entry === undefined || specOf(nodeGroup).autoscaling !== undefined || entry.count === specOf(nodeGroup).count;
}
