// What real engines serve with --engine-metrics, as a real Prometheus reads it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addressOf } from '../../src/service/backends/processes/jobs/run-folders.ts';
import type { Engine, MetricsPage } from '../../src/service/engines/engine.ts';
import type { EngineEntry } from '../../src/service/engines/engine-entry.ts';
import { usualFlavors } from '../../src/service/engines/flavors.ts';
import { hadoopEntry } from '../../src/service/engines/hadoop/entry.ts';
import { hadoopSource } from '../../src/service/engines/hadoop/source.ts';
import { sparkEntry } from '../../src/service/engines/spark/entry.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import type { Json } from '../contract/support.ts';
import { findEngine } from './engines.ts';
import { findPrometheus, startPrometheus, type Target } from './prometheus.ts';
import { comes, createCluster, createJob, openScene, readRun, run, untilActive, untilEnded } from './support.ts';

const [spark, hadoop] = [findEngine(sparkSource), findEngine(hadoopSource)];

/** The engine as the service has it. */
function engineOf(entry: EngineEntry): Engine {
  const found = [
    [sparkSource.name, spark],
    [hadoopSource.name, hadoop],
  ] as const;
  const homes = new Map(
    found.flatMap(([name, home]) => (home === undefined ? [] : [[name, [{ ...home, from: '' }]] as const])),
  );
  const host = { homes, java: '', javaHome: '', python: undefined, cache: '', flavors: usualFlavors, metrics: true };
  const [offered] = entry.onHost(host);
  if (offered === undefined) throw new Error(`there is no ${entry.plugin}`);
  return offered.engine;
}

/** Where the machines of a cluster serve metrics. */
const targetsOf = (engine: Engine, cluster: Json): readonly Target[] =>
  cluster.node_groups.flatMap(({ node_processes, instances }: Json) =>
    instances.flatMap(({ internal_ip }: Json) =>
      engine.processes
        .filter(({ name }) => node_processes.includes(name))
        .flatMap(({ name, metrics = [] }) => metrics.map((page) => targetAt(internal_ip, page, { process: name }))),
    ),
  );

const targetAt = (address: string, { port, path }: MetricsPage, labels: Target['labels']): Target => ({
  url: `http://${address}:${port}${path}`,
  labels: { data_cluster: 'real', ...labels },
});

/** The expressions of the panels about engines, for this cluster. */
function panelsAbout(word: string): readonly string[] {
  const file = join(import.meta.dirname, '..', '..', 'deploy', 'monitoring', 'engines-dashboard.json');
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as Json;
  return panels
    .filter(({ title }: Json) => title.startsWith(word))
    .flatMap(({ targets = [] }: Json) => targets.map(({ expr }: Json) => expr))
    .map((expr: string) => expr.replaceAll('$__rate_interval', '10s').replaceAll(/\$\w+/g, '.*'));
}

let prometheus: string | undefined;
beforeAll(async () => void (prometheus = await findPrometheus()));

describe.skipIf(spark === undefined || hadoop === undefined)('metrics', () => {
  const java = spark?.java ?? '';
  const flags = ['--spark', spark?.folder ?? '', '--hadoop', hadoop?.folder ?? '', '--java', java, '--engine-metrics'];

  test('of Spark, its jobs and the HDFS beside it', async (context) => {
    if (prometheus === undefined) return context.skip();
    const scene = await openScene(flags);
    const groups = [
      { name: 'master', count: 1, node_processes: ['master', 'namenode'] },
      { name: 'workers', count: 2, node_processes: ['slave', 'datanode'] },
    ];
    const id = await createCluster(scene.peer(), { plugin: 'spark', version: spark?.version ?? '', groups });
    const cluster = await untilActive(scene, id);
    const place = mkdtempSync(join(tmpdir(), 'metrics-'));
    onTestFinished(() => rmSync(place, { recursive: true }));
    const gate = join(place, 'gate');
    const text = `import os, time
from pyspark import SparkContext
sc = SparkContext()
while not os.path.exists('${gate}'):
    sc.parallelize(range(100), 4).sum()
    time.sleep(0.5)
`;
    const job = await createJob(scene.peer(), 'Spark', { name: 'busy.py', bytes: text });
    const execution = await run(scene.peer(), job, id, {});
    await comes(async () => expect((await readRun(scene.peer(), execution)).info.status).toBe('RUNNING'));
    const engine = engineOf(sparkEntry);
    const [{ metrics = [] } = {}] = engine.jobs.filter(({ type }) => type === 'Spark');
    const pages = metrics.map((page) => targetAt(addressOf(execution), page, { run: execution }));
    const server = await startPrometheus(prometheus, [...targetsOf(engine, cluster), ...pages]);
    await server.readAll();
    const expressions = ['Spark', 'HDFS'].flatMap(panelsAbout);
    expect(expressions.length).toBeGreaterThan(5);
    await comes(async () => {
      for (const expr of expressions) expect([expr, (await server.query(expr)).length]).not.toEqual([expr, 0]);
    });
    writeFileSync(gate, '');
    expect(await untilEnded(scene, execution)).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('of HDFS and YARN', async (context) => {
    if (prometheus === undefined) return context.skip();
    const scene = await openScene(flags);
    const groups = [
      { name: 'head', count: 1, node_processes: ['namenode', 'resourcemanager', 'historyserver'], flavor_id: '3' },
      { name: 'workers', count: 1, node_processes: ['datanode', 'nodemanager'], flavor_id: '3' },
    ];
    const id = await createCluster(scene.peer(), { plugin: 'vanilla', version: hadoop?.version ?? '', groups });
    const targets = targetsOf(engineOf(hadoopEntry), await untilActive(scene, id));
    expect(targets).toHaveLength(5);
    const server = await startPrometheus(prometheus, targets);
    await server.readAll();
    const expressions = ['HDFS', 'YARN'].flatMap(panelsAbout);
    expect(expressions.length).toBeGreaterThan(3);
    await comes(async () => {
      for (const expr of expressions) expect([expr, (await server.query(expr)).length]).not.toEqual([expr, 0]);
    });
  });
});
