// The objects of a run in a pod.
import { expect, test } from 'vitest';
import { parseFlavors } from '../../../../../src/service/backends/flavors-file.ts';
import {
  runJob as jobOf,
  type RunSetting,
  runSecret,
} from '../../../../../src/service/backends/pods/jobs/run-manifests.ts';
import { memoryOf } from '../../../../../src/service/backends/runs/job-flavor.ts';
import { diskOf, type PodSpec } from '../clusters/pod-disk.ts';
import { sparkCluster } from '../clusters/scene.ts';

const setting: RunSetting = {
  service: 'service-1',
  execution: '11111111-2222-4333-8444-555555555555',
  namespace: 'data',
  cluster: sparkCluster(),
  image: { reference: 'registry.example/spark:4.1.2', home: '/opt/spark', java: '/java', user: 185, version: '4.1.2' },
  runnerImage: 'registry.example/service:1',
  pullSecrets: [],
  url: 'http://service.services.svc:8387/runs/1',
  token: 'a-secret-token',
  variables: { HADOOP_USER_NAME: 'hadoop' },
  disk: 20,
};
const placeholder = 'address-of-the-run-42';
const command = {
  file: '/java',
  args: ['-Xmx512m', `--host=${placeholder}`, '$(HOME) $$(HOME) $HOME $$ $& address-of-the-run stay'],
  env: { SPARK_LOCAL_IP: placeholder, POD_IP: 'own' },
};
const runJob = (...[given, program]: readonly [RunSetting, typeof command]) => jobOf(given, program, placeholder);

test('Kubernetes tries a run once, and replaces its pod only when that has failed', () => {
  expect(runJob(setting, command)).toMatchObject({
    spec: { backoffLimit: 0, podReplacementPolicy: 'Failed', template: { spec: { restartPolicy: 'Never' } } },
  });
});

test('the port with its metrics has a name, by which a PodMonitor finds it', () => {
  const portsOf = (given: RunSetting) => {
    const job = runJob(given, command) as unknown as {
      spec: { template: { spec: { containers: readonly { ports?: unknown }[] } } };
    };
    return job.spec.template.spec.containers.map(({ ports }) => ports);
  };
  const metrics = [
    { port: 4040, path: '/metrics' },
    { port: 4040, path: '/others' },
  ];
  expect(portsOf({ ...setting, metrics })).toEqual([[{ name: 'prom-4040', containerPort: 4040 }]]);
  expect(portsOf(setting)).toEqual([undefined]);
});

test('its Job waits in its queue, and its pod does not wait once more', () => {
  const queue = { 'kueue.x-k8s.io/queue-name': 'night' };
  const job = runJob({ ...setting, queue: 'night' }, command);
  expect(job.metadata.labels).toMatchObject(queue);
  expect(templateOf({ ...setting, queue: 'night' }).metadata.labels).not.toMatchObject(queue);
  expect(runSecret({ ...setting, queue: 'night' }).metadata.labels).not.toMatchObject(queue);
  expect(JSON.stringify(runJob(setting, command))).not.toContain('kueue');
});

test('it can take any time', () => {
  expect(JSON.stringify(runJob(setting, command))).not.toContain('DeadlineSeconds');
});

test('it writes no more than its disk has', () => {
  const job = runJob(setting, command) as unknown as { spec: { template: { spec: PodSpec } } };
  expect(diskOf(job.spec.template.spec)).toEqual({
    folders: ['20Gi', '20Gi'],
    requests: ['64Mi', '2048Mi'],
    limits: ['64Mi', '20480Mi'],
  });
});

interface Template {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: PodSpec & { readonly initContainers: readonly object[]; readonly containers: readonly object[] };
}
const templateOf = (given: RunSetting): Template =>
  (runJob(given, command) as unknown as { spec: { template: Template } }).spec.template;

