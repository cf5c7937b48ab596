// The objects of a run in a pod.
import { expect, test } from 'vitest';
import {
  runJob as jobOf,
  memoryOf,
  type RunSetting,
  runSecret,
} from '../../../../../src/service/backends/pods/jobs/run-manifests.ts';
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
