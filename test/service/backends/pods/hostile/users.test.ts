// What users write never gets them more than their flavor gives: it is refused, or their pods are the same as without it.
import { beforeEach, describe, expect, test } from 'vitest';
import { clusterOf, openJobs } from './scene.ts';

const long = 'x'.repeat(300);
const mainClass = { 'edp.java.main_class': 'Main' };

type Row = readonly [what: string, fields: object];
const settings = (values: Readonly<Record<string, string>>): readonly Row[] =>
  Object.entries(values).map(([name, value]) => [`${name}: ${value}`.slice(0, 90), { configs: { [name]: value } }]);
const valuesOf = (name: string, values: readonly string[]): readonly Row[] =>
  values.flatMap((value) => settings({ [name]: value }));

const ofSpark: readonly Row[] = [
  ...valuesOf('edp.flavor', ['theirs', '../2', '2 ', '2\n', '__proto__', 'constructor', '', long, '{"cores": 64}']),
  ...valuesOf('edp.queue', ['other', 'night,other', 'night ', 'NIGHT', '../night', long]),
  ...settings({
    'edp.flavor.pod.labels.team': 'b',
    'edp.flavor.pod': '{"hostNetwork": true}',
    'edp.pod.hostNetwork': 'true',
    'edp.queue.name': 'other',
    'kueue.x-k8s.io/queue-name': 'other',
    'dataprocessing.dev/cluster-id': 'of-another-one',
    [`spark.${long}`]: 'x',
    'spark.master': 'k8s://https://kubernetes.default.svc',
    'spark.submit.deployMode': 'cluster',
    'spark.local.dir': '/run/token',
    'spark.jars': 'file:///run/token/token',
    'spark.jars.packages': 'org.example:example:1',
    'spark.driver.extraClassPath': '/run/token',
    'spark.driver.memory': '100g',
    'spark.driver.cores': '64',
    'spark.driver.memoryOverhead': '64g',
    'spark.driver.resource.gpu.amount': '8',
    'spark.executor.memory': '100g',
    'spark.executor.cores': '64',
    'spark.executor.resource.gpu.amount': '8',
  }),
  ...settings({
    'spark.kubernetes.namespace': 'kube-system',
    'spark.kubernetes.container.image': 'evil',
    'spark.kubernetes.scheduler.name': 'evil',
    'spark.kubernetes.node.selector.pool': 'gpu',
    'spark.kubernetes.authenticate.driver.serviceAccountName': 'admin',
    'spark.kubernetes.driver.podTemplateFile': '/etc/passwd',
    'spark.kubernetes.driver.label.team': 'b',
    'spark.kubernetes.driver.annotation.note': 'b',
    'spark.kubernetes.driver.request.cores': '64',
    'spark.kubernetes.driver.limit.cores': '64',
    'spark.kubernetes.driver.secrets.keys': '/keys',
    'spark.kubernetes.driver.secretKeyRef.KEY': 'keys:key',
    'spark.kubernetes.driverEnv.LD_PRELOAD': '/x.so',
    'spark.kubernetes.driver.volumes.hostPath.root.mount.path': '/host',
    'spark.kubernetes.driver.volumes.hostPath.root.options.path': '/',
    'spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.claimName': 'theirs',
    'spark.kubernetes.executor.podTemplateFile': '/etc/passwd',
  }),
  ...['driver.extraJavaOptions', 'driver.defaultJavaOptions'].flatMap((name) =>
    valuesOf(`spark.${name}`, ['-Xmx100g', '-XX:MaxRAMPercentage=100', '-javaagent:/x.jar', '@/run/token/token']),
  ),
  ...valuesOf('spark.executor.extraJavaOptions', ['-Xmx100g', '--add-opens', '-Dspark.master=local', '-cp /x']),
];

const ofScripts: readonly Row[] = [
  ...['DATAPROCESSING_ADDRESS', 'UID', 'edp.flavor', 'A=B', 'a b', '', 'A\n', `${long} `].map(
    (name): Row => [`params ${JSON.stringify(name)}`.slice(0, 60), { params: { [name]: 'x' } }],
  ),
  ...settings({ 'spark.driver.memory': '1g', 'pod.hostNetwork': 'true' }),
];

/** What is beside the settings of an execution. */
const besides: readonly object[] = [
  { labels: { team: 'b' } },
  { flavor_id: 'theirs' },
  { pod: { hostNetwork: true } },
  { queue: 'other' },
  { node_selector: { pool: 'gpu' } },
];

