// Pods of machines with the settings of their flavor.
import { describe, expect, test } from 'vitest';
import { type OfferedFlavor, parseFlavors } from '../../../../../src/service/backends/flavors-file.ts';
import { groupManifests } from '../../../../../src/service/backends/pods/manifests/manifests.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import type { ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { flinkCluster, hadoopCluster, settingOf, sparkCluster } from '../clusters/scene.ts';
import { full } from './full-pod.ts';

interface Container {
  readonly name: string;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly object[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly resources: { readonly limits: Record<string, string>; readonly requests: Record<string, string> };
}
interface Template {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
  readonly spec: Record<string, unknown> & {
    readonly initContainers: readonly Container[];
    readonly containers: readonly Container[];
    readonly volumes: readonly { readonly name: string; readonly emptyDir?: { readonly sizeLimit: string } }[];
    readonly affinity?: object;
    readonly topologySpreadConstraints?: readonly { readonly labelSelector: object }[];
  };
}

/** The flavor of the machines in the scene, with these settings of pods, as the service reads it. */
function flavored(pod: object | undefined): readonly OfferedFlavor[] {
  const { flavors } = parseFlavors(JSON.stringify({ flavors: { '2': { cores: 2, memoryMiB: 2048, pod } } }));
  return flavors;
}

function templateOf(cluster: ClusterRecord, name: string, flavors: readonly OfferedFlavor[]): Template {
  const group = cluster.node_groups.find((each) => each.name === name);
  if (group === undefined) throw new Error(`no group ${name}`);
  const { statefulSet } = groupManifests(cluster, group, { ...settingOf(cluster), flavors });
  return (statefulSet as unknown as { spec: { template: Template } }).spec.template;
}

const plain = templateOf(hadoopCluster(), 'workers', usualFlavors);
const withPod = (pod: object, cluster = hadoopCluster(), name = 'workers') => templateOf(cluster, name, flavored(pod));

test('a flavor without settings changes nothing of a pod', () => {
  expect(templateOf(hadoopCluster(), 'workers', flavored(undefined))).toEqual(plain);
  expect(withPod({})).toEqual({ ...plain, spec: { ...plain.spec } });
});

describe('a setting is added', () => {
  const { nodeSelector, tolerations, priorityClassName, runtimeClassName } = full;
  test.each([
    [{ nodeSelector, tolerations }],
    [{ priorityClassName }],
    [{ runtimeClassName }],
    [{ serviceAccountName: 'team-a' }],
    [{ serviceAccountName: 'team-a', automountServiceAccountToken: true }],
  ])('to the specification: %j', (pod) => {
    expect(withPod(pod)).toEqual({ ...plain, spec: { ...plain.spec, ...pod } });
  });

  test('to the labels and the annotations, beside those of the service', () => {
    const { metadata, spec } = withPod({ labels: { team: 'a', constructor: 'x' }, annotations: { note: 'text' } });
    expect(metadata).toEqual({
      labels: { team: 'a', constructor: 'x', ...plain.metadata.labels },
      annotations: { note: 'text', ...plain.metadata.annotations },
    });
    expect(spec).toEqual(plain.spec);
  });

  test('to the variables of the containers that do the work, and not to the one that writes their files', () => {
    const { env, envFrom } = full;
    const { containers, initContainers } = withPod({ env, envFrom }).spec;
    expect(initContainers).toEqual(plain.spec.initContainers);
    expect(containers.map((each) => each.env)).toEqual(plain.spec.containers.map((each) => [...each.env, ...env]));
    for (const each of containers) expect(each.envFrom).toEqual(envFrom);
  });

  test('to the volumes, with the disk of the flavor as the bound of those on it', () => {
    const volumes = [
      { name: 'a', emptyDir: {} },
      { name: 'b', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
      { name: 'c', configMap: { name: 'c' } },
    ];
    const { spec } = withPod({ volumes, volumeMounts: [{ name: 'a', mountPath: '/a' }] });
    const bounded = { name: 'a', emptyDir: { sizeLimit: '20Gi' } };
    expect(spec.volumes).toEqual([...plain.spec.volumes, bounded, volumes[1], volumes[2]]);
    expect(spec.containers.map(({ volumeMounts }) => volumeMounts.at(-1))).toEqual(
      plain.spec.containers.map(() => ({ name: 'a', mountPath: '/a' })),
    );
    expect(spec.initContainers).toEqual(plain.spec.initContainers);
  });

  test.each([
    ['hadoop', hadoopCluster(), 'nodemanager'],
    ['spark', sparkCluster(), 'slave'],
    ['flink', flinkCluster(), 'taskmanager'],
  ])('to the devices of one container of %s, that which runs the programs', (_engine, cluster, worker) => {
    const resources = { limits: { 'nvidia.com/gpu': 1 } };
    const { containers } = withPod({ resources }, cluster).spec;
    const having = containers.filter((each) => each.resources.limits['nvidia.com/gpu'] !== undefined);
    expect(having.map(({ name }) => name)).toEqual([worker]);
    const before = templateOf(cluster, 'workers', usualFlavors).spec.containers.find(({ name }) => name === worker);
    const device = { 'nvidia.com/gpu': '1' };
    expect(having[0]?.resources).toEqual({
      limits: { ...before?.resources.limits, ...device },
      requests: { ...before?.resources.requests, ...device },
    });
  });

  test('to the affinity, with the terms of anti_affinity', () => {
    const cluster = { ...sparkCluster(), anti_affinity: ['slave'] };
    const own = templateOf(cluster, 'workers', usualFlavors).spec.affinity as {
      readonly podAntiAffinity: { readonly requiredDuringSchedulingIgnoredDuringExecution: readonly object[] };
    };
    const ownTerms = own.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    const { affinity } = full;
    expect(withPod({ affinity }, cluster).spec.affinity).toEqual({
      ...affinity,
      podAntiAffinity: {
        ...affinity.podAntiAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: [
          ...ownTerms,
          ...affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution,
        ],
      },
    });
    const { nodeAffinity } = affinity;
    expect(withPod({ affinity: { nodeAffinity } }, cluster).spec.affinity).toEqual({ nodeAffinity, ...own });
    expect(withPod({ affinity: { nodeAffinity } }).spec.affinity).toEqual({ nodeAffinity });
    expect(withPod({ affinity }).spec.affinity).toEqual(affinity);
  });

  test('to the constraints: without a selector, the pods of the node group spread', () => {
    const { topologySpreadConstraints: spreads } = full;
    const found = withPod({ topologySpreadConstraints: spreads }).spec.topologySpreadConstraints;
    const { labels } = plain.metadata;
    const matchLabels = Object.fromEntries(
      ['dataprocessing.dev/cluster-id', 'dataprocessing.dev/node-group'].map((key) => [key, labels[key]]),
    );
    expect(found).toEqual([{ ...spreads[0], labelSelector: { matchLabels } }, spreads[1]]);
  });
});

const clusters = [sparkCluster(), hadoopCluster(), flinkCluster()];
const templates = clusters.flatMap((cluster) =>
  cluster.node_groups.map(({ name }) => templateOf(cluster, name, usualFlavors)),
);
const containers = templates.flatMap(({ spec }) => [...spec.initContainers, ...spec.containers]);
const distinct = (texts: readonly string[]) => [...new Set(texts)].toSorted();

describe('no flavor can set what the service sets in a pod:', () => {
  const refused = (pod: object, field: string) => expect(() => flavored(pod)).toThrow(`flavors.2.pod.${field}`);

  test.each(distinct(templates.flatMap(({ metadata }) => Object.keys(metadata.labels))))('label %s', (key) =>
    refused({ labels: { [key]: 'x' } }, `labels[${key}]: `),
  );
  test.each(distinct(templates.flatMap(({ metadata }) => Object.keys(metadata.annotations))))('annotation %s', (key) =>
    refused({ annotations: { [key]: 'x' } }, `annotations[${key}]: `),
  );
  test.each(distinct(containers.flatMap(({ env }) => env.map(({ name }) => name))))('variable %s', (name) =>
    refused({ env: [{ name, value: 'x' }] }, `env.0.name: ${name} cannot be used`),
  );
  test.each(distinct(templates.flatMap(({ spec }) => spec.volumes.map(({ name }) => name))))('volume %s', (name) =>
    refused({ volumes: [{ name, emptyDir: {} }] }, `volumes.0.name: ${name} cannot be used`),
  );
  test.each(distinct(containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ mountPath }) => mountPath))))(
    'folder %s',
    (mountPath) =>
      refused(
        { volumes: [{ name: 'v', emptyDir: {} }], volumeMounts: [{ name: 'v', mountPath }] },
        `volumeMounts.0.mountPath: ${mountPath} cannot be used`,
      ),
  );
});

test('what reaches the pod past the checks changes nothing that the service sets', () => {
  const [first] = plain.spec.containers;
  const hostile = {
    labels: Object.fromEntries(Object.keys(plain.metadata.labels).map((key) => [key, 'x'])),
    annotations: Object.fromEntries(Object.keys(plain.metadata.annotations).map((key) => [key, 'x'])),
    env: (first?.env ?? []).map(({ name }) => ({ name, value: 'x' })),
    resources: { limits: { memory: '1', 'ephemeral-storage': '1' } },
  };
  const flavors = usualFlavors.map((flavor) => ({ ...flavor, pod: hostile }));
  const { metadata, spec } = templateOf(hadoopCluster(), 'workers', flavors);
  expect(metadata).toEqual(plain.metadata);
  expect(spec.containers.find(({ name }) => name === first?.name)?.env).toEqual(first?.env);
  const memory = (of: Template) => of.spec.containers.map(({ resources }) => resources.limits['memory']);
  expect(memory({ metadata, spec })).toEqual(memory(plain));
});
