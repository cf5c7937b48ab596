// Real Hive jobs: scripts that Spark SQL runs on a cluster.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hadoopSource } from '../../../src/service/engines/hadoop/source.ts';
import { hasHive, sparkSource } from '../../../src/service/engines/spark/source.ts';
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
  readRun,
  removeCluster,
  run,
  type Scene,
  untilActive,
  untilEnded,
} from '../support.ts';

const [spark, hadoop] = [findEngine(sparkSource), findEngine(hadoopSource)];
const isComplete = spark !== undefined && hasHive(spark.folder);
if (spark !== undefined && !isComplete)
  console.warn('The tests of Hive are skipped: this Spark has none. npm run engines -- --from pip spark installs it');

const clusterOf = (head: readonly string[], work: readonly string[]) => ({
  plugin: 'spark',
  version: spark?.version ?? '',
  groups: [
    { name: 'master', count: 1, node_processes: ['master', ...head] },
    { name: 'workers', count: 1, node_processes: ['slave', ...work] },
  ],
});

const flags = ['--spark', spark?.folder ?? '', '--java', spark?.java ?? ''];

/** Runs a script. */
async function query(scene: Scene, cluster: string, text: string, job_configs: object = {}): Promise<string> {
  const name = `script${Math.random().toString(36).slice(2)}.hql`;
  return run(scene.peer(), await createJob(scene.peer(), 'Hive', { name, bytes: text }), cluster, job_configs);
}

/** The lines of its output with a tab, as Hive prints rows. */
async function rowsOf(scene: Scene, execution: string): Promise<readonly string[]> {
  const end = await untilEnded(scene, execution);
  const log = await readLog(scene.peer(), execution);
  expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
  return log.split('\n').filter((line) => line.includes('\t'));
}

describe.skipIf(!isComplete)('Hive', () => {
  test('the documented script counts words, and others share its table, wait for each other, and fail with the reason', async () => {
    const scene = await openScene(flags);
    const id = await createCluster(scene.peer(), clusterOf([], []));
    await untilActive(scene, id);
    const text = join(scene.root, 'files', 'words.txt');
    writeFileSync(text, 'b\na\nb\n');

    const [documented = ''] = blocksIn(readPage('docs/how-to/bundled-service/real-jobs.md'), 'sql');
    const count = "SELECT '${greeting}', word, count(*) AS n FROM words GROUP BY word ORDER BY word;";
    // Both are under way at the same time. The metastore has one of them at a time.
    const loaded = await query(scene, id, documented, { params: { file: text } });
    await comes(async () => expect((await readRun(scene.peer(), loaded)).info.status).toBe('RUNNING'));
    const configs = { 'hive.exec.dynamic.partition.mode': 'nonstrict', 'spark.sql.shuffle.partitions': 2 };
    const counted = await query(scene, id, count, { params: { greeting: 'say "a = b"' }, configs });
    expect(await rowsOf(scene, loaded)).toEqual(['a\t1', 'b\t2']);
    expect(await rowsOf(scene, counted)).toEqual(['say "a = b"\ta\t1', 'say "a = b"\tb\t2']);
    expect(await readLog(scene.peer(), counted)).toContain('waiting for another Hive job of this cluster to end\n');

    // Spark would hide some values, replace references in others, and drop what looks like the end of a statement.
    const params = {
      file: '/srv/tokens/url',
      secret_of: 'the password of http://host/?token=1',
      reference: 'x${file}y ${hivevar:file} ${spark.master} ${env:HOME} $$ $1',
      marks: '; -- = "quoted"',
      empty: '',
    };
    const values = Object.keys(params).map((name) => `SELECT '${name}', '\${${name}}', '\${hivevar:${name}}';`);
    const shown = await query(scene, id, values.join('\n'), { params });
    expect(await rowsOf(scene, shown)).toEqual(Object.entries(params).map((row) => `${row.join('\t')}\t${row[1]}`));

    const wrong = await query(scene, id, 'SELECT 1; SELEC 2;');
    const end = await untilEnded(scene, wrong);
    expect(end).toMatchObject({ status: 'FAILED' });
    expect(end.message).toMatch(/^\[PARSE_SYNTAX_ERROR\] Syntax error at or near 'SELEC'/);

    await removeCluster(scene, id);
    for (const each of [loaded, counted, shown, wrong]) await scene.peer().remove(`${base}/job-executions/${each}`);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });

  test.skipIf(hadoop === undefined)('tables are in HDFS if there is one, and data sources are variables', async () => {
    const scene = await openScene([...flags, '--hadoop', hadoop?.folder ?? '']);
    const id = await createCluster(scene.peer(), clusterOf(['namenode'], ['datanode']));
    const { info } = await untilActive(scene, id);
    const page: string = info.HDFS['Web UI'];
    await writeFile(page, '/in/words.txt', 'b\na\nb\n');
    const script = `CREATE EXTERNAL TABLE words (word STRING) LOCATION '\${INPUT}';
      CREATE TABLE counts AS SELECT word, count(*) AS n FROM words GROUP BY word ORDER BY word;
      INSERT OVERWRITE DIRECTORY '\${OUTPUT}' ROW FORMAT DELIMITED FIELDS TERMINATED BY ' ' SELECT * FROM counts;
      DESCRIBE EXTENDED counts;`;
    const job = await createJob(scene.peer(), 'Hive', { name: 'count.hql', bytes: script });
    const sources = {
      input_id: await createSource(scene.peer(), 'hdfs:///in'),
      output_id: await createSource(scene.peer(), 'hdfs:///out'),
    };
    const reply = await scene.peer().post(`${base}/jobs/${job}/execute`, { cluster_id: id, ...sources });
    const rows = await rowsOf(scene, created(reply)['id']);
    const place = rows.find((row) => row.startsWith('Location'));
    expect(place).toContain(`${info.HDFS.NameNode}/user/hive/warehouse/counts`);
    expect(await readFolder(page, '/out')).toBe('a 1\nb 2\n');
    await removeCluster(scene, id);
  });
});
