// Status of a Cluster from what the service answered. PURE; nothing in it changes while the cluster does not.
import type { Cluster, ClusterNodeGroup } from '../../../wire/cluster.ts';
import { cleanText, cleanWord } from '../../../wire/errors/shapes.ts';
import type { RawResource } from '../../api/definition.ts';
import type { Ledger } from '../../reconcile/kind/kind.ts';
import { settled } from '../node-groups.ts';
import { ownersIn } from './counts.ts';
import { wantedGroups } from './groups.ts';
import type { ClusterSpec } from './schema.ts';

const instancesShown = 50;

export const report = (
  remote: Cluster,
  spec: ClusterSpec | undefined,
  ledger: Ledger,
): Readonly<Record<string, unknown>> => {
  const groups = reportedGroups(remote, spec, ledger);
  const total = (field: 'ready' | 'desired') => groups.reduce((sum, group) => sum + group[field], 0);
  const message = remote.status_description ? cleanText(remote.status_description, []) : '';
  return settled({
    externalStatus: cleanWord(remote.status),
    statusMessage: message || undefined,
    pluginName: cleanWord(remote.plugin_name),
    bigdataVersion: cleanWord(remote.bigdata_version),
    nodes: `${total('ready')}/${total('desired')}`,
    nodeGroups: groups,
    endpoints: endpoints(remote),
    instances: instances(remote),
  });
};

/** Plugin and version that the cluster is going to have. */
export const expectedPlugin = (
  spec: ClusterSpec,
  template: RawResource | undefined,
): Readonly<Record<string, unknown>> => {
  const inherited = (template?.spec ?? {}) as { readonly pluginName?: unknown; readonly bigdataVersion?: unknown };
  return settled({
    pluginName: spec.pluginName ?? inherited.pluginName,
    bigdataVersion: spec.bigdataVersion ?? inherited.bigdataVersion,
  });
};

/** Groups that are wanted or still exist, sorted by name. */
const reportedGroups = (remote: Cluster, spec: ClusterSpec | undefined, ledger: Ledger) => {
  const wanted = spec ? wantedGroups(spec, ledger) : 'unknown';
  const owners = ownersIn(spec);
  const there = new Map((remote.node_groups ?? []).map((group) => [group.name, group]));
  const names = [...new Set([...there.keys(), ...(typeof wanted === 'string' ? [] : wanted.keys())])].sort();
  return names
    .map((name) => {
      const group = there.get(name);
      const desired = typeof wanted === 'string' ? (group?.count ?? 0) : (wanted.get(name)?.count ?? 0);
      const ready = group ? machines(group, remote.status === 'Active') : 0;
      const { name: scaledBy, bounds, decision } = owners.get(name) ?? {};
      // What autoscaling found is also of interest where it left no node.
      const autoscaling = bounds && (decision ?? { reason: 'ClusterNotReady' });
      return settled({ name: cleanWord(name), desired, ready, scaledBy, autoscaling });
    })
    .filter((group) => group.desired > 0 || group.ready > 0 || group.autoscaling !== undefined);
};

/**
 * Machines that exist. Some services list machines that are still to be made, but none has an address before it exists;
 * every machine of an Active cluster exists, and where a service lists none, the count stands in.
 */
const machines = (group: ClusterNodeGroup, active: boolean): number => {
  const listed = group.instances ?? [];
  if (active) return listed.length > 0 ? listed.length : group.count;
  return listed.filter((one) => one.internal_ip !== undefined || one.management_ip !== undefined).length;
};

const endpoints = (remote: Cluster) => {
  const flat = Object.entries(remote.info ?? {}).flatMap(([target, labels]) =>
    Object.entries(labels).map(([name, url]) => ({ target, name, url })),
  );
  return flat.sort((a, b) => (`${a.target}/${a.name}` < `${b.target}/${b.name}` ? -1 : 1));
};

const instances = (remote: Cluster) => {
  const all = (remote.node_groups ?? []).flatMap((group) =>
    (group.instances ?? []).map((one) => ({
      ...one,
      group: group.name,
      name: one.instance_name ?? one.instance_id ?? '',
    })),
  );
  const order = (one: (typeof all)[number]) => `${one.name}/${one.instance_id ?? ''}`;
  const first = all.sort((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, instancesShown);
  return first.map((one) =>
    settled({
      nodeGroup: cleanWord(one.group),
      name: cleanWord(one.name),
      id: cleanWord(one.instance_id),
      internalIP: cleanWord(one.internal_ip),
      managementIP: cleanWord(one.management_ip),
    }),
  );
};
