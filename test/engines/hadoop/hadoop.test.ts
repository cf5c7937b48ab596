// A real Hadoop cluster: HDFS, YARN and MapReduce.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { base, created, upload } from '../../contract/sections/jobs/section-4-6-support.ts';
import type { Json } from '../../contract/support.ts';
import { readFile, writeFile } from '../hdfs/hdfs.ts';
import {
  comes,
  createCluster,
  leftIn,
  processesBelow,
  readCluster,
  readLog,
  removeCluster,
  type Scene,
  untilActive,
  untilEnded,
} from '../support.ts';
import { clusterOf, isMissing, job, openHadoop, scale, source, untilScaled } from './hadoop-scene.ts';

/** A shell script in HDFS, as the only main of a job. */
async function scriptIn(scene: Scene, url: string, extra: object = {}): Promise<string> {
  const name = `main-${Math.random().toString(36).slice(2)}.sh`;
  const main = created(await scene.peer().post(`${base}/job-binaries`, { name, url, extra }))['id'] as string;
  return created(await scene.peer().post(`${base}/jobs`, { name, type: 'Shell', mains: [main] }))['id'] as string;
}

/** The identifier of a binary with these bytes. */
async function uploadJar(scene: Scene, bytes: Buffer): Promise<string> {
  const { id } = created(await upload(scene.peer(), 'lib.jar', bytes.toString('latin1')));
  const binary = { name: 'lib.jar', url: `internal-db://${id}` };
  return created(await scene.peer().post(`${base}/job-binaries`, binary))['id'] as string;
}

