// Settings of jobs that the engine would ignore.
import { describe, expect, test } from 'vitest';
import { hadoopNames } from '../../../../src/service/engines/hadoop/jobs/hadoop-names.ts';
import { meantInHadoop } from '../../../../src/service/engines/hadoop/known.ts';
import { createMeant } from '../../../../src/service/engines/known-settings.ts';
import { hiveNames } from '../../../../src/service/engines/spark/jobs/hive-names.ts';
import { meantBelowSpark, unknownToSpark } from '../../../../src/service/engines/spark/known.ts';
import { sparkJobOptions } from '../../../../src/service/engines/spark/options.ts';

describe('a setting of Spark', () => {
  test.each([
    ['spark.exectuor.memory', { meant: 'spark.executor.memory' }],
    ['spark.executor.memroy', { meant: 'spark.executor.memory' }],
    ['spark.executor.core', { meant: 'spark.executor.cores' }],
    ['spark.Executor.memory', { meant: 'spark.executor.memory' }],
    ['spark.sql.shuffle.partition', { meant: 'spark.sql.shuffle.partitions' }],
    ['spark.cores.maxx', { meant: 'spark.cores.max' }],
    ['spark.core.max', { meant: 'spark.cores.max' }],
    ['spark.default.paralellism', { meant: 'spark.default.parallelism' }],
    ['spark.dynamicallocation.enabled', { meant: 'spark.dynamicAllocation.enabled' }],
    ['spark.slq.shuffle.partitions', { meant: 'spark.sql.shuffle.partitions' }],
    ['spark.SQL.shuffle.partitions', { meant: 'spark.sql.shuffle.partitions' }],
    ['spark.executor_memory', { meant: 'spark.executor.memory' }],
    ['spark.executormemory', { meant: 'spark.executor.memory' }],
    ['spark.driver-memory', { meant: 'spark.driver.memory' }],
    ['spark.executor.no.such.thing', {}],
    ['spark.exectuor.no.such.thing', {}],
    ['spark.sql.no.such.thing', {}],
  ])('%s is a typo', (name, found) => {
    expect(unknownToSpark('4.1', name)).toEqual(found);
  });

  test.each([
    ...sparkJobOptions.map(({ name }) => name),
    'spark.pyspark.python',
    'spark.shuffle.io.maxRetries',
    'spark.hadoop.any.thing',
    'spark.executorEnv.GREETING',
    'spark.executor.resource.gpu.amount',
    'spark.sql.catalog.lake.type',
    'spark.sql.extensions',
    'spark.python.worker.memory',
    'spark.eventLog.enabled',
    // Those of programs and libraries.
    'spark.myapp.greeting',
    'spark.app.greeting',
    'spark.rapids.sql.enabled',
    'spark.databricks.delta.schema.autoMerge.enabled',
    'spark.sedona.global.index',
    'spark.mongodb.read.connection.uri',
    'spark.cassandra.connection.host',
    'spark.es.nodes',
    'spark.rss.enabled',
    'spark.redis.host',
  ])('%s is none', (name) => {
    expect(unknownToSpark('4.1', name)).toBeUndefined();
  });
});

describe('a setting of Hadoop', () => {
  test.each([
    ['fs.s3a.enpoint', 'fs.s3a.endpoint'],
    ['fs.s3a.endpoint.regoin', 'fs.s3a.endpoint.region'],
    ['fs.s3a.path.style.acces', 'fs.s3a.path.style.access'],
    ['fs.trsh.interval', 'fs.trash.interval'],
    ['mapreduce.map.memroy.mb', 'mapreduce.map.memory.mb'],
  ])('%s is probably %s, also below spark.hadoop.', (name, known) => {
    expect(meantInHadoop(name)).toBe(known);
    expect(meantBelowSpark(`spark.hadoop.${name}`)).toBe(`spark.hadoop.${known}`);
  });

  test.each([
    'fs.s3a.endpoint',
    'fs.s3a.endpoint.region',
    'fs.s3a.bucket.my.logs.endpoint',
    'fs.s3a.bucket.logs.enpoint',
    'fs.s3a.connection.request.timeout',
    // Those of other file systems.
    'fs.s3.impl',
    'fs.s3n.impl',
    'fs.AbstractFileSystem.s3.impl',
    'fs.oss.impl',
    'fs.abfs.impl.disable.cache',
    'fs.s3.buffer.dir',
    'javax.jdo.option.ConnectionURL',
    'my.own.setting',
  ])('%s is none', (name) => {
    expect(meantInHadoop(name)).toBeUndefined();
    expect(meantBelowSpark(`spark.hadoop.${name}`)).toBeUndefined();
  });

  test('is not looked for among those of Spark', () => {
    expect(meantBelowSpark('fs.s3a.enpoint')).toBeUndefined();
  });
});

describe('settings of Hadoop, Pig and Hive', () => {
  const meant = createMeant(`${hadoopNames.trimEnd()}${hiveNames}`);

  test.each([
    ['mapreduce.map.memroy.mb', 'mapreduce.map.memory.mb'],
    ['maprduce.map.memory.mb', 'mapreduce.map.memory.mb'],
    ['mapreduce.job.reduce', 'mapreduce.job.reduces'],
    ['mapred.maper.class', 'mapred.mapper.class'],
    ['dfs.replicaton', 'dfs.replication'],
    ['hive.exec.dynamic.partition.moed', 'hive.exec.dynamic.partition.mode'],
  ])('%s is probably %s', (name, known) => {
    expect(meant(name)).toBe(known);
  });

  test.each([
    'mapreduce.map.memory.mb',
    'mapred.mapper.class',
    'mapreduce.map.env.A',
    'mapreduce.map.env.AB',
    'fs.s3a.bucket.logs.endpoint',
    'hive.exec.dynamic.partition.mode',
    'hive.my.report.day',
    'my.own.setting',
    'words',
    'io.x',
    '',
  ])('%j is known, or can be that of a program', (name) => {
    expect(meant(name)).toBeUndefined();
  });

  test('are looked up fast enough for as many as a request has', () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `mapreduce.jobs.maps.${index}`);
    const begin = performance.now();
    for (const name of names) meant(name);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });
});
