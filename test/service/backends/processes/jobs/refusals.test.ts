// What cannot work with real engines is refused over HTTP before anything is stored.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import { createHadoop } from '../../../../../src/service/engines/hadoop/hadoop.ts';
import { pluginOf } from '../../../../../src/service/engines/plugin.ts';
import { createSpark } from '../../../../../src/service/engines/spark/spark.ts';
import {
  base,
  createBinary,
  createCluster,
  created,
  createSource,
  upload,
} from '../../../../contract/sections/jobs/section-4-6-support.ts';
import { type Json, type Peer, type Reply, serve } from '../../../../contract/support.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { openJobs } from './job-scene.ts';

const mainClass = 'edp.java.main_class';
const main = { [mainClass]: 'Main' };

/** One for everybody, and one for another tenant than that of the requests. */
const flavors = [...usualFlavors, { id: 'theirs', name: 'theirs', cpus: 1, memory: 8192, disk: 1, tenants: ['other'] }];

/** Clusters on paper, which jobs of real engines are asked to run on. None of them is Active yet, so no run starts. */
async function scene(files = true) {
  const root = mkdtempSync(join(tmpdir(), 'refusals-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const jobFiles = join(root, 'job-files');
  mkdirSync(jobFiles);
  const homes = { folder: '/none', java: '/usr/bin/java' };
  const hadoop = { ...homes, javaHome: '/usr' };
  const engines = [createSpark({ ...homes, hadoop }), createHadoop(hadoop, usualFlavors)];
  const plugins = engines.map((engine) => pluginOf({ engine, version: `${engine.version}.0` }));
  const engine = openJobs({ engines, flavors, ...(files && { jobFiles }) }).create();
  const peer = await serve({ clock: new ManualClock(), stageMs: 1000, engine, catalog: { plugins } });
  const cluster = (name: string, plugin_name: string, bigdata_version: string, processes: readonly string[]) => {
    const groups = processes.map((process) => ({ name: process, count: 1, flavor_id: '2', node_processes: [process] }));
    return createCluster(peer, 'neutral', { name, plugin_name, bigdata_version, node_groups: groups });
  };
  const spark = await cluster('spark', 'spark', '4.1.0', ['master', 'slave']);
  const storage = await cluster('storage', 'vanilla', '3.5.0', ['namenode', 'datanode']);
  const job = async (type: string, binaries: readonly string[]) => {
    const of = type === 'Spark' || type === 'Shell' ? { mains: binaries } : { libs: binaries };
    return created(await peer.post(`${base}/jobs`, { name: `job-${Math.random()}`, type, ...of }));
  };
  const execute = (of: Json, cluster: Json, fields: object = {}) =>
    peer.post(`${base}/jobs/${of['id']}/execute`, { cluster_id: cluster['id'], ...fields });
  return { peer, jobFiles, spark, storage, job, execute };
}

const rows = async (peer: Peer, path: string): Promise<readonly Json[]> =>
  Object.values((await peer.get(`${base}/${path}`)).body)[0] as readonly Json[];

const why = ({ status, body }: Reply) => [status, body?.error_name, body?.error_message];
const invalid = (message: unknown) => [400, 'INVALID_DATA', message];

describe('a run', () => {
  let at: Awaited<ReturnType<typeof scene>>;
  beforeEach(async () => {
    at = await scene();
  });

  const nothingRuns = async () => expect(await rows(at.peer, 'job-executions')).toEqual([]);

  test('with packages is refused unless there is a repository', async () => {
    const { peer, job, execute, spark } = at;
    const { id } = await createBinary(peer, 'main.jar');
    const configs = { ...main, 'spark.jars.packages': 'org.a:a:1' };
    expect(why(await execute(await job('Spark', [id]), spark, { job_configs: { configs } }))).toEqual(
      invalid(
        expect.stringContaining(
          'cannot run Spark job: it needs packages of a Maven repository: start the service with --maven-repository URL, or name jars in libs',
        ),
      ),
    );
    await nothingRuns();
  });

  test('that can work is accepted, and waits for its cluster', async () => {
    const { peer, job, execute, spark } = at;
    const { id } = await createBinary(peer, 'main.jar');
    const of = await job('Spark', [id]);
    const run = created(await execute(of, spark, { job_configs: { configs: { ...main, 'spark.cores.max': 1 } } }));
    expect(run['info']).toEqual({ status: 'PENDING' });
  });

  test.each([
    ['Spark', { ...main, 'spark.master': 'local' }, /^cannot run Spark job: configs have spark.master, which the/],
    ['Spark', { ...main, speed: 'high' }, /^cannot run Spark job: configs have speed: use settings of Spark/],
    ['Spark', { ...main, 'edp.x': 1 }, /^cannot run Spark job: configs have edp.x, which means nothing here/],
    ['Spark', { [mainClass]: 'no class' }, /^cannot run Spark job: configs have no name of a class in edp.java/],
    ['Java', { ...main, speed: 'high' }, /^cannot run Java job: configs have speed, but a Java program has none/],
    ['Shell', { speed: 'high' }, /^cannot run Shell job: configs have speed, but a script has none: pass it in params/],
  ] as const)('of %s with the configs %j is refused', async (type, configs, message) => {
    const { peer, job, execute, spark } = at;
    const of = await job(type, [(await createBinary(peer, 'main.jar'))['id']]);
    expect(why(await execute(of, spark, { job_configs: { configs } }))).toEqual(
      invalid(expect.stringMatching(message)),
    );
    await nothingRuns();
  });

  test.each([
    ['Spark', { params: { word: 'x' } }, 'params have word, but jobs of this type take no params: pass it in args'],
    ['Java', { params: { word: 'x' } }, 'params have word, but jobs of this type take no params: pass it in args'],
  ])('of %s with %j, which would be ignored, is refused', async (type, given, message) => {
    const { peer, job, execute, spark } = at;
    const of = await job(type, [(await createBinary(peer, 'main.jar'))['id']]);
    const job_configs = { configs: main, ...given };
    expect(why(await execute(of, spark, { job_configs }))).toEqual(invalid(`cannot run ${type} job: ${message}`));
    await nothingRuns();
  });

  test.each([
    [{ args: ['a', 'b\0c'] }, 'cannot use args[1]: it has a NUL character: remove it'],
    [{ params: { WORD: 'b\0c' } }, 'cannot use params WORD: it has a NUL character: remove it'],
    [{ params: { 'b\0c': 'x' } }, 'cannot use params b\\0c: it has a NUL character: remove it'],
    [{ configs: { 'b\0c': 'x' } }, 'cannot use configs b\\0c: it has a NUL character: remove it'],
  ])('with a text that ends early for the system is refused: %j', async (job_configs, message) => {
    const { peer, job, execute, spark } = at;
    const of = await job('Shell', [(await createBinary(peer, 'main.sh'))['id']]);
    expect(why(await execute(of, spark, { job_configs }))).toEqual(invalid(message));
    await nothingRuns();
  });

  test.each([
    ['9', '"9"'],
    ['theirs', '"theirs"'],
    ['', '""'],
    [' 2', '" 2"'],
    [true, '"true"'],
    ['constructor', '"constructor"'],
    ['__proto__', '"__proto__"'],
    ['2\n', '"2\\n"'],
    ['x'.repeat(500), `"${'x'.repeat(100)}"`],
  ])('with the flavor %j, which its tenant does not have, is refused', async (flavor, shown) => {
    const { peer, job, execute, spark } = at;
    const of = await job('Shell', [(await createBinary(peer, 'main.sh'))['id']]);
    expect(why(await execute(of, spark, { job_configs: { configs: { 'edp.flavor': flavor } } }))).toEqual(
      invalid(`configs have edp.flavor ${shown}, and there is no such flavor; there are 1, 2, 3, 4, 5`),
    );
    await nothingRuns();
  });

  test.each(['2', 2])(
    'with the flavor %j is accepted, and by a flavor with too little memory it is refused',
    async (flavor) => {
      const { peer, job, execute, spark } = at;
      const script = await job('Shell', [(await createBinary(peer, 'main.sh'))['id']]);
      created(await execute(script, spark, { job_configs: { configs: { 'edp.flavor': flavor } } }));
      const jar = await job('Spark', [(await createBinary(peer, 'main.jar'))['id']]);
      const configs = { ...main, 'edp.flavor': flavor, 'spark.driver.memory': '2g' };
      expect(why(await execute(jar, spark, { job_configs: { configs } }))).toEqual(
        invalid(
          'the program needs 2944 MiB with its heap, but flavor small has 2048: choose a larger edp.flavor, or lower spark.driver.memory',
        ),
      );
    },
  );

  test('in Python is refused by a Spark without it', async () => {
    const { peer, job, execute, spark } = at;
    const of = await job('Spark', [(await createBinary(peer, 'main.py'))['id']]);
    const reply = await execute(of, spark, { job_configs: { configs: main } });
    expect(why(reply)).toEqual(
      invalid(expect.stringMatching('its main is a program in Python, and /none/python has no PySpark')),
    );
    await nothingRuns();
  });

  test('is refused by a plugin that does not run its type, and by a cluster that lacks a process for it', async () => {
    const { peer, job, execute, storage, jobFiles } = at;
    const { id } = await createBinary(peer, 'main.jar');
    expect(why(await execute(await job('Spark', [id]), storage, { job_configs: { configs: main } }))).toEqual([
      400,
      'INVALID_REFERENCE',
      'cannot run Spark job on cluster storage: its plugin runs MapReduce, MapReduce.Streaming, Java, Shell',
    ]);
    writeFileSync(join(jobFiles, 'in'), '');
    const url = `file://${jobFiles}/in`;
    const input = await createSource(peer, { name: 'in', type: 'hdfs', url, credentials: undefined });
    const output = await createSource(peer, { name: 'out', type: 'hdfs', url: '/out', credentials: undefined });
    const sources = { input_id: input['id'], output_id: output['id'] };
    const reply = await execute(await job('MapReduce', [id]), storage, { ...sources, job_configs: { configs: main } });
    expect(why(reply)).toEqual(invalid('cannot run MapReduce job: its cluster has no resourcemanager'));
    await nothingRuns();
  });

  test('is refused if its data cannot be read', async () => {
    const { peer, job, execute, spark, jobFiles } = at;
    const of = await job('Shell', [(await createBinary(peer, 'main.sh'))['id']]);
    const missing = { type: 'hdfs', url: `file://${jobFiles}/missing`, credentials: undefined };
    const file = await createSource(peer, { name: 'file', ...missing });
    const path = await createSource(peer, { name: 'path', ...missing, url: '/in' });
    expect(why(await execute(of, spark, { input_id: file['id'] }))).toEqual(
      invalid(`cannot use input_id ${file['id']}: there is no file ${jobFiles}/missing`),
    );
    expect(why(await execute(of, spark, { output_id: path['id'] }))).toEqual(
      invalid(
        expect.stringMatching(/^cannot use output_id .*: \/in is in the HDFS of its cluster, which has none: use/),
      ),
    );
    await nothingRuns();
  });

  test('is refused if it refers to a data source that does not exist', async () => {
    const { peer, job, execute, spark } = at;
    const of = await job('Shell', [(await createBinary(peer, 'main.sh'))['id']]);
    const configs = { 'edp.substitute_data_source_for_name': true };
    const reply = await execute(of, spark, { job_configs: { configs, args: ['datasource://nothing'] } });
    expect(why(reply)).toEqual(
      invalid('cannot use args[0]: there is no data source nothing; create it, or correct datasource://nothing'),
    );
    await nothingRuns();
  });

  test('is refused if its binaries cannot be read, or have the same name', async () => {
    const { peer, job, execute, spark, jobFiles } = at;
    const binary = async (name: string, url: string) =>
      created(await peer.post(`${base}/job-binaries`, { name, url }))['id'] as string;
    const bytes = created(await upload(peer, 'bytes', 'text'))['id'] as string;
    const lost = await binary('lost.sh', `internal-db://${bytes}`);
    expect((await peer.remove(`${base}/job-binary-internals/${bytes}`)).status).toBe(204);
    const file = await binary('file.sh', `file://${jobFiles}/missing`);
    const far = await binary('far.sh', 'hdfs:///main.sh');
    const refusals = [
      [lost, 'cannot read job binary lost.sh: its bytes were deleted: upload them again'],
      [file, `cannot read job binary file.sh: there is no file ${jobFiles}/missing`],
      [far, 'cannot read job binary far.sh: hdfs:///main.sh is not in the HDFS of its cluster: it has none: upload it'],
    ] as const;
    for (const [id, message] of refusals)
      expect(why(await execute(await job('Shell', [id]), spark))).toEqual(invalid(message));
    await nothingRuns();
  });
});

describe('what no run can use is refused when it is made', () => {
  test('data sources', async () => {
    const { peer } = await scene(false);
    const make = async (type: string, url: string, credentials?: object) =>
      why(await peer.post(`${base}/data-sources`, { name: 'source', type, url, credentials }));
    const swift = await make('swift', 'swift://c/o', { user: 'me', password: 'secret' });
    expect(swift).toEqual(invalid('cannot use data source: swift: is not supported here: use hdfs:, s3a: or file:'));
    const file = await make('hdfs', 'file:///etc/hosts');
    const message = 'files of this computer are not allowed: start the service with --job-files FOLDER';
    expect(file).toEqual(invalid(`cannot use data source: ${message}`));
    for (const [type, url] of [
      ['hdfs', 'hdfs://host/a\0b'],
      ['hdfs', '/a\0b'],
      ['s3', 's3a://bucket/a\0b'],
    ] as const)
      expect(await make(type, url)).toEqual(invalid('cannot use data source: url has a NUL character: remove it'));
    expect(await rows(peer, 'data-sources')).toEqual([]);
    const source = await createSource(peer, { type: 'hdfs', url: '/in', credentials: undefined });
    expect(source).toMatchObject({ url: '/in' });
  });

  test('job binaries', async () => {
    const { peer } = await scene(false);
    const make = async (url: string, extra?: object) =>
      why(await peer.post(`${base}/job-binaries`, { name: 'binary', url, extra }));
    expect(await make('swift://c/o', { user: 'me', password: 'secret' })).toEqual(
      invalid(expect.stringMatching(/^cannot use job binary: swift: is not supported here: upload it, or use a URL/)),
    );
    expect(await make('file:///etc/hosts')).toEqual(invalid(expect.stringContaining('--job-files FOLDER')));
    expect(await make('https://host/a\0b')).toEqual(
      invalid('cannot use job binary: url has a NUL character: remove it'),
    );
    expect(await make('https://host/main.jar', { sha256: 'abc' })).toEqual(
      invalid(expect.stringContaining('sha256 in its extra is no SHA-256')),
    );
    for (const file_name of ['a/b.py', '..', 'a\0.py'])
      expect(await make('https://host/main.py', { file_name })).toEqual(
        invalid(
          'cannot use job binary: file_name in its extra must consist of letters, digits, hyphens, dots and underscores, and not begin with a dot',
        ),
      );
    expect(await rows(peer, 'job-binaries')).toEqual([]);
  });

  test('jobs with two files of one name', async () => {
    const { peer } = await scene(false);
    const binary = async (name: string) =>
      created(
        await peer.post(`${base}/job-binaries`, { name, url: 'https://host/a', extra: { file_name: 'helpers.py' } }),
      )['id'] as string;
    const binaries = { mains: [await binary('one')], libs: [await binary('two')] };
    expect(why(await peer.post(`${base}/jobs`, { name: 'job', type: 'Shell', ...binaries }))).toEqual(
      invalid(
        'cannot use Shell job: two files of the job are called helpers.py: change the name of one, or file_name in its extra (content.fileName of a JobBinary)',
      ),
    );
    expect(await rows(peer, 'jobs')).toEqual([]);
  });

  test('jobs of types that no cluster runs', async () => {
    const { peer } = await scene();
    const { id } = await createBinary(peer, 'main');
    const make = async (type: string) => why(await peer.post(`${base}/jobs`, { name: 'job', type, mains: [id] }));
    expect(await make('Storm')).toEqual(
      invalid('cannot use Storm job: no cluster runs it here, but Spark, Java, Shell, MapReduce, MapReduce.Streaming'),
    );
    // What these lack can be installed.
    expect(await make('Pig')).toEqual(invalid(expect.stringMatching('cannot use Pig job: there is no Pig on this')));
    expect(await make('Hive')).toEqual(invalid(expect.stringMatching('cannot use Hive job: its Spark has no Hive: ')));
    expect(await rows(peer, 'jobs')).toEqual([]);
  });
});
