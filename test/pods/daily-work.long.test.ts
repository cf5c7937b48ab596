// What teams do every day, in pods: flavors with Secrets, packages of a job, metrics, and queries over Spark Connect.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Pod, V1Secret } from '@kubernetes/client-node';
import { beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { findConnectClient } from '../../dev/engines/connect-client.ts';
import { lookNear } from '../../src/service/engines/homes/find.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { base } from '../contract/sections/jobs/section-4-6-support.ts';
import { blocksIn, readPage } from '../e2e/support/documents.ts';
import { findMavenRepository } from '../engines/maven-repository.ts';
import { serveIndex } from '../engines/spark/python-index.ts';
import { wheelOf } from '../engines/spark/wheels.ts';
import {
  comes,
  createCluster,
  createJob,
  readLog,
  readRun,
  removeCluster,
  run,
  type Scene,
  untilActive,
  untilEnded,
} from '../engines/support.ts';
import { cluster, create, createNamespace, execute } from './support/cluster.ts';
import { findObstacle, importEngines, leftInPods, openPodScene, sparkInPods } from './support/engine-pods.ts';
import { forwardUrl } from './support/forward.ts';

const obstacle = findObstacle();
const spark = lookNear(sparkSource, process.env);
const avro = { path: 'org/apache/spark/spark-avro_2.13/4.1.1', coordinates: 'org.apache.spark:spark-avro_2.13:4.1.1' };

const warehouse = { name: 'warehouse', password: 'correct-horse-4711', certificate: 'certificate of the warehouse' };

const flavors = {
  flavors: {
    '2': { cores: 2, memoryMiB: 2048, pod: { labels: { 'example.com/cost-center': '4711' } } },
    'with-database': {
      cores: 1,
      memoryMiB: 2048,
      pod: {
        labels: { 'example.com/cost-center': '4712' },
        env: [{ name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: warehouse.name, key: 'password' } } }],
        volumes: [{ name: 'ca', secret: { secretName: warehouse.name, items: [{ key: 'ca.crt', path: 'ca.crt' }] } }],
        volumeMounts: [{ name: 'ca', mountPath: '/etc/warehouse', readOnly: true }],
      },
    },
  },
};

/** Ends when the test has seen enough of it. The password itself is in no output. */
const program = `import os, sys, time
from pyspark.sql import SparkSession
import greeting

def work(index):
    import greeting
    return greeting.word

spark = SparkSession.builder.getOrCreate()
print('password of', len(os.environ['DB_PASSWORD']), 'letters')
print(open('/etc/warehouse/ca.crt').read())
print('executor', spark.sparkContext.parallelize(['executor'], 1).map(work).collect()[0])
if len(sys.argv) > 1:
    from pyspark.sql.avro.functions import to_avro
    print('avro of', len(spark.range(5).select(to_avro('id')).collect()), 'rows')
sys.stdout.flush()
while not os.path.exists('/tmp/seen'):
    time.sleep(0.1)
`;

/** A cluster with a server for queries, and the folder of the test. */
async function open(context: TestContext, repository: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'daily-work-'));
  context.onTestFinished(() => rmSync(folder, { recursive: true }));
  const index = await serveIndex([wheelOf(folder, 'listed', "word = 'hello from the index'\n")]);
  const file = join(folder, 'flavors.yaml');
  writeFileSync(file, JSON.stringify(flavors));
  const namespace = await createNamespace(context);
  const { name, password, certificate } = warehouse;
  await create<V1Secret>({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    stringData: { password, 'ca.crt': certificate },
  });
  const packages = repository === undefined ? [] : ['--maven-repository', repository];
  const more = ['--python-index', index.url, ...packages];
  const scene = await openPodScene(namespace, ['--flavors-file', file, '--engine-metrics', ...more]);
  const { groups, ...rest } = sparkInPods(1);
  const connect = { name: 'connect', count: 1, node_processes: ['connect'] };
  const id = await createCluster(scene.peer(), { ...rest, groups: [...groups, connect] });
  return { folder, namespace, scene, id, info: (await untilActive(scene, id)).info };
}

async function podOfGroup(namespace: string, group: string): Promise<V1Pod> {
  const labelSelector = `dataprocessing.dev/node-group=${group}`;
  const [pod] = (await cluster().core.listNamespacedPod({ namespace, labelSelector })).items;
  if (pod === undefined) throw new Error(`group ${group} has no pod`);
  return pod;
}

/** Reads pages from inside of a pod: those of drivers are at the address of their pod alone. */
function scraperIn(namespace: string, { metadata, spec }: V1Pod): (url: string) => Promise<string> {
  const place = { namespace, pod: metadata?.name ?? '', container: spec?.containers[0]?.name ?? '' };
  const program = 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())';
  return (url) => execute(place, ['python3', '-c', program, url]);
}

