// The objects of clusters in pods, as they are applied.
import { describe, expect, test } from 'vitest';
import { anyPodOf, nodesOf } from '../../../../../src/service/backends/pods/manifests/layout.ts';
import { groupManifests, headlessService } from '../../../../../src/service/backends/pods/manifests/manifests.ts';
import { findFlavor, usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import { createSpark } from '../../../../../src/service/engines/spark/spark.ts';
import { diskOf, type PodSpec } from '../clusters/pod-disk.ts';
import { clusterOf, flinkCluster, groupOf, hadoopCluster, settingOf, sparkCluster } from '../clusters/scene.ts';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: { readonly memory: string }; readonly requests: object };
  readonly securityContext: object;
  readonly readinessProbe?: { readonly httpGet?: { readonly path: string; readonly port: number } };
}
interface StatefulSetSpec {
  readonly replicas: number;
  readonly template: {
    readonly metadata: object;
    readonly spec: {
      readonly initContainers: readonly Container[];
      readonly containers: readonly Container[];
      readonly affinity?: object;
      readonly volumes: readonly {
        readonly secret?: { readonly items: readonly { readonly key: string; readonly path: string }[] };
      }[];
      readonly securityContext: object;
      readonly automountServiceAccountToken: boolean;
    };
  };
  readonly volumeClaimTemplates: readonly object[];
}

type Clusters = ReturnType<typeof sparkCluster>;

function manifestsOf(cluster: Clusters, name: string, more: Partial<ReturnType<typeof settingOf>> = {}) {
  const group = cluster.node_groups.find((each) => each.name === name);
  if (group === undefined) throw new Error(`no group ${name}`);
  const { secret, statefulSet } = groupManifests(cluster, group, { ...settingOf(cluster), ...more });
  const { secret: _, ...files } = (secret as unknown as { stringData: Record<string, string> }).stringData;
  return { files, secret, statefulSet, spec: (statefulSet as unknown as { spec: StatefulSetSpec }).spec };
}

const both = [
  ['spark', sparkCluster, 'workers'],
  ['hadoop', hadoopCluster, 'workers'],
] as const;

describe.each(both)('a group of %s', (_name, make, group) => {
  test('has the same pods for any number of machines, so scaling restarts none', () => {
    const [small, large] = [manifestsOf(make(1), group), manifestsOf(make(7), group)];
    expect([small.spec.replicas, large.spec.replicas]).toEqual([1, 7]);
    expect(large.spec.template).toEqual(small.spec.template);
    expect(large.files).toEqual(small.files);
  });

  test('meets the restricted Pod Security Standard', () => {
    const { spec } = manifestsOf(make(), group).spec.template;
    const every = [...spec.initContainers, ...spec.containers];
    for (const { securityContext } of every)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(spec.automountServiceAccountToken).toBe(false);
  });

  test('keeps what its machines share out of everything but its Secret', () => {
    const { statefulSet, files } = manifestsOf(make(), group);
    expect(JSON.stringify(statefulSet)).not.toContain('shared-secret');
    expect(Object.keys(files).length).toBeGreaterThan(0);
  });

  test('pulls its images with the given Secrets, and without any by default', () => {
    const cluster = make();
    const pullSecrets = ['registry', 'mirror.example'];
    for (const each of cluster.node_groups) {
      const { statefulSet } = groupManifests(cluster, each, { ...settingOf(cluster), pullSecrets });
      const imagePullSecrets = [{ name: 'registry' }, { name: 'mirror.example' }];
      expect(statefulSet).toMatchObject({ spec: { template: { spec: { imagePullSecrets } } } });
    }
    expect(JSON.stringify(manifestsOf(cluster, group).statefulSet)).not.toContain('imagePullSecrets');
  });

  test('names the files in its Secret by their paths, so that more of them change no other', () => {
    const { spec, files } = manifestsOf(make(), group);
    const { volumes } = spec.template.spec;
    const items = volumes.flatMap(({ secret }) => secret?.items ?? []);
    expect(items.map(({ path }) => path.replaceAll('/', '.'))).toEqual(Object.keys(files));
    expect(items.map(({ key }) => key)).toEqual(Object.keys(files));
  });

  test('has no more memory than its flavor', () => {
    const { containers } = manifestsOf(make(), group).spec.template.spec;
    const sizes = containers.map(({ resources }) => Number.parseInt(resources.limits.memory, 10));
    const sum = sizes.reduce((all, each) => all + each, 0);
    const { memory } = findFlavor(usualFlavors, '2');
    expect(sum).toBeLessThanOrEqual(memory);
    expect(sum).toBeGreaterThan(memory - 10);
  });

  test('writes no more than the disk of its flavor, and requests a tenth of it', () => {
    const { spec } = manifestsOf(make(), group).spec.template;
    const { folders, requests, limits } = diskOf(spec as unknown as PodSpec);
    const { disk } = findFlavor(usualFlavors, '2');
    expect(folders).toEqual([`${disk}Gi`, `${disk}Gi`]);
    const sum = (sizes: readonly (string | undefined)[]) =>
      sizes.slice(1).reduce((all, size) => all + Number(/^(\d+)Mi$/.exec(size ?? '')?.[1]), 0);
    expect([limits[0], sum(limits), sum(requests)]).toEqual(['64Mi', disk * 1024, (disk * 1024) / 10]);
  });

  test('leaves each Java program more memory than its heap', () => {
    for (const { command, resources } of manifestsOf(make(), group).spec.template.spec.containers) {
      const heap = Number(/-Xmx(\d+)m/.exec(command.join(' '))?.[1]);
      expect(Number.parseInt(resources.limits.memory, 10)).toBeGreaterThanOrEqual(heap + 96);
    }
  });
});

