// Which settings Spark has.
import { createKnownSettings } from '../known-settings.ts';
import { sparkNames } from './setting-names.ts';

/** Names that end in any way, those of parts that Spark puts together, and those of libraries among the names of Spark. */
const open = [
  'spark.hadoop.',
  'spark.executorEnv.',
  'spark.hive.',
  'spark.kubernetes.',
  'spark.yarn.',
  'spark.metrics.conf.',
  'spark.plugins.internal.conf.',
  'spark.ssl.',
  'spark.network.crypto.config.',
  'spark.io.encryption.commons.config.',
  'spark.driver.resource.',
  'spark.executor.resource.',
  'spark.worker.resource.',
  'spark.task.resource.',
  'spark.shuffle.io.',
  'spark.rpc.io.',
  'spark.files.io.',
  'spark.scheduler.pool.',
  'spark.history.',
  'spark.sql.catalog.',
  'spark.sql.streaming.stateStore.',
  'spark.sql.iceberg.',
  'spark.sql.delta.',
];

/** Words that are part of few names of Spark, and that programs use for their own. */
const forPrograms = ['app', 'job', 'stage', 'user', 'log'];

/** Tells whether Spark ignores a setting that begins with `spark.`, with the name that is probably meant. */
export const unknownToSpark = createKnownSettings({ prefix: 'spark.', recorded: sparkNames, open, forPrograms });
