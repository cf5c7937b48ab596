// Who reaches which port of the pods of a cluster, and what they reach. PURE.
import { type EngineProcess, type MetricsPage, randomPorts } from '../../../engines/engine.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import type { Made } from '../api/api.ts';
import { baseName } from '../api/names.ts';
import { pagePortOf } from './containers.ts';
import { templatesIn } from './layout.ts';
import { type ClusterSetting, clusterLabels, labelsOf, type PodPeer, type PolicyPeer } from './manifests.ts';

/** By it, the pods of jobs are told from machines. */
export const jobLabels = { 'app.kubernetes.io/component': 'job' } as const;

const tcp = (port: number, endPort?: number) => ({
  port,
  ...(endPort !== undefined && { endPort }),
  protocol: 'TCP',
});
const inOrder = (ports: readonly number[]): readonly number[] =>
  [...new Set(ports)].toSorted((one, other) => one - other);

/** Pods of DNS services listen at either port, such as those of CoreDNS and of OpenShift. */
const dnsPorts = [53, 5353].flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ port, protocol })));

const podPeer = ({ namespace, labels }: PodPeer) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  podSelector: { matchLabels: labels },
});
const networkPeer = (cidr: string) => ({ ipBlock: { cidr } });

const anyPeer = (peer: PolicyPeer) => (typeof peer === 'string' ? networkPeer(peer) : podPeer(peer));

/** A rule without sources or ports would admit all of them. */
const ingressFrom = (from: readonly object[], ports: readonly number[]): readonly object[] =>
  from.length === 0 || ports.length === 0 ? [] : [{ from, ports: inOrder(ports).map((port) => tcp(port)) }];

const metricsPorts = (served: readonly { readonly metrics?: readonly MetricsPage[] }[]): readonly number[] =>
  served.flatMap(({ metrics = [] }) => metrics.map(({ port }) => port));

const processesIn = ({ node_groups }: ClusterRecord, { engine }: ClusterSetting): readonly EngineProcess[] =>
  engine.processes.filter(({ name }) => node_groups.some(({ node_processes }) => node_processes.includes(name)));

/** The ports at which the service asks the machines how they are. */
function pagePorts(cluster: ClusterRecord, setting: ClusterSetting): readonly number[] {
  const [group] = cluster.node_groups;
  if (group === undefined) return [];
  const node = templatesIn(cluster, setting.place)(group);
  return inOrder(processesIn(cluster, setting).map((process) => pagePortOf(process, node)));
}

/** For machines and jobs. Whatever no rule admits is denied. */
function clusterPolicy(cluster: ClusterRecord, setting: ClusterSetting): Made {
  const { place, reach } = setting;
  const own = { podSelector: { matchLabels: clusterLabels(cluster) } };
  const fixed = inOrder(processesIn(cluster, setting).flatMap(({ ports = [] }) => ports));
  const between = [...fixed.map((port) => tcp(port)), tcp(randomPorts.first, randomPorts.last)];
  const service = reach.service === undefined ? [] : [podPeer(reach.service)];
  const dns = reach.dns.map(anyPeer);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: baseName(cluster), namespace: place.namespace, labels: labelsOf(cluster) },
    spec: {
      podSelector: own.podSelector,
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { from: [own], ports: between },
        ...ingressFrom(service, pagePorts(cluster, setting)),
        ...ingressFrom(reach.scrapers.map(anyPeer), metricsPorts(processesIn(cluster, setting))),
      ],
      egress: [
        { to: [own], ports: between },
        // A rule without destinations would admit all of them.
        ...(dns.length === 0 ? [] : [{ to: dns, ports: dnsPorts }]),
        ...reach.egress.map(({ network, ports }) => ({
          to: [networkPeer(network)],
          ...(ports !== undefined && { ports: [tcp(...ports)] }),
        })),
      ],
    },
  };
}

/** What jobs have beyond that: they get their files from the service, which asks them how far they are. */
function jobsPolicy(cluster: ClusterRecord, { place, engine, reach }: ClusterSetting): Made | undefined {
  const service = reach.service === undefined ? [] : [podPeer(reach.service)];
  const ingress = [
    ...ingressFrom(
      service,
      engine.jobs.flatMap(({ progressPort }) => progressPort ?? []),
    ),
    ...ingressFrom(reach.scrapers.map(anyPeer), metricsPorts(engine.jobs)),
  ];
  if (service.length === 0 && ingress.length === 0) return undefined;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: `${baseName(cluster)}-jobs`, namespace: place.namespace, labels: labelsOf(cluster) },
    spec: {
      podSelector: { matchLabels: { ...clusterLabels(cluster), ...jobLabels } },
      policyTypes: ['Ingress', 'Egress'],
      ingress,
      egress: reach.service === undefined ? [] : [{ to: service, ports: [tcp(reach.service.runnerPort)] }],
    },
  };
}

export const networkPolicies = (cluster: ClusterRecord, setting: ClusterSetting): readonly Made[] =>
  [clusterPolicy(cluster, setting), jobsPolicy(cluster, setting)].filter((policy) => policy !== undefined);
