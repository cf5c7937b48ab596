// How pages of clusters in pods are shown outside, and where they are said to be.
import { describe, expect, test } from 'vitest';
import { nodesOf } from '../../../../../src/service/backends/pods/manifests/layout.ts';
import {
  exposures,
  groupManifests,
  type PublishOptions,
} from '../../../../../src/service/backends/pods/manifests/manifests.ts';
import { networkPolicies } from '../../../../../src/service/backends/pods/manifests/network-policies.ts';
import {
  awaitsBalancer,
  checkExposure,
  hiddenGroups,
  type ServiceObject,
  webManifests,
  webName,
  withOutside,
} from '../../../../../src/service/backends/pods/manifests/web-pages.ts';
import type { ClusterGroupRecord, ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { clusterOf, groupOf, hadoopCluster, settingOf, sparkCluster } from '../clusters/scene.ts';

const publishing = { allowed: exposures, domain: 'data.example.com', className: 'nginx' };
/** The cluster with a service that allows everything. */
const settingFor = (cluster: ClusterRecord, changed: Partial<PublishOptions> = {}) => ({
  ...settingOf(cluster),
  publishing: { ...publishing, ...changed },
});

/** The group `name` of the cluster shows its pages in this way. */
const exposing = (cluster: ClusterRecord, name: string, floating_ip_pool: string): ClusterRecord => ({
  ...cluster,
  node_groups: cluster.node_groups.map((group) => (group.name === name ? { ...group, floating_ip_pool } : group)),
});

test('pages are exposed as floating_ip_pool says, and another word is refused with the remedy', () => {
  const cluster = sparkCluster();
  const exposed = exposing(cluster, 'master', 'NodePort');
  expect(webManifests(cluster, settingFor(cluster))).toEqual([]);
  const [pages, ...none] = webManifests(exposed, settingFor(cluster));
  expect(none).toEqual([]);
  const ports = [{ name: 'master', port: 8080, targetPort: 8080 }];
  expect(pages?.service).toMatchObject({ spec: { type: 'NodePort', ports } });
  // Everybody reaches the page of the master: no other port, and no other pod.
  const matchLabels = { 'dataprocessing.dev/node-group': 'master' };
  expect(pages?.policy).toMatchObject({
    spec: { podSelector: { matchLabels }, ingress: [{ ports: [{ port: 8080, protocol: 'TCP' }] }] },
  });
  expect(networkPolicies(exposed, settingOf(exposed)).map(({ spec }) => spec)).toEqual(
    networkPolicies(cluster, settingOf(cluster)).map(({ spec }) => spec),
  );
  expect(() => checkExposure(exposed, settingFor(exposed))).not.toThrow();
  const [master, ...others] = exposed.node_groups;
  if (master === undefined) throw new Error('no group');
  const wrong = { ...exposed, node_groups: [{ ...master, floating_ip_pool: 'public' }, ...others] };
  expect(() => checkExposure(wrong, settingFor(wrong))).toThrow(
    'group master has floating_ip_pool public: name how its pages are exposed, none, NodePort, LoadBalancer, Ingress, or leave it out',
  );
});

const withHistory = clusterOf('spark', [
  groupOf('head', ['master', 'historyserver', 'namenode'], 1),
  groupOf('workers', ['slave'], 2),
]);

describe('nothing is exposed', () => {
  test.each(exposures)('unless a flag allows %s', (exposure) => {
    const cluster = exposing(sparkCluster(), 'master', exposure);
    const others = exposures.filter((each) => each !== exposure);
    for (const allowed of [[], others]) {
      const setting = settingFor(cluster, { allowed });
      expect(() => checkExposure(cluster, setting)).toThrow(
        `group master has floating_ip_pool ${exposure}: the service exposes nothing by ${exposure}: leave it out, or start the service with --allow-exposure ${exposure}`,
      );
      expect(webManifests(cluster, setting)).toEqual([]);
      expect(hiddenGroups(cluster, setting).map(({ name }) => name)).toEqual(['master']);
    }
    expect(hiddenGroups(cluster, settingFor(cluster))).toEqual([]);
  });

  test.each(exposures)('of what changes data or runs programs, by %s', (exposure) => {
    for (const group of ['head', 'workers']) {
      const cluster = exposing(hadoopCluster(), group, exposure);
      expect(() => checkExposure(cluster, settingFor(cluster))).toThrow(
        /^group \w+ has floating_ip_pool \w+: whoever reaches the pages of \w+ and \w+ can change data or run programs: leave it out, and forward their ports with kubectl port-forward$/,
      );
      expect(webManifests(cluster, settingFor(cluster))).toEqual([]);
    }
  });

  test('of a name node beside a page that is exposed', () => {
    const cluster = exposing(withHistory, 'head', 'LoadBalancer');
    const [pages] = webManifests(cluster, settingFor(cluster));
    const ports = [{ port: 8080 }, { port: 18_080 }];
    expect(pages?.service).toMatchObject({ spec: { ports } });
    expect(pages?.policy).toMatchObject({ spec: { ingress: [{ ports }] } });
  });

  test('that lets somebody change a Spark cluster', () => {
    const cluster = sparkCluster();
    const [master] = cluster.node_groups;
    if (master === undefined) throw new Error('no group');
    const { secret } = groupManifests(cluster, master, settingOf(cluster));
    const lines = String((secret['stringData'] as Record<string, string>)['conf.spark-defaults.conf']).split('\n');
    for (const line of ['spark.ui.killEnabled=false', 'spark.master.ui.decommission.allow.mode=DENY'])
      expect(lines).toContain(line);
  });
});

test('an Ingress has a host name for each page', () => {
  const cluster = exposing(withHistory, 'head', 'Ingress');
  const [pages] = webManifests(cluster, settingFor(cluster));
  expect(pages?.service).toMatchObject({ spec: { type: 'ClusterIP' } });
  const hosts = ['master', 'historyserver'].map((name) =>
    expect.objectContaining({
      host: expect.stringMatching(new RegExp(`^analytics-\\w{10}-head-${name}\\.data\\.example\\.com$`)),
    }),
  );
  expect(pages?.ingress).toMatchObject({ spec: { ingressClassName: 'nginx', rules: hosts } });
  expect(() => checkExposure(cluster, settingFor(cluster))).not.toThrow();
  expect(() => checkExposure(cluster, settingFor(cluster, { domain: undefined }))).toThrow(
    'group head has floating_ip_pool Ingress: start the service with --ingress-domain, or choose NodePort or LoadBalancer',
  );
});

test('a service without a domain leaves an Ingress that is there as it is', () => {
  const cluster = exposing(withHistory, 'head', 'Ingress');
  const setting = settingFor(cluster, { domain: undefined });
  expect(webManifests(cluster, setting).map(({ ingress }) => ingress)).toEqual([undefined]);
});

test('none is no exposure', () => {
  const cluster = exposing(sparkCluster(), 'master', 'none');
  expect(webManifests(cluster, settingFor(cluster))).toEqual([]);
  expect(() => checkExposure(cluster, settingOf(cluster))).not.toThrow();
});

describe('the pages of a cluster', () => {
  const said = (exposure: string, service: Omit<ServiceObject, 'metadata'> = {}) => {
    const cluster = exposing(sparkCluster(), 'master', exposure);
    const setting = settingFor(cluster);
    const [master] = cluster.node_groups;
    if (master === undefined) throw new Error('no group');
    const name = webName(cluster, master);
    const services = [{ metadata: { name, namespace: 'data' }, ...service }];
    const outside = { services, nodeOf: (group: string) => (group === 'master' ? '192.0.2.7' : undefined) };
    const { engine } = setting;
    const nodes = nodesOf(cluster, setting.place);
    const { Spark = {} } = withOutside(engine.pages(nodes), cluster, setting, outside);
    expect(Spark['Web UI']).toBe(`http://${nodes[0]?.address}:8080`);
    return { outside: Spark['Web UI outside'], awaits: awaitsBalancer(cluster, setting, outside) };
  };
  const balanced = (ingress: readonly object[]) => ({ status: { loadBalancer: { ingress } } });

  test.each<readonly [string, Omit<ServiceObject, 'metadata'>, string | undefined, boolean]>([
    ['none', {}, undefined, false],
    ['NodePort', { spec: { ports: [{ port: 8080, nodePort: 30_123 }] } }, 'http://192.0.2.7:30123', false],
    ['NodePort', { spec: { ports: [{ port: 9, nodePort: 30_123 }] } }, undefined, false],
    ['LoadBalancer', balanced([]), undefined, true],
    ['LoadBalancer', balanced([{ ip: '198.51.100.4' }]), 'http://198.51.100.4:8080', false],
    ['LoadBalancer', balanced([{ ip: '2001:db8::1' }]), 'http://[2001:db8::1]:8080', false],
    ['LoadBalancer', balanced([{ hostname: 'lb.example.com' }]), 'http://lb.example.com:8080', false],
  ])('are said to be outside with %s, %j: %s', (exposure, service, outside, awaits) => {
    expect(said(exposure, service)).toEqual({ outside, awaits });
  });

  test('are said to be outside with Ingress', () => {
    expect(said('Ingress').outside).toMatch(/^http:\/\/analytics-\w{10}-master-master\.data\.example\.com$/);
  });
});

/** The group, which counts how often somebody looks at it. */
const watchedGroup = (group: ClusterGroupRecord, look: () => void): ClusterGroupRecord =>
  new Proxy(group, {
    get(target, field) {
      look();
      return Reflect.get(target, field) as unknown;
    },
  });

describe('of a cluster with many groups, no group is compared with each other one', () => {
  const looksAt = (count: number, work: (cluster: ClusterRecord) => unknown): number => {
    let looks = 0;
    const groups = Array.from({ length: count }, (_, index) => groupOf(`Group ${index}`, ['master'], 0));
    const shown = groups.map((group) =>
      watchedGroup({ ...group, floating_ip_pool: 'LoadBalancer' }, () => {
        looks += 1;
      }),
    );
    work(clusterOf('spark', shown));
    return looks;
  };
  const servicesOf = (cluster: ClusterRecord): readonly ServiceObject[] =>
    cluster.node_groups.map((group) => ({
      metadata: { name: webName(cluster, group), namespace: 'data' },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.8' }] } },
    }));
  const nodeOf = () => undefined;

  test.each<readonly [string, (cluster: ClusterRecord) => unknown]>([
    ['its objects are made', (cluster) => webManifests(cluster, settingFor(cluster))],
    [
      'load balancers get addresses',
      (cluster) => awaitsBalancer(cluster, settingFor(cluster), { services: servicesOf(cluster), nodeOf }),
    ],
    [
      'addresses outside are found',
      (cluster) => withOutside({}, cluster, settingFor(cluster), { services: servicesOf(cluster), nodeOf }),
    ],
    ['its policies are made', (cluster) => networkPolicies(cluster, settingFor(cluster))],
  ])('when %s', (_, work) => {
    expect(looksAt(80, work)).toBeLessThanOrEqual(2 * looksAt(40, work));
  });

  test('and each service is looked at once', () => {
    const cluster = clusterOf(
      'spark',
      Array.from({ length: 80 }, (_, index) => ({
        ...groupOf(`Group ${index}`, ['master'], 1),
        floating_ip_pool: 'LoadBalancer',
      })),
    );
    let looks = 0;
    const services = servicesOf(cluster).map((service) => ({
      ...service,
      get metadata() {
        looks += 1;
        return service.metadata;
      },
    }));
    const pages = Object.fromEntries(
      nodesOf(cluster, settingOf(cluster).place).map(({ address }, index) => [
        `Page ${index}`,
        { Web: `http://${address}:8080` },
      ]),
    );
    const shown = withOutside(pages, cluster, settingFor(cluster), { services, nodeOf });
    expect([looks, Object.keys(shown['Page 79'] ?? {})]).toEqual([80, ['Web', 'Web outside']]);
    expect(awaitsBalancer(cluster, settingFor(cluster), { services, nodeOf })).toBe(false);
    expect(looks).toBe(160);
  });
});