describe('a job', () => {
  let execute: Awaited<ReturnType<typeof openJobs>>;
  beforeEach(async () => {
    execute = await openJobs();
  });

  test.each([{ 'edp.flavor': '3' }, { 'edp.queue': 'night' }])(
    'with %j, which it can have, differs',
    async (configs) => {
      const plain = await execute('Spark', { configs: mainClass });
      const outcome = await execute('Spark', { configs: { ...mainClass, ...configs } });
      expect(outcome).toEqual({ pods: [expect.anything()] });
      expect(outcome).not.toEqual(plain);
    },
  );

  test.each(ofSpark)('of Spark with %s', async (_what, fields) => {
    const plain = await execute('Spark', { configs: mainClass });
    expect(plain).toEqual({ pods: [expect.anything()] });
    const { configs } = { configs: {}, ...fields };
    const outcome = await execute('Spark', { configs: { ...mainClass, ...configs } });
    if (!('refused' in outcome)) expect(outcome).toEqual(plain);
  });

  test.each(ofScripts)('of Shell with %s is refused', async (_what, fields) => {
    expect(await execute('Shell', fields)).toEqual({ refused: expect.any(String) });
  });

  test.each(besides)('with the field %j beside its settings', async (fields) => {
    const outcome = await execute('Spark', { configs: mainClass }, fields);
    if (!('refused' in outcome)) expect(outcome).toEqual(await execute('Spark', { configs: mainClass }));
    const inside = await execute('Spark', { configs: mainClass, ...fields });
    if (!('refused' in inside)) expect(inside).toEqual(await execute('Spark', { configs: mainClass }));
  });
});

const ofGroups: readonly object[] = [
  ...['theirs', '../2', '2 ', '', '__proto__', long, { cores: 64 }, null].map((flavor_id) => ({ flavor_id })),
  ...[long, '../x', 'a b', 'a/b', 'x\n', '-x', 'x-'].map((name) => ({ name })),
  { labels: { team: 'b' } },
  { annotations: { 'container.apparmor.security.beta.kubernetes.io/slave': 'unconfined' } },
  { tolerations: [{ operator: 'Exists' }] },
  { nodeSelector: { pool: 'gpu' } },
  { hostNetwork: true },
  { service_account: 'admin' },
  { env: [{ name: 'LD_PRELOAD', value: '/x.so' }] },
  { volumes: [{ name: 'root', hostPath: { path: '/' } }] },
  { pod: { hostPID: true } },
  { security_groups: ['privileged'] },
  { auto_security_group: true },
  { availability_zone: 'gpu' },
  { image_id: 'evil' },
  { is_proxy_gateway: true },
  { node_processes: ['slave', 'privileged'] },
  { node_processes: ['slave', 'slave'] },
  { floating_ip_pool: 'LoadBalancer' },
  { floating_ip_pool: 'hostNetwork' },
  { volume_mount_prefix: '/../etc' },
  { node_configs: { Kubernetes: { labels: 'team=b' } } },
  { node_configs: { Spark: { 'spark.kubernetes.driver.label.team': 'b' } } },
  { node_configs: { Spark: { 'Worker Heap Size': 100_000 } } },
  { node_configs: { Spark: { 'Worker cores': '64' } } },
  { node_configs: { Spark: { 'Worker memory': '500g' } } },
  { node_configs: { Spark: { 'Worker cores': 'all; rm -rf /' } } },
  { node_configs: { Spark: { 'Worker memory': '1g --work-dir /' } } },
];

const ofClusters: readonly object[] = [
  ...[long, 'a/b', '../x', 'x\n', ''].map((name) => ({ name })),
  { default_image_id: 'registry.example/evil:1' },
  { labels: { team: 'b' } },
  { pod: { hostNetwork: true } },
  { cluster_configs: { Kubernetes: { hostNetwork: true } } },
  ...['-Xmx100g', '-javaagent:/x.jar', '@/run/token'].map((options) => ({
    cluster_configs: { Spark: { 'spark.driver.extraJavaOptions': options } },
  })),
  { cluster_configs: { Spark: { 'spark.kubernetes.namespace': 'kube-system' } } },
  { cluster_configs: { Spark: { 'spark.executor.memory': '100g --x' } } },
];

describe('a machine', () => {
  let plain: Awaited<ReturnType<typeof clusterOf>> | undefined;
  beforeEach(async () => {
    plain ??= await clusterOf((body) => body);
    expect(plain).toEqual({ pods: [expect.any(Object), expect.any(Object)] });
  });

  test('with a larger flavor that it can have differs', async () => {
    const outcome = await clusterOf(({ node_groups: [master, worker], ...body }) => ({
      ...body,
      node_groups: [master, { ...worker, flavor_id: '3' }],
    }));
    expect(outcome).toEqual({ pods: [expect.any(Object), expect.any(Object)] });
    expect(outcome).not.toEqual(plain);
  });

  test.each(ofGroups)('whose group has %j', async (fields) => {
    const outcome = await clusterOf(({ node_groups: [master, worker], ...body }) => ({
      ...body,
      node_groups: [master, { ...worker, ...fields }],
    }));
    if (!('refused' in outcome)) expect(outcome).toEqual(plain);
  });

  test.each(ofClusters)('whose cluster has %j', async (fields) => {
    const outcome = await clusterOf((body) => ({ ...body, ...fields }));
    if (!('refused' in outcome)) expect(outcome).toEqual(plain);
  });
});
