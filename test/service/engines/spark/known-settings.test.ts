// Settings of jobs that the engine would ignore.
import { describe, expect, test } from 'vitest';
import { unknownToSpark } from '../../../../src/service/engines/spark/known.ts';
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
