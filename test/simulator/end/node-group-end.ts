// How a NodeGroup has to end: one of a group has the finalizer, and its count is that of the Cluster; any other says that it is a second one.
import type { Ledger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import type { ApiServer } from '../api/api-server.ts';
import { conditionsOf, type Stored } from '../api/fields.ts';
import { clusterOf, entriesOf, entryOf, isHeld, rivalsOf, specOf } from '../judge/node-groups.ts';
import type { Plan } from '../plan/plan.ts';

/** What is amiss with it; empty: all is well. That the service has its count is judged with its Cluster. */
export function wrongWithNodeGroup(server: ApiServer, nodeGroup: Stored): readonly string[] {
  const held = rivalsOf(server, nodeGroup).filter(isHeld);
  if (held.length !== 1) return [`is one of a group in which ${held.length} have the finalizer`];
  const { status = '', reason = '', message = '' } = conditionsOf(nodeGroup).find(({ type }) => type === 'Ready') ?? {};
  const is = (...reasons: readonly string[]): readonly string[] =>
    reasons.includes(reason) ? [] : [`is ${reason} instead of ${reasons.join(' or ')}: ${message}`];
  if (!isHeld(nodeGroup)) return is('DuplicateClaim');
  const cluster = clusterOf(server, nodeGroup);
  if (cluster === undefined || entryOf(cluster, nodeGroup) === undefined) return is('DependencyNotReady');
  const ofCluster = conditionsOf(cluster).find(({ type }) => type === 'Ready');
  if (ofCluster?.status !== 'True') return is('DependencyNotReady', ofCluster?.reason ?? '');
  const { count } = nodeGroup.status as { readonly count?: number };
  if (status !== 'True') return is('Available');
  return count === specOf(nodeGroup).count
    ? []
    : [`is Ready with ${count} nodes instead of ${specOf(nodeGroup).count}`];
}

/** The counts that a Cluster is to have. */
export function countsOf(
  server: ApiServer,
  cluster: Stored,
  ledger: Ledger | undefined,
): Readonly<Record<string, number>> {
  const { namespace, name } = cluster.metadata;
  const owned = server
    .list('nodegroups')
    .filter((one) => one.metadata.namespace === namespace && specOf(one).clusterRef.name === name && isHeld(one))
    // A NodeGroup of a group without an entry has no effect.
    .filter((one) => entryOf(cluster, one) !== undefined)
    .map((one) => ({ name: specOf(one).nodeGroup, count: specOf(one).count }));
  const groups = [...(ledger?.baseline ?? []), ...entriesOf(cluster), ...owned];
  return Object.fromEntries(groups.map((group) => [group.name, group.count]));
}

/** The plan has NodeGroups of this Cluster: what they leave in it, and when, depends on its course. */
export const hasSetters = ({ steps }: Plan, { kind, metadata }: Stored): boolean =>
  kind === 'Cluster' &&
  steps.some(
    ({ deed }) => deed.does === 'apply' && deed.kind === 'NodeGroup' && specOf(deed).clusterRef.name === metadata.name,
  );
