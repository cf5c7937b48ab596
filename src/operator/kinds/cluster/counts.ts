// Counts of groups that NodeGroups own, in place of those of the spec. PURE.
import type { Ledger, OwnedCount, OwnedCounts } from '../../reconcile/kind/kind.ts';
import type { GroupSpec } from '../node-groups.ts';
import { wantedGroups } from './groups.ts';
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
  readonly ready?: unknown;
}

/** The groups that the status reports, in whatever form. */
const rowsOf = (status: unknown): readonly CountedRow[] => {
  const { nodeGroups } = (status ?? {}) as { readonly nodeGroups?: unknown };
  return Array.isArray(nodeGroups) ? nodeGroups.map((row: unknown) => Object(row) as CountedRow) : [];
};

/** The counts that the status reports. */
export const reportedCounts = (status: unknown): ReadonlyMap<string, number> => {
  return new Map(
    rowsOf(status).flatMap(({ name, desired }) =>
      typeof name === 'string' && Number.isInteger(desired) ? [[name, desired as number] as const] : [],
    ),
  );
};

export const wantedCounts = (spec: ClusterSpec, ledger: Ledger): ReadonlyMap<string, number> | undefined => {
  const wanted = wantedGroups(spec, ledger);
  return typeof wanted === 'string' ? undefined : new Map([...wanted].map(([name, { count }]) => [name, count]));
};

/** What an autoscaled group begins with does not count any more once the status reports what became of it. */
export const nodesOf = (spec: ClusterSpec | undefined, ledger: Ledger, status: unknown): number => {
  const nodes = new Map<string, number>();
  const raise = (name: string, count: unknown): void => {
    nodes.set(name, Math.max(nodes.get(name) ?? 0, Number.isInteger(count) ? (count as number) : 0));
  };
  const reported = rowsOf(status);
  for (const { name, desired, ready } of reported) for (const count of [desired, ready]) raise(String(name), count);
  for (const [name, count] of Object.entries(ledger.change?.target ?? {})) raise(name, count);
  const wanted = spec ? wantedGroups(spec, ledger) : 'unknown';
  const owners = ownersIn(spec);
  for (const { name, count } of typeof wanted === 'string' ? (spec?.nodeGroups ?? []) : wanted.values()) {
    const { bounds, decision } = owners.get(name) ?? {};
    if (bounds === undefined || decision !== undefined || !nodes.has(name)) raise(name, count);
  }
  return [...nodes.values()].reduce((sum, count) => sum + count, 0);
};

/** The status reports another count than an owner asks for now: the owner has changed it since. */
export const isRecounted = (spec: ClusterSpec, status: unknown): boolean => {
  const { nodeGroups } = (status ?? {}) as { readonly nodeGroups?: unknown };
  if (!Array.isArray(nodeGroups)) return false;
  const reported = reportedCounts(status);
  const owners = ownersIn(spec);
  return (spec.nodeGroups ?? []).some(({ name, count }) => owners.has(name) && (reported.get(name) ?? 0) !== count);
};
