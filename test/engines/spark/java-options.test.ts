// Options of Java and a configuration of log4j2, which a real driver and its executors get.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasPython, sparkSource } from '../../../src/service/engines/spark/source.ts';
import { findEngine } from '../engines.ts';
import {
  comes,
  createCluster,
  createJob,
  openScene,
  readLog,
  run,
  sparkCluster,
  untilActive,
  untilEnded,
} from '../support.ts';

const spark = findEngine(sparkSource);

const program = `from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
java = spark._jvm.System
print('driver', java.getProperty('of.cluster'), java.getProperty('of.job'))
print('sum', spark.sparkContext.parallelize(range(5), 2).sum())
`;

const logging = `rootLogger.level = info
rootLogger.appenderRef.err.ref = err
appender.err.type = Console
appender.err.name = err
appender.err.target = SYSTEM_ERR
appender.err.layout.type = PatternLayout
appender.err.layout.pattern = MINE \${sys:of.cluster} %m%n
`;

/** What executors have written to standard error. */
function executorLogs(root: string): string {
  const machines = join(root, 'machines');
  const files = readdirSync(machines, { recursive: true, encoding: 'utf8' });
  const logs = files.filter((file) => /\/work\/app-[^/]+\/\d+\/stderr$/.test(file));
  return logs.map((file) => readFileSync(join(machines, file), 'utf8')).join('\n');
}

describe.skipIf(spark === undefined || !hasPython(spark.folder))('options of Java', () => {
  test('of a cluster and of a job, and a configuration of log4j2, are used by driver and executors', async () => {
    const scene = await openScene(['--spark', spark?.folder ?? '', '--java', spark?.java ?? '']);
    const ofCluster = '-Dof.cluster="two words"';
    const options = {
      'spark.driver.defaultJavaOptions': ofCluster,
      'spark.executor.defaultJavaOptions': ofCluster,
    };
    const wanted = { ...sparkCluster(spark?.version ?? '', 1), cluster_configs: { Spark: options } };
    const id = await createCluster(scene.peer(), wanted);
    await untilActive(scene, id);
    const libs = [{ name: 'log4j2.properties', bytes: logging }];
    const job = await createJob(scene.peer(), 'Spark', { name: 'options.py', bytes: program }, libs);
    const ofJob = '-Dof.job=yes -XX:+UseParallelGC -Dlog4j2.configurationFile=log4j2.properties';
    const started = await run(scene.peer(), job, id, {
      configs: { 'spark.driver.extraJavaOptions': ofJob, 'spark.executor.extraJavaOptions': ofJob },
    });
    const end = await untilEnded(scene, started);
    const log = await readLog(scene.peer(), started);
    expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
    expect(log).toContain('driver two words yes');
    expect(log).toContain('sum 10');
    expect(log).toMatch(/^MINE two words Running Spark version/m);
    await comes(async () => expect(executorLogs(scene.root)).toMatch(/^MINE two words .*executor/im));
  });
});