/** Queries the server as the documentation says, with the token of the cluster. */
async function queryOver(endpoint: string, namespace: string, folder: string): Promise<string> {
  const client = await findConnectClient(spark?.folder ?? '', (line) => {
    throw new Error(line);
  });
  const { items } = await cluster().objects.list<V1Secret>('v1', 'Secret', namespace);
  const tokens = items.flatMap(({ data }) => data?.['connect.token'] ?? []);
  expect(tokens).toHaveLength(1);
  const file = join(folder, 'connect.token');
  writeFileSync(file, Buffer.from(tokens[0] ?? '', 'base64'));
  const [query = ''] = blocksIn(readPage('docs/how-to/bundled-service/interactive.md'), 'python');
  const local = await forwardUrl(endpoint.replace('sc:', 'http:'));
  return (await client?.(query, [local.replace('http:', 'sc:').replace(/\/$/, ''), file])) ?? '';
}

/** The pods with this label of a flavor. */
async function podsWith(namespace: string, costCenter: string) {
  const labelSelector = `example.com/cost-center=${costCenter}`;
  return (await cluster().core.listNamespacedPod({ namespace, labelSelector })).items;
}

/** A run with the flavor of the password, a wheel and, where there is a repository, a package of it. */
async function startRun(scene: Scene, id: string, folder: string, coordinates: string | undefined): Promise<string> {
  const wheel = wheelOf(folder, 'greeting', "word = 'hello from a wheel'\n");
  const job = await createJob(scene.peer(), 'Spark', { name: 'daily.py', bytes: program }, [wheel]);
  const configs = { 'edp.flavor': 'with-database', 'edp.python.requirements': wheel.name };
  return coordinates === undefined
    ? run(scene.peer(), job, id, { configs })
    : run(scene.peer(), job, id, { configs: { ...configs, 'spark.jars.packages': coordinates }, args: ['avro'] });
}

const listedProgram = `from pyspark import SparkContext

def work(index):
    import listed
    return listed.word

with SparkContext() as spark:
    print('executor', spark.parallelize([1], 1).map(work).collect()[0])
`;

/** A run whose packages come from the index, which no pod reaches. */
async function runWithList(scene: Scene, id: string): Promise<void> {
  const list = { name: 'requirements.txt', bytes: 'listed==1.0\n' };
  const job = await createJob(scene.peer(), 'Spark', { name: 'listed.py', bytes: listedProgram }, [list]);
  const execution = await run(scene.peer(), job, id, { configs: { 'edp.python.requirements': list.name } });
  const end = await untilEnded(scene, execution);
  const log = await readLog(scene.peer(), execution);
  expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
  expect(log).toContain('executor hello from the index');
  await scene.peer().remove(`${base}/job-executions/${execution}`);
}

describe.skipIf(obstacle !== undefined)('daily work in pods', () => {
  beforeAll(importEngines);

  test('a job has its flavor, its packages and its metrics, and a client queries the cluster beside it', async (context) => {
    const repository = await findMavenRepository(`${avro.path}/spark-avro_2.13-4.1.1.pom`);
    const { folder, namespace, scene, id, info } = await open(context, repository);
    expect(await podsWith(namespace, '4711')).toHaveLength(3);
    expect(await queryOver(info.Spark['Connect Server'], namespace, folder)).toContain('4950');

    const execution = await startRun(scene, id, folder, repository && avro.coordinates);
    const printed = async (text: string) => {
      const end = (await readRun(scene.peer(), execution)).info;
      const log = await readLog(scene.peer(), execution);
      if (!['SUCCEEDED', 'FAILED'].includes(end.status)) return expect(log).toContain(text);
      throw new Error(`the run is ${end.status}: ${end.message}\n${log}`);
    };
    await comes(async () => printed('executor hello from a wheel'));
    const [pod] = await podsWith(namespace, '4712');
    const name = pod?.metadata?.name ?? '';
    const scrape = scraperIn(namespace, await podOfGroup(namespace, 'master'));
    const driver = `http://${pod?.status?.podIP}:4040/metrics`;
    await comes(async () => expect(await scrape(`${driver}/prometheus/`)).toMatch(/^metrics_job_driver_/m));
    expect(await scrape(`${driver}/executors/prometheus`)).toContain('metrics_executor_activeTasks');
    const master = new URL('/metrics/master/prometheus/', info.Spark['Web UI']).href;
    expect(await scrape(master)).toMatch(/aliveWorkers_Value\S* 1(\.0)?$/m);

    const container = pod?.spec?.containers[0]?.name ?? '';
    await execute({ namespace, pod: name, container }, ['touch', '/tmp/seen']);
    const end = await untilEnded(scene, execution);
    const log = await readLog(scene.peer(), execution);
    expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
    expect(log).toContain(`password of ${warehouse.password.length} letters\n${warehouse.certificate}\n`);
    if (repository !== undefined) expect(log).toContain('avro of 5 rows');
    expect(log).not.toContain(warehouse.password);

    await scene.peer().remove(`${base}/job-executions/${execution}`);
    await runWithList(scene, id);
    await removeCluster(scene, id);
    await comes(async () => expect(await leftInPods(namespace)).toEqual([`Secret ${warehouse.name}`]));
  });
});
