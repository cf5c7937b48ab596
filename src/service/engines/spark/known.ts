// Which settings Spark has.
import { meantInHadoop } from '../hadoop/known.ts';
import { createKnownSettings } from '../known-settings.ts';
import { sparkNames } from './setting-names.ts';

/** What the settings of Hadoop begin with. */
const ofHadoop = 'spark.hadoop.';

/** Names that end in any way, those of parts that Spark puts together, and those of libraries among the names of Spark. */
const open = [
  ofHadoop,
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

/** The names that a release line has, in the form of `KnownSettings`. */
export const namesOf = (line: string): string =>
  Object.entries(sparkNames)
    .flatMap(([lines, names]) => (lines.split(' ').includes(line) ? [names] : []))
    .join('');

const byLine = new Map<string, ReturnType<typeof createKnownSettings>>();

/** Whether this release line of Spark ignores a setting that begins with `spark.`, with the name that is probably meant. Undefined if it does not. */
export function unknownToSpark(line: string, name: string): { readonly meant?: string } | undefined {
  const known =
    byLine.get(line) ?? createKnownSettings({ prefix: 'spark.', recorded: namesOf(line), open, forPrograms });
  byLine.set(line, known);
  return known(name);
}

/** The name that was probably meant, for that of a setting of Hadoop. */
export function meantBelowSpark(name: string): string | undefined {
  const meant = name.startsWith(ofHadoop) ? meantInHadoop(name.slice(ofHadoop.length)) : undefined;
  return meant === undefined ? undefined : ofHadoop + meant;
}
