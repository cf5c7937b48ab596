// Spark Connect and the Thrift server of a real cluster, with real clients.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { findConnectClient, type RunPython } from '../../../dev/engines/connect-client.ts';
import { hasConnect, hasHive, sparkSource } from '../../../src/service/engines/spark/source.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { blocksIn, readPage } from '../../e2e/support/documents.ts';
import { findEngine } from '../engines.ts';
import {
  comes,
  createCluster,
  createJob,
  leftIn,
  openScene,
  processesBelow,
  readCluster,
  removeCluster,
  run,
  type Scene,
  sparkCluster,
  untilActive,
  untilEnded,
} from '../support.ts';
import { runBeeline } from './beeline.ts';

const spark = findEngine(sparkSource);
const isComplete = spark !== undefined && hasConnect(spark.folder) && hasHive(spark.folder);
if (spark !== undefined && !isComplete)
  console.warn(
    'The tests of servers are skipped: this Spark lacks them. npm run engines -- --from pip spark installs a complete one',
  );

/** The file with this name on a machine of the cluster, and the folder that it is in. */
function fileOn(scene: Scene, cluster: string, name: string): string {
  const machines = join(scene.root, 'machines', cluster);
  const found = readdirSync(machines).map((machine) => join(machines, machine, name));
  return found.find((file) => existsSync(file)) ?? '';
}

/** The process of a server. */
const pidOf = (scene: Scene, main: string): number | undefined =>
  processesBelow(scene.root).find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(main));

/** Command lines and environments of the processes that belong to the scene. */
const visible = (scene: Scene): string =>
  processesBelow(scene.root)
    .flatMap((pid) => ['cmdline', 'environ'].map((name) => `/proc/${pid}/${name}`))
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');

describe.skipIf(!isComplete)('the servers of Spark', () => {
  const engine = spark ?? { folder: '', version: '', java: '' };
  const open = () => openScene(['--spark', engine.folder, '--java', engine.java]);
  let python: RunPython | undefined;
  beforeAll(async () => {
    python = await findConnectClient(engine.folder, (line) => console.warn(`A test is skipped: ${line}`));
  });

  const clusterWith = (...processes: readonly string[]) => {
    const { groups, ...rest } = sparkCluster(engine.version, 1);
    const servers = processes.map((name) => ({ name, count: 1, node_processes: [name] }));
    return { ...rest, groups: [...groups, ...servers] };
  };

  test('a program elsewhere runs queries over Spark Connect, with the token alone, beside a job', async (context) => {
    const client = python;
    if (client === undefined) return context.skip('there is no client of Spark Connect');
    const scene = await open();
    const id = await createCluster(scene.peer(), clusterWith('connect'));
    const cluster = await untilActive(scene, id);
    const address: string = cluster.info.Spark['Connect Server'];
    expect(address).toMatch(/^sc:\/\/127\.\d+\.\d+\.\d+:15002$/);
    const [program = ''] = blocksIn(readPage('docs/how-to/bundled-service/interactive.md'), 'python');
    const [good, bad] = [fileOn(scene, id, 'connect.token'), join(scene.root, 'files', 'another.token')];
    const token = readFileSync(good, 'utf8');
    writeFileSync(bad, 'another');
    const query = async () => expect(await client(program, [address, good])).toContain('4950');

    await query();
    await expect(client(program, [address, bad])).rejects.toThrow(/UNAUTHENTICATED/);
    for (const text of [visible(scene), JSON.stringify(cluster)]) expect(text).not.toContain(token);

    // The server holds half of the cores at most.
    const text = join(scene.root, 'files', 'text.txt');
    writeFileSync(text, 'two words');
    const bytes = await buildJar(engine.folder, 'dev/bench-engines/programs/WordCount.java');
    const job = await createJob(scene.peer(), 'Spark', { name: 'count', bytes });
    const counted = await run(scene.peer(), job, id, {
      configs: { 'edp.java.main_class': 'WordCount' },
      args: [text],
    });
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });

    // One that is killed comes back with the same token.
    const before = pidOf(scene, 'SparkConnectServer') ?? 0;
    process.kill(before, 'SIGKILL');
    await comes(async () => expect([undefined, before]).not.toContain(pidOf(scene, 'SparkConnectServer')));
    await comes(async () => expect((await readCluster(scene.peer(), id)).status).toBe('Active'));
    await comes(query);

    await removeCluster(scene, id);
    await scene.peer().remove(`${base}/job-executions/${counted}`);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });

  test('Beeline runs SQL at the Thrift server, whose tables outlive it', async () => {
    const scene = await open();
    const id = await createCluster(scene.peer(), clusterWith('thriftserver'));
    const cluster = await untilActive(scene, id);
    const url: string = cluster.info.Spark['Thrift Server'];
    expect(url).toMatch(/^jdbc:hive2:\/\/127\.\d+\.\d+\.\d+:10000$/);
    const made = 'CREATE TABLE numbers AS SELECT id FROM range(100); SELECT sum(id) FROM numbers';
    expect(await runBeeline(engine, url, made)).toEqual(['4950']);

    const before = pidOf(scene, 'HiveThriftServer2') ?? 0;
    process.kill(before, 'SIGKILL');
    await comes(async () => expect([undefined, before]).not.toContain(pidOf(scene, 'HiveThriftServer2')));
    await comes(async () => expect(await runBeeline(engine, url, 'SELECT max(id) FROM numbers')).toEqual(['99']));

    await removeCluster(scene, id);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });
});