describe.skipIf(isMissing)('Hadoop', () => {
  test('a cluster comes up, grows and shrinks while a file survives, and goes without a trace', async () => {
    const scene = await openHadoop();
    const id = await createCluster(scene.peer(), clusterOf(1));
    const cluster = await untilActive(scene, id);
    const page: string = cluster.info.HDFS['Web UI'];
    const text = 'a line of text\n'.repeat(1000);
    await writeFile(page, '/kept.txt', text);

    await scale(scene, id, 2);
    await untilScaled(scene, id, 2);
    // It can be on either machine. The one that leaves hands it over.
    for (let index = 0; index < 4; index += 1) await writeFile(page, `/kept-${index}.txt`, text);
    await scale(scene, id, 1);
    await untilScaled(scene, id, 1);
    expect(await readFile(page, '/kept.txt')).toBe(text);
    for (let index = 0; index < 4; index += 1) expect(await readFile(page, `/kept-${index}.txt`)).toBe(text);

    // The address of the machine that left is used again.
    await scale(scene, id, 2);
    await untilScaled(scene, id, 2);

    const refused = await scale(scene, id, 0);
    expect(refused.body.error_message).toContain('0 machines with the process datanode');

    await removeCluster(scene, id);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });
  test('jobs of MapReduce count lines, with classes and with programs, and end on YARN when they are cancelled', async () => {
    const scene = await openHadoop();
    const id = await createCluster(scene.peer(), clusterOf(1));
    const page: string = (await untilActive(scene, id)).info.HDFS['Web UI'];
    await writeFile(page, '/in/text.txt', 'b\na\nb\n');
    const input_id = await source(scene, '/in');
    const execute = async (job: string, output: string, configs: object) => {
      const output_id = await source(scene, output);
      const body = { cluster_id: id, input_id, output_id, job_configs: { configs } };
      return created(await scene.peer().post(`${base}/jobs/${job}/execute`, body))['id'] as string;
    };
    const lib = await uploadJar(scene, Buffer.from('PK\u0005\u0006' + '\0'.repeat(18), 'latin1'));
    const classes = await job(scene, 'MapReduce', [lib]);
    const counted = await execute(classes, '/out1', {
      'mapred.mapper.class': 'org.apache.hadoop.mapred.lib.TokenCountMapper',
      'mapred.reducer.class': 'org.apache.hadoop.mapred.lib.LongSumReducer',
      'mapred.output.key.class': 'org.apache.hadoop.io.Text',
      'mapred.output.value.class': 'org.apache.hadoop.io.LongWritable',
    });
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await readFile(page, '/out1/part-00000')).toBe('a\t1\nb\t2\n');

    // Both are refused before anything starts.
    const again = await execute(classes, 'hdfs:///out1', { 'mapred.mapper.class': 'M' });
    expect((await untilEnded(scene, again)).message).toMatch(
      /^cannot use output_id .* there is something at hdfs:.*\/out1/,
    );
    const nothing = await source(scene, 'hdfs:/nothing');
    const job_configs = { configs: { 'mapred.mapper.class': 'M' } };
    const body = { cluster_id: id, input_id: nothing, output_id: await source(scene, '/out4'), job_configs };
    const lost = created(await scene.peer().post(`${base}/jobs/${classes}/execute`, body))['id'];
    expect((await untilEnded(scene, lost)).message).toContain(
      `cannot use input_id ${nothing}: there is nothing at hdfs:`,
    );

    const programs = await job(scene, 'MapReduce.Streaming', []);
    const streamed = await execute(programs, '/out2', {
      'edp.streaming.mapper': '/bin/cat',
      'edp.streaming.reducer': '/usr/bin/uniq -c',
    });
    expect(await untilEnded(scene, streamed)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await readFile(page, '/out2/part-00000')).replaceAll(/[\t ]+/g, ' ').trim()).toBe('1 a \n 2 b');

    const slow = await execute(programs, '/out3', {
      'edp.streaming.mapper': '/bin/sleep 600',
      'edp.streaming.reducer': '/bin/cat',
      'mapreduce.job.maps': '2',
      'mapreduce.map.memory.mb': '1200',
    });
    const applications = `${(await readCluster(scene.peer(), id)).info.YARN['Web UI']}/ws/v1/cluster/apps?states=`;
    const running = async () => ((await (await fetch(`${applications}RUNNING`)).json()) as Json).apps?.app?.length ?? 0;
    await comes(async () => expect(await running()).toBe(1));
    // The only worker has room for one of its two maps.
    const load = async () => (await readCluster(scene.peer(), id)).info.Load.workers;
    await comes(async () => expect(await load()).toMatchObject({ wantedNodes: 2, busyNodes: 1 }));
    await scene.peer().get(`${base}/job-executions/${slow}/cancel`);
    expect(await untilEnded(scene, slow)).toMatchObject({ status: 'KILLED' });
    await comes(async () => expect(await running()).toBe(0));

    await removeCluster(scene, id);
  });

  test('a binary and a data source can be in HDFS', async () => {
    const scene = await openHadoop();
    const id = await createCluster(scene.peer(), clusterOf(1));
    const page: string = (await untilActive(scene, id)).info.HDFS['Web UI'];
    const text = 'echo "in HDFS: $1"';
    await writeFile(page, '/scripts/a%20b.sh', text);
    const input_id = await source(scene, 'hdfs:///scripts');
    const sha256 = createHash('sha256').update(text).digest('hex');
    const end = async (job: string) => {
      const body = { cluster_id: id, input_id, job_configs: { args: [input_id] } };
      const run = created(await scene.peer().post(`${base}/jobs/${job}/execute`, body))['id'] as string;
      return { run, info: await untilEnded(scene, run) };
    };
    const { run, info } = await end(await scriptIn(scene, 'hdfs:///scripts/a b.sh', { sha256 }));
    expect(info).toMatchObject({ status: 'SUCCEEDED' });
    expect(await readLog(scene.peer(), run)).toMatch(/^in HDFS: hdfs:\/\/127\.\d+\.\d+\.\d+:8020\/scripts\n$/);
    const missing = await end(await scriptIn(scene, 'hdfs:///scripts/missing.sh'));
    expect(missing.info.message).toContain('there is no file /scripts/missing.sh in HDFS: write it first');
    await removeCluster(scene, id);
  });
});