test('a run with a flavor has its cores, its memory and its disk, and the settings of its pods', () => {
  const env = [{ name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }];
  const pod = { labels: { team: 'a' }, env, resources: { limits: { 'nvidia.com/gpu': '1' } } };
  const flavor = { id: 'f', name: 'f', cpus: 4, memory: 3000, disk: 7, pod };
  const plain = templateOf(setting);
  const { metadata, spec } = templateOf({ ...setting, disk: 7, flavor });
  expect(metadata.labels).toEqual({ team: 'a', ...plain.metadata.labels });
  expect(spec.containers).toMatchObject([
    {
      env: expect.arrayContaining(env),
      resources: {
        requests: { cpu: '400m', memory: '3000Mi', 'nvidia.com/gpu': '1' },
        limits: { cpu: '4', memory: '3000Mi', 'ephemeral-storage': '7168Mi', 'nvidia.com/gpu': '1' },
      },
    },
  ]);
  expect(spec.initContainers).toEqual(plain.spec.initContainers);
});

test('a run gets nothing of the machines of its cluster, and its params take precedence over its flavor', () => {
  const pod = { env: [{ name: 'POD_IP', value: 'of the flavor' }], serviceAccountName: 'a' };
  const flavor = { id: 'f', name: 'f', cpus: 1, memory: 1024, disk: 20, pod };
  expect(JSON.stringify(templateOf({ ...setting, flavor }))).not.toContain('of the flavor');
  expect(templateOf({ ...setting, flavor }).spec).toMatchObject({ automountServiceAccountToken: false });
});

test.each(['HADOOP_USER_NAME', 'HOME', 'DATAPROCESSING_ADDRESS', 'RUN_URL', 'RUN_TOKEN_FILE', 'RUN_FOLDER'])(
  'no flavor can set the variable %s of a run',
  (name) => {
    const pod = { env: [{ name, value: 'x' }] };
    const file = JSON.stringify({ flavors: { f: { cores: 1, memoryMiB: 1024, pod } } });
    expect(() => parseFlavors(file)).toThrow(`env.0.name: ${name} cannot be used`);
  },
);

test('its token is in its Secret alone, which only the runner reads', () => {
  expect(runSecret(setting)).toMatchObject({ stringData: { token: 'a-secret-token' } });
  const job = JSON.stringify(runJob(setting, command));
  expect(job).not.toContain('a-secret-token');
  expect(job.match(/"mountPath":"\/run\/token"/g)).toHaveLength(1);
});

test('the program gets the address of its pod, and nothing else is expanded', () => {
  expect(runJob(setting, command)).toMatchObject({
    spec: {
      template: {
        spec: {
          containers: [
            {
              command: [
                '/java',
                '-Xmx512m',
                '--host=$(DATAPROCESSING_ADDRESS)',
                // The kubelet takes two dollar signs for one, and expands nothing of it.
                '$$(HOME) $$$$(HOME) $$HOME $$$$ $$& address-of-the-run stay',
              ],
              env: expect.arrayContaining([
                { name: 'SPARK_LOCAL_IP', value: '$(DATAPROCESSING_ADDRESS)' },
                { name: 'POD_IP', value: 'own' },
                { name: 'HADOOP_USER_NAME', value: 'hadoop' },
              ]),
            },
          ],
        },
      },
    },
  });
});

test('its pod belongs to the network of its cluster', () => {
  expect(runJob(setting, command)).toMatchObject({
    spec: { template: { metadata: { labels: { 'dataprocessing.dev/cluster-id': setting.cluster.id } } } },
  });
});

test('a program has more memory than its heap', () => {
  expect(memoryOf({ ...command, args: [] })).toBe(1024);
  expect(memoryOf({ ...command, args: ['-Xmx2g'] })).toBe(2944);
  expect(memoryOf({ ...command, args: ['-Xmx1T'] })).toBe(1_311_104);
  expect(memoryOf({ ...command, args: ['-Xmx2097152k'] })).toBe(2944);
  expect(memoryOf({ ...command, args: ['-Xmx999999999t'] })).toSatisfy(Number.isSafeInteger);
  // Whatever it is, Kubernetes would refuse it as a size.
  for (const word of ['-Xmx99999999999999999999g', '-Xmx1000000000m', '-Xmx0g'])
    expect(memoryOf({ ...command, args: [word] })).toBe(1024);
});

test('both images of its pod are pulled with the given Secrets, and without any by default', () => {
  const imagePullSecrets = [{ name: 'registry' }, { name: 'mirror.example' }];
  const job = runJob({ ...setting, pullSecrets: ['registry', 'mirror.example'] }, command);
  expect(job).toMatchObject({ spec: { template: { spec: { imagePullSecrets } } } });
  expect(JSON.stringify(runJob(setting, command))).not.toContain('imagePullSecrets');
});
