// How pages of clusters in pods are shown outside, and where they are said to be.
import { describe, expect, test } from 'vitest';
import { nodesOf } from '../../../../src/service/kubernetes/manifests/layout.ts';
import { networkPolicy } from '../../../../src/service/kubernetes/manifests/manifests.ts';
import {
  awaitsBalancer,
  checkExposure,
  type ServiceObject,
  webManifests,
  webName,
  withOutside,
} from '../../../../src/service/kubernetes/manifests/web-pages.ts';
import type { ClusterRecord } from '../../../../src/service/records/records.ts';
import { hadoopCluster, settingOf, sparkCluster } from '../scene.ts';

const nowhere = { domain: undefined, className: undefined };
const publishing = { domain: 'data.example.com', className: 'nginx' };

/** The group `name` of the cluster shows its pages in this way. */
const exposing = (cluster: ClusterRecord, name: string, floating_ip_pool: string): ClusterRecord => ({
  ...cluster,
  node_groups: cluster.node_groups.map((group) => (group.name === name ? { ...group, floating_ip_pool } : group)),
});

test('pages are exposed as floating_ip_pool says, and another word is refused with the remedy', () => {
  const cluster = sparkCluster();
  const exposed = exposing(cluster, 'master', 'NodePort');
  expect(webManifests(cluster, settingOf(cluster))).toEqual([]);
  const [pages, ...none] = webManifests(exposed, settingOf(cluster));
  expect(none).toEqual([]);
  const ports = [{ name: 'master', port: 8080, targetPort: 8080 }];
  expect(pages?.service).toMatchObject({ spec: { type: 'NodePort', ports } });
  // Everybody reaches the page of the master: no other port, and no other pod.
  const matchLabels = { 'dataprocessing.dev/node-group': 'master' };
  expect(pages?.policy).toMatchObject({
    spec: { podSelector: { matchLabels }, ingress: [{ ports: [{ port: 8080, protocol: 'TCP' }] }] },
  });
  expect(networkPolicy(exposed, settingOf(exposed))['spec']).toEqual(
    networkPolicy(cluster, settingOf(cluster))['spec'],
  );
  expect(() => checkExposure(exposed, nowhere)).not.toThrow();
  const [master, ...others] = exposed.node_groups;
  if (master === undefined) throw new Error('no group');
  const wrong = { ...exposed, node_groups: [{ ...master, floating_ip_pool: 'public' }, ...others] };
  expect(() => checkExposure(wrong, nowhere)).toThrow(
    'group master has floating_ip_pool public: name how its pages are exposed, none, NodePort, LoadBalancer, Ingress, or leave it out',
  );
});

test('an Ingress has a host name for each page', () => {
  const cluster = exposing(hadoopCluster(), 'head', 'Ingress');
  const [pages] = webManifests(cluster, { ...settingOf(cluster), publishing });
  expect(pages?.service).toMatchObject({ spec: { type: 'ClusterIP' } });
  const hosts = ['namenode', 'resourcemanager'].map((name) =>
    expect.objectContaining({
      host: expect.stringMatching(new RegExp(`^analytics-\\w{10}-head-${name}\\.data\\.example\\.com$`)),
    }),
  );
  expect(pages?.ingress).toMatchObject({ spec: { ingressClassName: 'nginx', rules: hosts } });
  expect(() => checkExposure(cluster, publishing)).not.toThrow();
  expect(() => checkExposure(cluster, nowhere)).toThrow(
    'group head has floating_ip_pool Ingress: start the service with --ingress-domain, or choose NodePort or LoadBalancer',
  );
});

test('a service without a domain leaves an Ingress that is there as it is', () => {
  const cluster = exposing(hadoopCluster(), 'head', 'Ingress');
  expect(webManifests(cluster, settingOf(cluster)).map(({ ingress }) => ingress)).toEqual([undefined]);
});

test('none is no exposure', () => {
  const cluster = exposing(sparkCluster(), 'master', 'none');
  expect(webManifests(cluster, settingOf(cluster))).toEqual([]);
  expect(() => checkExposure(cluster, nowhere)).not.toThrow();
});

describe('the pages of a cluster', () => {
  const said = (exposure: string, service: Omit<ServiceObject, 'metadata'> = {}) => {
    const cluster = exposing(sparkCluster(), 'master', exposure);
    const setting = { ...settingOf(cluster), publishing };
    const [master] = cluster.node_groups;
    if (master === undefined) throw new Error('no group');
    const name = webName(cluster, master);
    const services = [{ metadata: { name, namespace: 'data' }, ...service }];
    const outside = { services, nodeOf: (group: string) => (group === 'master' ? '192.0.2.7' : undefined) };
    const { engine } = setting;
    const nodes = nodesOf(cluster, setting.place);
    const { Spark = {} } = withOutside(engine.pages(nodes), cluster, setting, outside);
    expect(Spark['Web UI']).toBe(`http://${nodes[0]?.address}:8080`);
    return { outside: Spark['Web UI outside'], awaits: awaitsBalancer(cluster, outside) };
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
