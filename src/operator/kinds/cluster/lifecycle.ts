// When a Cluster expires: what its spec asks for, and what the service reports of its work. PURE.
import type { Cluster } from '../../../wire/cluster.ts';
import type { LifecycleSettings, ReportedWork } from '../../reconcile/kind/kind.ts';
import type { ClusterSpec } from './schema.ts';

export const lifecycleOf = ({ lifecycle }: ClusterSpec): LifecycleSettings | undefined => {
  if (lifecycle === undefined) return undefined;
  const { idleDeleteAfterSeconds: idle, deleteAfterSeconds: age, deleteAt, onExpiry } = lifecycle;
  return {
    ...(idle === undefined ? {} : { idleMs: idle * 1000 }),
    ...(age === undefined ? {} : { ageMs: age * 1000 }),
    ...(deleteAt === undefined ? {} : { endsAt: Date.parse(deleteAt) }),
    releases: onExpiry === 'Release',
  };
};

/** The oldest load counts, because each group may have got work since. Work that waits is use, too. */
export const workOf = ({ load }: Cluster): ReportedWork | undefined => {
  const groups = Object.values(load ?? {});
  const [observedAt] = groups.map((group) => group.observedAt).toSorted((a, b) => Date.parse(a) - Date.parse(b));
  if (observedAt === undefined) return undefined;
  return { observedAt, isBusy: groups.some(({ busyNodes, wantedNodes }) => busyNodes > 0 || wantedNodes > 0) };
};
