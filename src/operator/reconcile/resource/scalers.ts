// Which NodeGroup owns the count of a node group of a Cluster. PURE.
import { defaultMinCount, defaultScaleDownAfterSeconds } from '../../api/autoscaling.ts';
import type { RawResource } from '../../api/definition.ts';
import { finalizer, ledgerAnnotation } from '../../api/shared-api.ts';
import type { AutoscalingBounds, OwnedCount, OwnedCounts } from '../kind/kind.ts';
import { ledgerIn } from '../ledger/ledger.ts';
import { type Key, keyText } from '../pass-ports.ts';

export const scalerKind = 'NodeGroup';

/** What a NodeGroup asks for, read leniently. */
export interface Asked {
  readonly cluster: string;
  readonly group: string;
  readonly count: number;
  /** Undefined: it is not autoscaled. */
  readonly bounds?: AutoscalingBounds;
}

export function askedBy({ spec }: RawResource): Asked | undefined {
  const { clusterRef, nodeGroup, count, autoscaling } = (spec ?? {}) as {
    readonly clusterRef?: { readonly name?: unknown } | null;
    readonly nodeGroup?: unknown;
    readonly count?: unknown;
    readonly autoscaling?: Partial<Readonly<Record<string, unknown>>> | null;
  };
  const cluster = clusterRef?.name;
  if (typeof cluster !== 'string' || typeof nodeGroup !== 'string' || !Number.isInteger(count)) return undefined;
  const bounds = boundsIn(autoscaling);
  return { cluster, group: nodeGroup, count: count as number, ...(bounds && { bounds }) };
}

function boundsIn(autoscaling: Partial<Readonly<Record<string, unknown>>> | null | undefined) {
  const { minCount = defaultMinCount, maxCount, scaleDownAfterSeconds } = autoscaling ?? {};
  if (!Number.isInteger(maxCount) || !Number.isInteger(minCount)) return undefined;
  const seconds = Number.isInteger(scaleDownAfterSeconds) ? scaleDownAfterSeconds : defaultScaleDownAfterSeconds;
  const bounds = { minCount, maxCount, scaleDownAfterMs: (seconds as number) * 1000 };
  return bounds as AutoscalingBounds;
}

export function isHeld({ metadata }: RawResource): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * The one with the finalizer, else the oldest. One that is being deleted stays the owner until its Cluster has the count, which is when
 * it loses the finalizer.
 */
export function ownerAmong(claimants: readonly RawResource[]): RawResource | undefined {
  const held = claimants.filter(isHeld);
  const lasting = claimants.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return (held.length > 0 ? held : lasting).toSorted(byAge)[0];
}

/** The oldest first. */
export function byAge({ metadata: one }: RawResource, { metadata: other }: RawResource): number {
  const [a, b] = [one, other].map(({ creationTimestamp = '', uid }) => `${creationTimestamp} ${uid}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

/** The Cluster that a NodeGroup belongs to, as the text of its key. */
export function clusterTextOf(resource: RawResource): string | undefined {
  const asked = askedBy(resource);
  const { namespace } = resource.metadata;
  return asked && keyText({ kind: 'Cluster', namespace, name: asked.cluster });
}

/** The count that a scale asks for which goes on, or had no effect; undefined: there is none. */
export function scaleTarget({ metadata }: RawResource, group: string): number | undefined {
  return ledgerIn(metadata.annotations?.[ledgerAnnotation])?.change?.target[group];
}

/** The NodeGroups of the Cluster at this place. */
export function scalersOf(
  nodeGroups: Iterable<RawResource>,
  { namespace, name }: Pick<Key, 'namespace' | 'name'>,
): readonly RawResource[] {
  return [...nodeGroups].filter((one) => one.metadata.namespace === namespace && askedBy(one)?.cluster === name);
}

/**
 * By group, the counts that have effect in a Cluster. A NodeGroup without the finalizer has none yet, so that none can vanish without
 * leaving its count.
 */
export function ownedCounts(nodeGroups: Iterable<RawResource>, cluster: RawResource): OwnedCounts {
  const byGroup = Map.groupBy(
    scalersOf(nodeGroups, cluster.metadata).filter(isHeld),
    (one) => askedBy(one)?.group ?? '',
  );
  const owned = [...byGroup].flatMap(([group, claimants]) => {
    const owner = ownerAmong(claimants);
    const asked = owner && askedBy(owner);
    return owner && asked ? [[group, ownedCount(owner, asked)] as const] : [];
  });
  return new Map(owned);
}

function ownedCount({ metadata }: RawResource, { count, bounds }: Asked): OwnedCount {
  const isLeaving = metadata.deletionTimestamp !== undefined;
  return { name: metadata.name, count, ...(bounds && { bounds, ...(isLeaving && { isLeaving }) }) };
}
