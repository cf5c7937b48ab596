// Real Pig jobs: scripts that become jobs of MapReduce on a Hadoop cluster.
import { describe, expect, test } from 'vitest';
import { pigSource } from '../../../src/service/engines/hadoop/jobs/pig.ts';
import { hadoopSource } from '../../../src/service/engines/hadoop/source.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { base, created } from '../../contract/sections/jobs/section-4-6-support.ts';
import { blocksIn, readPage } from '../../e2e/support/documents.ts';
import { findEngine } from '../engines.ts';
import { readFolder, writeFile } from '../hdfs/hdfs.ts';
import {
  comes,
  createCluster,
  createJob,
  createSource,
  leftIn,
  openScene,
  processesBelow,
  readLog,
  removeCluster,
  run,
  untilActive,
  untilEnded,
} from '../support.ts';

const [hadoop, pig, spark] = [findEngine(hadoopSource), findEngine(pigSource), findEngine(sparkSource)];
const cluster = {
  plugin: 'vanilla',
  version: hadoop?.version ?? '',
  groups: [
    { name: 'master', count: 1, node_processes: ['namenode', 'resourcemanager'] },
    { name: 'workers', count: 1, node_processes: ['datanode', 'nodemanager'] },
  ],
};

// The service does not start without Spark.
describe.skipIf(hadoop === undefined || pig === undefined || spark === undefined)('Pig', () => {
  test('the documented script counts words, and a broken one fails with the reason', async () => {
    const folders = ['--hadoop', hadoop?.folder ?? '', '--pig', pig?.folder ?? '', '--spark', spark?.folder ?? ''];
    const scene = await openScene([...folders, '--java', hadoop?.java ?? '']);
    const id = await createCluster(scene.peer(), cluster);
    const { info } = await untilActive(scene, id);
    const page: string = info.HDFS['Web UI'];
    await writeFile(page, '/in/words.txt', 'b\na\nb\n');

    const [documented = ''] = blocksIn(readPage('docs/how-to/bundled-service/real-jobs.md'), 'pig');
    const job = await createJob(scene.peer(), 'Pig', { name: 'count.pig', bytes: documented });
    const sources = {
      input_id: await createSource(scene.peer(), 'hdfs:///in'),
      output_id: await createSource(scene.peer(), 'hdfs:///out'),
    };
    const job_configs = { params: { greeting: 'it costs "$3"' } };
    const body = { cluster_id: id, ...sources, job_configs };
    const counted: string = created(await scene.peer().post(`${base}/jobs/${job}/execute`, body))['id'];
    const end = await untilEnded(scene, counted);
    expect(end, await readLog(scene.peer(), counted)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await readFolder(page, '/out')).toBe('it costs "$3"\ta\t1\nit costs "$3"\tb\t2\n');

    const broken = await createJob(scene.peer(), 'Pig', { name: 'broken.pig', bytes: "lines = LODE '/in';\n" });
    const failed = await run(scene.peer(), broken, id, {});
    const why = await untilEnded(scene, failed);
    expect(why).toMatchObject({ status: 'FAILED' });
    expect(why.message).toMatch(/ERROR 1200: .*Syntax error, unexpected symbol at or near 'lines'/);

    await removeCluster(scene, id);
    for (const each of [counted, failed]) await scene.peer().remove(`${base}/job-executions/${each}`);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });
});
