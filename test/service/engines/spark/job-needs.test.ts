// What a request has to contain to run a job on a real engine, which differs from what every service asks for.
import { describe, expect, test } from 'vitest';
import { pluginOf } from '../../../../src/service/engines/plugin.ts';
import { createSpark } from '../../../../src/service/engines/spark/spark.ts';
import { base, createBinary, createCluster, created } from '../../../contract/sections/jobs/section-4-6-support.ts';
import { serve } from '../../../contract/support.ts';
import { sparkWith } from './spark-folder.ts';

const hive = 'jars/spark-hive-thriftserver_2.13-4.1.2.jar';

/** A service whose only plugin is a Spark with these files. */
async function open(files: readonly string[] = [], isImage = false) {
  const engine = createSpark({ folder: sparkWith(...files), java: '/java', isImage });
  const peer = await serve({ catalog: { plugins: [pluginOf({ engine, version: '4.1.2' })] } });
  const group = { name: 'all', flavor_id: '1', count: 1, node_processes: ['master', 'slave'] };
  const chosen = { plugin_name: 'spark', bigdata_version: '4.1.2', node_groups: [group] };
  const { id: cluster_id } = await createCluster(peer, 'neutral', chosen);
  return async (type: string, main: string, file_name?: string) => {
    const { url } = await createBinary(peer, `bytes-${main}`);
    const extra = file_name === undefined ? {} : { file_name };
    const { id } = created(await peer.post(`${base}/job-binaries`, { name: main, url, extra }));
    const job = created(await peer.post(`${base}/jobs`, { name: `job-${main}`, type, mains: [id] }));
    return peer.post(`${base}/jobs/${job.id}/execute`, { cluster_id });
  };
}

describe('a job on Spark', () => {
  test('needs a main class if its main is a jar, and none if it is a program in Python', async () => {
    const execute = await open();
    expect((await execute('Spark', 'main.jar')).text).toContain(
      'cannot run Spark job: configs lack edp.java.main_class',
    );
    expect((await execute('Spark', 'main.py')).status).toBe(202);
    expect((await execute('Spark', 'wordcount', 'wordcount.py')).status).toBe(202);
    expect((await execute('Spark', 'other.py', 'other.jar')).text).toContain('configs lack edp.java.main_class');
  });

  test('of the type Hive needs no data sources', async () => {
    const execute = await open([hive]);
    expect((await execute('Hive', 'main.hql')).status).toBe(202);
  });

  test('of the type Hive is refused with the remedy if Spark lacks it', async () => {
    const execute = await open();
    const { status, body } = await execute('Hive', 'main.hql');
    expect([status, body.error_name]).toEqual([400, 'INVALID_REFERENCE']);
    expect(body.error_message).toMatch(
      /^cannot run Hive job on cluster cluster-1: its Spark has no Hive: install a complete Spark with npm run engines/,
    );
  });

  test('of the type Hive is refused on clusters in pods, whose tables would go with the pod of the job', async () => {
    const execute = await open([hive], true);
    const { status, body } = await execute('Hive', 'main.hql');
    expect([status, body.error_message]).toEqual([
      400,
      expect.stringContaining('clusters in pods keep no tables of Hive: run the script with spark.sql()'),
    ]);
  });
});
