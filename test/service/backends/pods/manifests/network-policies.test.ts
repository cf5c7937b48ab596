// Who may reach whom: the policies of clusters, asked about the labels that their pods really have.
import { describe, expect, test } from 'vitest';
import type { Made } from '../../../../../src/service/backends/pods/api/api.ts';
import { runJob } from '../../../../../src/service/backends/pods/jobs/run-manifests.ts';
import { readImages } from '../../../../../src/service/backends/pods/manifests/engine-images.ts';
import {
  type Egress,
  exposures,
  groupManifests,
} from '../../../../../src/service/backends/pods/manifests/manifests.ts';
import { networkPolicies } from '../../../../../src/service/backends/pods/manifests/network-policies.ts';
import { webManifests } from '../../../../../src/service/backends/pods/manifests/web-pages.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import { registry } from '../../../../../src/service/engines/index.ts';
import type { ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { clusterOf, groupOf, hadoopCluster, settingOf } from '../clusters/scene.ts';
import { type Labels, mayReach, type Place } from './reachability.ts';

const namespace = 'data';
const spark = clusterOf('spark', [
  groupOf('master', ['master', 'historyserver', 'namenode'], 1),
  groupOf('workers', ['slave', 'datanode'], 2),
]);
const hadoop: ClusterRecord = { ...hadoopCluster(), id: '7ba7b810-9dad-11d1-80b4-00c04fd430c8', name: 'other' };

const labelsIn = ({ spec }: Made): Labels =>
  (spec as { template: { metadata: { labels: Labels } } }).template.metadata.labels;

function machineOf(cluster: ClusterRecord, name: string): Place {
  const group = cluster.node_groups.find((each) => each.name === name);
  if (group === undefined) throw new Error(`no group ${name}`);
  return { namespace, labels: labelsIn(groupManifests(cluster, group, settingOf(cluster)).statefulSet) };
}

function jobOf(cluster: ClusterRecord): Place {
  const { imageOf } = settingOf(cluster);
  const image = imageOf({} as never);
  const execution = '11111111-2222-4333-8444-555555555555';
  const rest = {
    image,
    runnerImage: 'runner:1',
    pullSecrets: [],
    url: 'http://service',
    token: 'token',
    disk: 1,
    service: undefined,
  };
  const job = runJob({ execution, namespace, cluster, ...rest }, { file: 'java', args: [], env: {} });
  return { namespace, labels: labelsIn(job) };
}

const places = {
  master: machineOf(spark, 'master'),
  worker: machineOf(spark, 'workers'),
  job: jobOf(spark),
  head: machineOf(hadoop, 'head'),
  'hadoop worker': machineOf(hadoop, 'workers'),
  'hadoop job': jobOf(hadoop),
  service: { namespace: 'services', labels: { 'app.kubernetes.io/name': 'dataprocessing-service' } },
  'its double': { namespace, labels: { 'app.kubernetes.io/name': 'dataprocessing-service' } },
  stranger: { namespace, labels: { app: 'web' } },
  dns: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  'its neighbor': { namespace: 'kube-system', labels: { app: 'metrics' } },
  'node cache': { address: '169.254.20.10' },
  s3: { address: '10.1.2.3' },
  'another s3': { address: '10.2.2.3' },
  internet: { address: '203.0.113.7' },
  metadata: { address: '169.254.169.254' },
} satisfies Readonly<Record<string, Place>>;
type Name = keyof typeof places;

const egress: readonly Egress[] = [
  { network: '10.1.0.0/16', ports: undefined },
  { network: '10.2.0.0/16', ports: [443] },
  { network: '10.2.0.0/16', ports: [8000, 8999] },
];
const settingFor = (cluster: ClusterRecord) => {
  const { reach, ...setting } = settingOf(cluster);
  return { ...setting, reach: { ...reach, dns: [...reach.dns, '169.254.20.10/32'], egress } };
};
const policies = [spark, hadoop].flatMap((cluster) => networkPolicies(cluster, settingFor(cluster)));
const reaches = (from: Name, to: Name, port: string) => mayReach(policies, places[from], places[to], port);

/** From, to, the ports that are admitted, and some that are not. Every other pair reaches nothing. */
const table: readonly (readonly [Name, Name, admitted: string, denied: string])[] = [
  // Spark: workers and drivers register with the master, which answers at the port of the worker. Executors and drivers listen at random ports.
  ['worker', 'master', '7077 8020 9870 40000', '8080 18080 22 8387 6066'],
  ['master', 'worker', '7078 9866 33000', '8081 22'],
  ['worker', 'worker', '7078 9866 9867 32768 60999', '8081 32767 61000 4040'],
  ['job', 'master', '7077 8020 40000', '8080 18080 6066 22'],
  ['job', 'worker', '9866 9864 40000', '8081 22'],
  ['worker', 'job', '32768 60999', '4040 80'],
  ['master', 'job', '40000', '4040 80'],
  ['job', 'job', '40000', '4040 80'],
  // Hadoop.
  ['hadoop worker', 'head', '8020 9870 8030 8031 40000', '8088 8033 22'],
  ['head', 'hadoop worker', '8041 9866 40000', '8042 22'],
  ['hadoop worker', 'hadoop worker', '8041 9866 9867 40000', '8042 22'],
  ['hadoop job', 'head', '8020 8032 9870', '8088 8033'],
  ['hadoop job', 'hadoop worker', '9866 9864 40000', '8042'],
  ['hadoop worker', 'hadoop job', '40000', '80'],
  ['head', 'hadoop job', '40000', '80'],
  ['hadoop job', 'hadoop job', '40000', '80'],
  ['head', 'head', '8020 40000', '22'],
  ['master', 'master', '7077 40000', '22'],
  // The service asks the pages, and the drivers how far they are.
  ['service', 'master', '8080 18080 9870', '7077 40000 8020 22'],
  ['service', 'worker', '8081 9864', '7078 40000 22'],
  ['service', 'job', '4040', '40000 80'],
  ['service', 'head', '9870 8088', '8020 8032 40000'],
  ['service', 'hadoop worker', '9864 8042', '9866 8041 40000'],
  ['service', 'hadoop job', '9870', '40000 4041'],
  // Jobs get their files and permits. Machines ask nothing of the service.
  ['job', 'service', '8387', '8386 80'],
  ['hadoop job', 'service', '8387', '8386 80'],
];
const own: readonly Name[] = ['master', 'worker', 'job', 'head', 'hadoop worker', 'hadoop job'];
const ports = '22 53 80 443 4040 7077 7078 8020 8080 8081 8088 8386 8387 9864 9870 18080 40000'.split(' ');

describe('who may reach whom', () => {
  test.each(table)('%s reaches %s at %s, and not at %s', (from, to, admitted, denied) => {
    for (const port of admitted.split(' ')) expect([port, reaches(from, to, port)]).toEqual([port, true]);
    for (const port of denied.split(' ')) expect([port, reaches(from, to, port)]).toEqual([port, false]);
  });

  test.each(own)('%s resolves names, reaches what is allowed outside, and nothing else', (from) => {
    for (const to of ['dns', 'node cache'] as const) {
      for (const port of ['53/UDP', '53/TCP']) expect(reaches(from, to, port)).toBe(true);
      for (const port of ['80', '443', '9153']) expect(reaches(from, to, port)).toBe(false);
    }
    for (const port of ['443', '8999', '22', '53/UDP']) expect(reaches(from, 's3', port)).toBe(true);
    for (const port of ['443', '8000', '8999']) expect(reaches(from, 'another s3', port)).toBe(true);
    for (const port of ['80', '9000', '443/UDP']) expect(reaches(from, 'another s3', port)).toBe(false);
    for (const to of ['internet', 'metadata', 'its neighbor', 'stranger', 'its double'] as const)
      for (const port of [...ports, '53/UDP']) expect([to, port, reaches(from, to, port)]).toEqual([to, port, false]);
  });

  test('no other pair of them reaches anything', () => {
    const named = new Set(table.map(([from, to]) => `${from} > ${to}`));
    const all = Object.keys(places) as Name[];
    const pairs = all.flatMap((from) => own.map((to) => [from, to] as const));
    const wrong = pairs
      .filter(([from, to]) => !named.has(`${from} > ${to}`))
      .flatMap(([from, to]) =>
        ports.filter((port) => reaches(from, to, port)).map((port) => `${from} > ${to}: ${port}`),
      );
    expect(wrong).toEqual([]);
    for (const from of ['master', 'worker', 'head', 'hadoop worker'] as const)
      expect([from, ports.filter((port) => reaches(from, 'service', port))]).toEqual([from, []]);
  });

  test('everybody reaches a page that is exposed, and only that', () => {
    const node_groups = spark.node_groups.map((group) => ({ ...group, floating_ip_pool: 'NodePort' }));
    const publishing = { allowed: exposures, domain: undefined, className: undefined };
    const web = webManifests({ ...spark, node_groups }, { ...settingFor(spark), publishing });
    const all = [...policies, ...web.map(({ policy }) => policy)];
    const open = (from: Name, to: Name) => ports.filter((port) => mayReach(all, places[from], places[to], port));
    for (const from of ['internet', 'stranger'] as const)
      expect([open(from, 'master'), open(from, 'worker'), open(from, 'job'), open(from, 'head')]).toEqual([
        ['8080', '18080'],
        ['8081'],
        [],
        [],
      ]);
  });

  test('a service elsewhere changes nothing for others, and without a DNS service there are no names', () => {
    const { reach, ...setting } = settingOf(spark);
    const few = networkPolicies(spark, { ...setting, reach: { ...reach, service: undefined, dns: [] } });
    const reached = (to: Name, port: string) => mayReach(few, places.job, places[to], port);
    expect([reached('service', '8387'), reached('dns', '53/UDP'), reached('master', '7077')]).toEqual([
      false,
      false,
      true,
    ]);
    expect(mayReach(few, places.service, places.master, '8080')).toBe(false);
  });
});

describe('with metrics', () => {
  const scraper = { namespace: 'monitoring', labels: { 'app.kubernetes.io/name': 'prometheus' } };
  const engineWith = (cluster: ClusterRecord, metrics: boolean) => {
    const [entry] = registry.filter(({ plugin }) => plugin === cluster.plugin_name);
    const [offered] = entry?.inImage(readImages(undefined), usualFlavors, metrics) ?? [];
    if (offered === undefined) throw new Error('there is no such engine');
    return offered.engine;
  };
  const policiesOf = (cluster: ClusterRecord, metrics: boolean) => {
    const setting = settingOf(cluster);
    return networkPolicies(cluster, {
      ...setting,
      engine: engineWith(cluster, metrics),
      reach: { ...setting.reach, scrapers: [scraper] },
    });
  };
  const admitted = (policy: Made | undefined) => {
    const { ingress } = (policy as unknown as { spec: { ingress: { from: object[]; ports?: { port: number }[] }[] } })
      .spec;
    return ingress
      .filter(({ from }) => JSON.stringify(from).includes('"monitoring"'))
      .map(({ ports = [] }) => ports.map(({ port }) => port));
  };

  test('Prometheus reaches the pages with metrics of what the cluster has, and those of drivers', () => {
    const [machines, jobs] = policiesOf(spark, true);
    expect([admitted(machines), admitted(jobs)]).toEqual([[[8080, 8081, 9864, 9870]], [[4040]]]);
    const [heads, others] = policiesOf(hadoop, true);
    expect([admitted(heads), admitted(others)]).toEqual([[[8042, 8088, 9864, 9870]], []]);
  });

  test('the ports of machines with metrics have names, and others have none', () => {
    const portsOf = (metrics: boolean) => {
      const [group] = spark.node_groups;
      if (group === undefined) throw new Error('there is no group');
      const { statefulSet } = groupManifests(spark, group, { ...settingOf(spark), engine: engineWith(spark, metrics) });
      const { template } = statefulSet['spec'] as {
        template: { spec: { containers: readonly { ports: readonly object[] }[] } };
      };
      return template.spec.containers.flatMap(({ ports: own }) => own);
    };
    expect(portsOf(true)).toEqual([
      { name: 'prom-8080', containerPort: 8080 },
      { name: 'prom-9870', containerPort: 9870 },
      { containerPort: 18_080 },
    ]);
    expect(portsOf(false)).toEqual([{ containerPort: 8080 }, { containerPort: 9870 }, { containerPort: 18_080 }]);
  });

  test('it reaches nothing that serves none', () => {
    const [machines, jobs] = policiesOf(spark, false);
    expect([admitted(machines), admitted(jobs)]).toEqual([[], []]);
  });
});
