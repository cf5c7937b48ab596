// Counts of groups that NodeGroups own, in place of those of the spec. PURE.
import type { OwnedCount, OwnedCounts } from '../../reconcile/kind.ts';
import type { GroupSpec } from '../node-groups.ts';
import type { ClusterSpec } from './schema.ts';

type CountedGroup = GroupSpec & { readonly owner?: OwnedCount };

/** An owner of a group without an entry has no effect. */
export const withCounts = (spec: ClusterSpec, owned: OwnedCounts): ClusterSpec => {
  if (spec.nodeGroups === undefined || owned.size === 0) return spec;
  const nodeGroups = spec.nodeGroups.map((entry): CountedGroup => {
    const owner = owned.get(entry.name);
    return owner ? { ...entry, count: owner.count, owner } : entry;
  });
  return { ...spec, nodeGroups };
};

/** By group, the NodeGroup that its count is of. */
export const ownersIn = (spec: ClusterSpec | undefined): ReadonlyMap<string, OwnedCount> => {
  const groups: readonly CountedGroup[] = spec?.nodeGroups ?? [];
  return new Map(groups.flatMap(({ name, owner }) => (owner === undefined ? [] : [[name, owner] as const])));
};

interface CountedRow {
  readonly name?: unknown;
  readonly desired?: unknown;
}

/** The counts that the status reports. */
export const reportedCounts = (status: unknown): ReadonlyMap<string, number> => {
  const { nodeGroups } = (status ?? {}) as { readonly nodeGroups?: unknown };
  const rows = Array.isArray(nodeGroups) ? (nodeGroups as readonly (CountedRow | null)[]) : [];
  return new Map(
    rows.flatMap((row) =>
      typeof row?.name === 'string' && Number.isInteger(row.desired)
        ? [[row.name, row.desired as number] as const]
        : [],
    ),
  );
};

/** The status reports another count than an owner asks for now: the owner has changed it since. */
export const isRecounted = (spec: ClusterSpec, status: unknown): boolean => {
  const { nodeGroups } = (status ?? {}) as { readonly nodeGroups?: unknown };
  if (!Array.isArray(nodeGroups)) return false;
  const reported = reportedCounts(status);
  const owners = ownersIn(spec);
  return (spec.nodeGroups ?? []).some(({ name, count }) => owners.has(name) && (reported.get(name) ?? 0) !== count);
};