test('a pod puts its own name into its command and its files, and knows its head by name', () => {
  const { spec, files } = manifestsOf(hadoopCluster(), 'workers');
  const text = Object.values(files).join('\n');
  const { secret: shared } = settingOf(hadoopCluster()).place;
  const anyPod = anyPodOf(shared);
  expect(text).toMatch(new RegExp(`${anyPod}\\.analytics-[0-9a-f]{10}\\.data\\.svc\\.cluster\\.local:9866`));
  expect(text).toMatch(
    /hdfs:\/\/analytics-[0-9a-f]{10}-head-0\.analytics-[0-9a-f]{10}\.data\.svc\.cluster\.local:8020/,
  );
  const worker = manifestsOf(sparkCluster(), 'workers').spec.template.spec.containers[0];
  expect(worker?.command.join(' ')).toMatch(/--host \$\(POD_NAME\)\.analytics-/);
  expect(JSON.stringify(spec.template)).not.toContain(`${anyPod}.`);
  expect(spec.template.spec.initContainers[0]?.command.join(' ')).toContain(`sed "s/${anyPod}/$POD_NAME/g"`);
  expect(anyPodOf(shared)).toBe(anyPod);
  expect(anyPodOf('another-secret')).not.toBe(anyPod);
});

test('what a user wrote is neither the name of a pod nor a variable', () => {
  const [text, dollars] = ['any-pod-of-this-group', '$$HOME/$(POD_NAME)/$'];
  const cluster = { ...hadoopCluster(), cluster_configs: { MapReduce: { 'mapreduce.job.queuename': text } } };
  const { engine } = settingOf(cluster);
  const processes = engine.processes.map((process) => ({
    ...process,
    command: (...at: Parameters<typeof process.command>) => {
      const { args, ...command } = process.command(...at);
      return { ...command, args: [...args, text, dollars], env: { ...command.env, NOTE: dollars } };
    },
  }));
  const { spec, files } = manifestsOf(cluster, 'workers', { engine: { ...engine, processes } });
  expect(JSON.stringify(files)).toContain(`<value>${text}</value>`);
  expect(spec.template.spec.initContainers[0]?.command.join(' ')).not.toContain(text);
  const [container] = spec.template.spec.containers;
  expect(container?.command.slice(-2)).toEqual([text, '$$$$HOME/$$(POD_NAME)/$$']);
  expect(container?.env).toContainEqual({ name: 'NOTE', value: '$$$$HOME/$$(POD_NAME)/$$' });
});

test.each([hadoopCluster(), sparkCluster()])(
  'its processes are the user by which the service calls HDFS',
  (cluster) => {
    for (const { env } of manifestsOf(cluster, 'workers').spec.template.spec.containers)
      expect(env).toContainEqual({ name: 'HADOOP_USER_NAME', value: 'hadoop' });
  },
);

test('a process that does not answer over HTTP itself is ready when it listens', () => {
  const [worker] = manifestsOf(flinkCluster(), 'workers').spec.template.spec.containers;
  expect(worker?.readinessProbe).toMatchObject({ tcpSocket: { port: 6122 } });
  expect(worker?.readinessProbe).not.toHaveProperty('httpGet');
  const [head] = manifestsOf(flinkCluster(), 'head').spec.template.spec.containers;
  expect(head?.readinessProbe).toMatchObject({ httpGet: { path: '/overview', port: 8081 } });
});

test('a server for queries is ready when it listens for them, and its token is a file of its pod alone', () => {
  const group = groupOf('sql', ['connect'], 1);
  const cluster = clusterOf('spark', [...sparkCluster().node_groups, group]);
  const engine = createSpark({ folder: '/opt/spark', java: '/java', isImage: true });
  const { files, spec } = manifestsOf(cluster, 'sql', { engine });
  expect(spec.template.spec.containers[0]?.readinessProbe).toMatchObject({ tcpSocket: { port: 15_002 } });
  expect(files['connect.token']).toMatch(/^[\da-f]{64}$/);
  expect(JSON.stringify(spec)).not.toContain(files['connect.token']);
  expect(manifestsOf(cluster, 'workers', { engine }).files).not.toHaveProperty('connect.token');
});

