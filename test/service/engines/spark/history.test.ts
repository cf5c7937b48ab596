// Event logs in S3: who gets which settings, and which clusters are refused.
import { describe, expect, test } from 'vitest';
import { checkEngine } from '../../../../src/service/engines/check-engine.ts';
import type { EngineNode, RunS3 } from '../../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../../src/service/engines/flavors.ts';
import type { SparkHome } from '../../../../src/service/engines/spark/launch.ts';
import { releaseOf } from '../../../../src/service/engines/spark/releases.ts';
import { createSpark } from '../../../../src/service/engines/spark/spark.ts';
import { clusterOf, groupOf } from '../../provisioning/battery.ts';
import { run } from '../run-of-a-job.ts';
import { sparkWith } from './spark-folder.ts';

const jars = ['jars/hadoop-aws-3.4.2.jar', 'jars/bundle-2.29.52.jar', 'jars/hadoop-client-api-3.4.2.jar'];
const home = (): SparkHome => ({ folder: sparkWith(...jars), java: '/java', historyKeys: '/keys of s3' });
const image: SparkHome = { folder: '/spark', java: '/java', isImage: true, s3a: '/opt/s3a' };

const configs = {
  Spark: { 'spark.eventLog.dir': 's3a://logs/events' },
  S3: { 'fs.s3a.endpoint': 'http://127.0.0.1:9000' },
};

function nodeOf(process: string, id = 'cluster-1'): EngineNode {
  const machine = { instance_id: process, instance_name: process };
  const group = { ...groupOf(process, [machine]), flavor_id: '2', node_processes: [process] };
  const cluster = { ...clusterOf([group]), id, cluster_configs: configs };
  const place = { address: '127.0.0.1', folder: `/m/${process}`, secret: 'secret' };
  return { cluster, group, machine, processes: [process], ...place };
}

const bucket = 'spark.hadoop.fs.s3a.bucket.logs.';

/** The lines of the configuration of a process, or of a job. */
function linesOf(what: string, from: SparkHome, s3?: RunS3): readonly string[] {
  const nodes = [nodeOf('master'), nodeOf('slave'), nodeOf('historyserver')];
  const engine = createSpark(from, usualFlavors);
  if (what === 'job') {
    const job = engine.jobs.find(({ type }) => type === 'Spark');
    const program = job?.program(run({ nodes, configs: { 'edp.java.main_class': 'Main' }, s3 }));
    return (program?.files?.['.spark/run.conf'] ?? '').split('\n');
  }
  const node = nodes.find(({ processes }) => processes.includes(what));
  const process = engine.processes.find(({ name }) => name === what);
  return node === undefined ? [] : (process?.files?.(node, nodes)['conf/spark-defaults.conf'] ?? '').split('\n');
}

describe('event logs in S3', () => {
  test.each(['job', 'historyserver'])(
    'are reached by a %s with the file of keys, whose content nobody sees',
    (what) => {
      expect(linesOf(what, home())).toEqual(
        expect.arrayContaining([
          'spark.eventLog.enabled=true',
          'spark.eventLog.dir=s3a://logs/events',
          `${bucket}endpoint=http://127.0.0.1:9000`,
          `${bucket}path.style.access=true`,
          `${bucket}auth.profile.file=/keys of s3`,
          `${bucket}auth.profile.name=default`,
        ]),
      );
    },
  );

  test('are read where jobs write them, in a folder that the history server makes', () => {
    expect(linesOf('historyserver', home())).toContain('spark.history.fs.logDirectory=s3a://logs/events');
    const node = nodeOf('historyserver');
    const process = createSpark(home()).processes.find(({ name }) => name === 'historyserver');
    expect(process?.command(node, [node]).args).toEqual(
      expect.arrayContaining(['s3a://logs/events', '/m/historyserver/conf/history-site.xml']),
    );
    expect(process?.files?.(node, [node])['conf/history-site.xml']).toContain(
      '<name>fs.s3a.bucket.logs.endpoint</name><value>http://127.0.0.1:9000</value>',
    );
  });

  test('are reached in pods with the keys in the environment', () => {
    const provider = 'software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider';
    expect(linesOf('job', image)).toContain(`${bucket}aws.credentials.provider=${provider}`);
    expect(linesOf('job', image).join()).not.toContain('auth.profile');
  });

  test('are reached with the keys of the job if it has some for the bucket', () => {
    const settings = { 'fs.s3a.bucket.logs.auth.profile.name': 'profile-1', 'fs.s3a.auth.profile.file': '/own' };
    const lines = linesOf('job', home(), { settings, classPath: [] });
    expect(lines.filter((line) => line.startsWith(bucket))).toEqual([`${bucket}auth.profile.name=profile-1`]);
    const other = { settings: { 'fs.s3a.bucket.data.endpoint': 'http://a' }, classPath: [] };
    expect(linesOf('job', home(), other)).toContain(`${bucket}auth.profile.file=/keys of s3`);
  });

  test('have names that no other cluster gives', () => {
    const patternOf = (id: string) => {
      const master = createSpark(home()).processes.find(({ name }) => name === 'master');
      const node = nodeOf('master', id);
      const text = master?.files?.(node, [node])['conf/spark-defaults.conf'] ?? '';
      return /spark\.deploy\.appIdPattern=(.*)/.exec(text)?.[1];
    };
    expect(patternOf('one')).toMatch(/^app-%s-%04d-[\da-f]{8}$/);
    expect(patternOf('one')).not.toBe(patternOf('other'));
  });

  test('do not give their keys to the other processes', () => {
    for (const what of ['master', 'slave']) expect(linesOf(what, home()).join()).not.toContain('fs.s3a');
  });
});

describe('a cluster with event logs in S3 is refused', () => {
  const check = (from: SparkHome, logs = 's3a://logs/events') => {
    const node_groups = ['master', 'slave'].map((name) => ({
      ...groupOf(name, []),
      flavor_id: '2',
      count: 1,
      node_processes: [name],
    }));
    const cluster = { ...clusterOf(node_groups), cluster_configs: { Spark: { 'spark.eventLog.dir': logs } } };
    return () => checkEngine([createSpark(from), cluster], usualFlavors);
  };

  test('without keys, without jars, with a version that finds no keys, and with another URL', () => {
    expect(check(home())).not.toThrow();
    expect(check(image)).not.toThrow();
    const { historyKeys: _, ...keyless } = home();
    expect(check(keyless)).toThrow(
      /spark.eventLog.dir: there are no keys for event logs in S3: start the service with --history-credentials FILE/,
    );
    expect(() => linesOf('job', keyless)).toThrow(/^cannot run Spark job: there are no keys for event logs in S3/);
    expect(check({ ...home(), folder: sparkWith('jars/a.jar') })).toThrow(/spark.eventLog.dir: s3a needs the jars/);
    expect(check({ ...home(), release: releaseOf('3.5.9') })).toThrow(
      /spark.eventLog.dir: Spark 3.5 finds no keys for S3/,
    );
    for (const logs of ['hdfs://a/b', 's3a://user:key@logs/a', 's3a://logs/a b', 'file:///tmp'])
      expect(check(home(), logs)).toThrow(/spark.eventLog.dir .*: give s3a:\/\/BUCKET\/FOLDER/);
  });
});
