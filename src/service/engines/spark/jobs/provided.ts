// What the distributions of Spark contain, by release line. Packages do without it. test/engines/settings/provided.test.ts compares it with their jars. PURE.
import { lineOf } from '../../release-line.ts';
import type { SparkRelease } from '../releases.ts';

const ofAll = [
  'catalyst',
  'common-utils',
  'core',
  'graphx',
  'hive',
  'hive-thriftserver',
  'kubernetes',
  'kvstore',
  'launcher',
  'mllib',
  'mllib-local',
  'network-common',
  'network-shuffle',
  'repl',
  'sketch',
  'sql',
  'sql-api',
  'streaming',
  'tags',
  'unsafe',
  'yarn',
];
const since40 = [...ofAll, 'connect', 'connect-common', 'variant'];
const since41 = [...since40, 'common-utils-java', 'pipelines'];

/** Not all modules are there: those for Kafka need one that nothing but packages brings along. */
const modules: Readonly<Record<string, readonly string[]>> = {
  '3.5': [...ofAll, 'mesos'],
  '4.0': since40,
  '4.1': since41,
  '4.3': [...since41, 'config', 'udf-worker-core', 'udf-worker-proto'],
};

/** The client of Hadoop has others in it. The connectors for object stores are not there. */
const hadoop = [
  'client',
  'client-api',
  'client-runtime',
  'annotations',
  'auth',
  'common',
  'hdfs-client',
  'mapreduce-client-common',
  'mapreduce-client-core',
  'mapreduce-client-jobclient',
  'yarn-api',
  'yarn-client',
  'yarn-common',
];
const moreHadoop: Readonly<Record<string, readonly string[]>> = { '3.5': ['yarn-server-web-proxy'] };

/** A package for another Scala than that of the cluster would bring a whole Spark. */
const scalas = ['2.12', '2.13'];

/** GROUP:ARTIFACT of each. */
export function providedBy({ version }: SparkRelease): readonly string[] {
  const line = lineOf(version);
  return [
    ...scalas.flatMap((scala) => (modules[line] ?? ofAll).map((name) => `org.apache.spark:spark-${name}_${scala}`)),
    ...[...hadoop, ...(moreHadoop[line] ?? [])].map((name) => `org.apache.hadoop:hadoop-${name}`),
    ...['library', 'compiler', 'reflect'].map((name) => `org.scala-lang:scala-${name}`),
    // Also those that would bind the program to another library for logs than that of Spark.
    'org.slf4j:*',
    'log4j:*',
  ];
}