test('its processes are checked at the port and path at which they answer', () => {
  const { containers } = manifestsOf(hadoopCluster(), 'head').spec.template.spec;
  const checks = containers.map(({ name, readinessProbe }) => [name, readinessProbe?.httpGet?.port]);
  expect(checks).toEqual([
    ['namenode', 9870],
    ['resourcemanager', 8088],
  ]);
});

test('volumes are claims of the size that the group asks for', () => {
  const group = { ...groupOf('workers', ['datanode'], 2), volumes_per_node: 2, volumes_size: 5 };
  const cluster = clusterOf('vanilla', [groupOf('head', ['namenode'], 1), group]);
  const { volumeClaimTemplates, template } = manifestsOf(cluster, 'workers').spec;
  expect(volumeClaimTemplates).toMatchObject([
    { metadata: { name: 'data0' }, spec: { resources: { requests: { storage: '5Gi' } } } },
    { metadata: { name: 'data1' }, spec: { resources: { requests: { storage: '5Gi' } } } },
  ]);
  expect(template.spec.containers[0]).toMatchObject({
    volumeMounts: expect.arrayContaining([{ name: 'data1', mountPath: '/machine/volumes/1' }]),
  });
});

describe.each([
  ['master', sparkCluster, 'master', '/machine/volumes/0/recovery'],
  ['namenode', hadoopCluster, 'head', '/machine/volumes/0/name'],
])('the state of a %s', (process, make, name, mountPath) => {
  const mount = { name: 'state', mountPath, subPath: process };
  const volume = expect.objectContaining({ name: 'state', emptyDir: expect.anything() });

  test('is in a small volume that outlives its pod, which only this process has', () => {
    const { volumeClaimTemplates, template } = manifestsOf(make(), name, { storageClass: 'fast', stateSize: 3 }).spec;
    expect(volumeClaimTemplates).toMatchObject([
      {
        metadata: { name: 'state', labels: { 'dataprocessing.dev/node-group': name } },
        spec: { storageClassName: 'fast', resources: { requests: { storage: '3Gi' } } },
      },
    ]);
    const mounted = [...template.spec.initContainers, ...template.spec.containers].filter((each) =>
      JSON.stringify(each).includes('"state"'),
    );
    expect(mounted).toMatchObject([{ name: process, volumeMounts: expect.arrayContaining([mount]) }]);
  });

  test('is in the pod if there is no such volume, also in a StatefulSet of an earlier version, which gets none', () => {
    const { volumeClaimTemplates, template } = manifestsOf(make(), name, { stateSize: 0 }).spec;
    expect(volumeClaimTemplates).toEqual([]);
    expect(template).toEqual(manifestsOf(make(), name).spec.template);
    expect(template.spec.volumes).toContainEqual(volume);
  });

  test('is in the first volume of a group that has some', () => {
    const cluster = make();
    const node_groups = cluster.node_groups.map((group) => ({ ...group, volumes_per_node: 1, volumes_size: 5 }));
    const { volumeClaimTemplates, template } = manifestsOf({ ...cluster, node_groups }, name).spec;
    expect(volumeClaimTemplates).toMatchObject([{ metadata: { name: 'data0' } }]);
    expect(JSON.stringify(template)).not.toContain('"state"');
  });
});

test('workers have no state that they need again', () => {
  const { volumeClaimTemplates, template } = manifestsOf(sparkCluster(), 'workers').spec;
  expect([volumeClaimTemplates, JSON.stringify(template).includes('"state"')]).toEqual([[], false]);
});

test('processes of anti_affinity are on different nodes', () => {
  const cluster = { ...sparkCluster(), anti_affinity: ['slave'] };
  const terms = manifestsOf(cluster, 'workers').spec.template.spec.affinity;
  expect(terms).toMatchObject({
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: { matchLabels: { 'process.dataprocessing.dev/slave': 'true' } },
        },
      ],
    },
  });
  expect(manifestsOf(cluster, 'master').spec.template.spec.affinity).toBeUndefined();
});

test('the names of pods come from a Service without an address, also before they are ready', () => {
  expect(headlessService(sparkCluster(), 'data')).toMatchObject({
    spec: { clusterIP: 'None', publishNotReadyAddresses: true },
  });
});

test('machines are known to each other by the names of their pods', () => {
  const cluster = sparkCluster(2);
  const nodes = nodesOf(cluster, settingOf(cluster).place);
  expect(nodes.map(({ address }) => address.split('.')[0])).toEqual(
    ['master-0', 'workers-0', 'workers-1'].map((end) =>
      expect.stringMatching(new RegExp(`^analytics-\\w{10}-${end}$`)),
    ),
  );
});
