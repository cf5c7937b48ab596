// The row of a node group in the status of its Cluster.
import type { RawResource } from '../api/definition.ts';

export interface ReportedGroup {
  readonly name: string;
  readonly desired: number;
  readonly ready: number;
  readonly scaledBy?: string;
  readonly autoscaling?: { readonly reason?: unknown; readonly wanted?: number };
}

/** What the Cluster reports of the group: undefined before it reports any. A group without nodes is not listed. */
export function reportedGroup(cluster: RawResource | undefined, group: string): ReportedGroup | undefined {
  if (!Array.isArray(groupsIn(cluster))) return undefined;
  return listedGroup(cluster, group) ?? { name: group, desired: 0, ready: 0 };
}

export function listedGroup(cluster: RawResource | undefined, group: string): ReportedGroup | undefined {
  const groups = groupsIn(cluster);
  return Array.isArray(groups)
    ? ((groups as readonly (ReportedGroup | null)[]).find((one) => one?.name === group) ?? undefined)
    : undefined;
}

function groupsIn(cluster: RawResource | undefined): unknown {
  const { nodeGroups } = (cluster?.status ?? {}) as { readonly nodeGroups?: unknown };
  return nodeGroups;
}
