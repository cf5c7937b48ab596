// Where Spark comes from.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apacheUrls, type EngineSource } from '../homes/engine-source.ts';

const version = '4.1.2';
const wanted = '4.1';
const hadoop = '3.5.0';

const release = { RELEASE: `Spark ${version}\n` };

export const sparkSource: EngineSource = {
  name: 'spark',
  title: 'Apache Spark',
  version,
  installed: 'at start',
  help: 'the Spark 4.1 that runs clusters; default: SPARK_HOME, or the one that is installed into ~/.cache/dataprocessing-operator/engines',
  variable: 'SPARK_HOME',
  archive: {
    urls: apacheUrls(`spark/spark-${version}/spark-${version}-bin-hadoop3.tgz`),
    digest: { algorithm: 'sha256', hex: 'cf8035f265f9c3307baa2ed863897b5473c812dc1791302ba94798c2aad686f9' },
  },
  pip: {
    name: 'pyspark',
    version,
    sha256: 'fa5d6159f700d0990a07f4f62df1b7449401dccee9cd7d5d6df8957530841602',
    bytes: 455_428_043,
    places: {
      'deps/jars': 'jars',
      'deps/bin': 'bin',
      'deps/sbin': 'sbin',
      pyspark: 'python/pyspark',
      lib: 'python/lib',
    },
    // A shell for Spark Connect.
    without: ['deps/jars/connect-repl'],
    files: release,
  },
  maven: {
    dependencies: [
      `org.apache.spark:spark-core_2.13:${version}`,
      `org.apache.spark:spark-sql_2.13:${version}`,
      // Newer than those that Spark brings along, and complete where those are not.
      `org.apache.hadoop:hadoop-client-api:${hadoop}`,
      `org.apache.hadoop:hadoop-client-runtime:${hadoop}`,
      'commons-logging:commons-logging:1.3.0',
    ],
    exclusions: [
      'org.apache.hadoop:hadoop-client-api',
      'org.apache.hadoop:hadoop-client-runtime',
      // A third of all: for the state of streams in RocksDB, and for HTTP/3.
      'org.rocksdb:rocksdbjni',
      'io.netty:netty-codec-native-quic',
      'io.netty:netty-codec-classes-quic',
      'io.netty:netty-codec-http3',
    ],
    jars: 'jars',
    files: release,
  },
  hadoopJars: (folder) => [join(folder, 'jars')],
  readVersion: readSparkVersion,
  lacks: (folder) => [...(hasPython(folder) ? [] : ['Python']), ...(hasHive(folder) ? [] : ['Hive'])],
};

/** Programs in Python need it. Maven does not have it. */
export const hasPython = (folder: string): boolean => existsSync(join(folder, 'python', 'lib', 'pyspark.zip'));

const jarsIn = (folder: string): readonly string[] =>
  existsSync(join(folder, 'jars')) ? readdirSync(join(folder, 'jars')) : [];

/** Jobs of the type Hive need it. Not every Maven repository has it. */
export const hasHive = (folder: string): boolean =>
  jarsIn(folder).some((name) => /^spark-hive-thriftserver_[\d.]+-[\d.]+\.jar$/.test(name));

/** How to get what an installation by Maven lacks. */
export const completeRemedy =
  'install a complete Spark with npm run engines -- --from pip spark, or name one with --spark, and restart the service';

function readSparkVersion(folder: string): string {
  const release = join(folder, 'RELEASE');
  if (!existsSync(release) || !existsSync(join(folder, 'jars')))
    throw new Error(`it has no file RELEASE and folder jars, as a Spark ${wanted} has`);
  const [found] = /\d+\.\d+\.\d+/.exec(readFileSync(release, 'utf8')) ?? [];
  if (found?.startsWith(`${wanted}.`) === true) return found;
  throw new Error(`its file RELEASE names version ${found ?? 'none'}, and Spark ${wanted} is needed`);
}
