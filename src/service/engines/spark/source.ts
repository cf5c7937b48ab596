// Where Spark comes from, in each of its releases.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordList } from '../../../lib/word-list.ts';
import { apacheUrls, type EngineSource, type MavenSet, type PipPackage, wordOf } from '../homes/engine-source.ts';
import { lineOf } from '../release-line.ts';
import { defaultRelease, type SparkRelease, sparkLines, sparkReleases } from './releases.ts';

const name = 'spark';

const archiveOf = ({ version, archive }: SparkRelease): Pick<EngineSource, 'archive'> =>
  archive === undefined
    ? {}
    : { archive: { urls: apacheUrls(`spark/spark-${version}/spark-${version}-bin-hadoop3.tgz`), digest: archive } };

const pipOf = ({ version, pip }: SparkRelease, files: Readonly<Record<string, string>>): PipPackage => ({
  name: 'pyspark',
  version,
  ...pip,
  places: {
    'deps/jars': 'jars',
    'deps/bin': 'bin',
    'deps/sbin': 'sbin',
    pyspark: 'python/pyspark',
    lib: 'python/lib',
  },
  // A shell for Spark Connect.
  without: ['deps/jars/connect-repl'],
  files,
});

const mavenOf = ({ version, scala, hadoop }: SparkRelease, files: Readonly<Record<string, string>>): MavenSet => ({
  dependencies: [
    `org.apache.spark:spark-core_${scala}:${version}`,
    `org.apache.spark:spark-sql_${scala}:${version}`,
    // Complete where those that Spark brings along are not.
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
  files,
});

function sourceOf(release: SparkRelease): EngineSource {
  const { version, newestJava, lacksS3 } = release;
  const files = { RELEASE: `Spark ${version}\n` };
  return {
    name,
    title: 'Apache Spark',
    version,
    lines: [lineOf(version)],
    newestJava,
    installed: release === defaultRelease ? 'at start' : 'by name',
    help: `a Spark ${wordList(sparkLines, 'or')} that runs clusters; default: the one of SPARK_HOME, and those of other versions in ~/.cache/dataprocessing-operator/engines. If there is none, Spark ${lineOf(defaultRelease.version)} is installed there`,
    variable: 'SPARK_HOME',
    ...archiveOf(release),
    pip: pipOf(release, files),
    maven: mavenOf(release, files),
    ...(lacksS3 === true ? {} : { hadoopJars: (folder: string) => [join(folder, 'jars')] }),
    readVersion: readSparkVersion,
    lacks: (folder) => [...(hasPython(folder) ? [] : ['Python']), ...(hasHive(folder) ? [] : ['Hive'])],
  };
}

/** The first one is the default. */
export const sparkSources = sparkReleases.map(sourceOf);
export const sparkSource = sourceOf(defaultRelease);

/** Programs in Python need it. Maven does not have it. */
export const hasPython = (folder: string): boolean => existsSync(join(folder, 'python', 'lib', 'pyspark.zip'));

const jarsIn = (folder: string): readonly string[] =>
  existsSync(join(folder, 'jars')) ? readdirSync(join(folder, 'jars')) : [];

/** Jobs of the type Hive need it. Not every Maven repository has it. */
export const hasHive = (folder: string): boolean =>
  jarsIn(folder).some((file) => /^spark-hive-thriftserver_[\d.]+-[\d.]+\.jar$/.test(file));

/** Spark 3.5 has none, and neither has an installation by Maven. */
export const hasConnect = (folder: string): boolean =>
  jarsIn(folder).some((file) => /^spark-connect_[\d.]+-[\d.]+\.jar$/.test(file));

/** How to get what an installation by Maven lacks. */
export const completeRemedy = ({ version }: SparkRelease = defaultRelease): string =>
  `install a complete Spark with npm run engines -- --from pip ${wordOf({ name, version })}, or name one with --spark, and restart the service`;

function readSparkVersion(folder: string): string {
  const release = join(folder, 'RELEASE');
  if (!existsSync(release) || !existsSync(join(folder, 'jars')))
    throw new Error('it has no file RELEASE and folder jars, as a Spark has');
  const [found] = /\d+\.\d+\.\d+/.exec(readFileSync(release, 'utf8')) ?? [];
  if (found === undefined) throw new Error('its file RELEASE names no version');
  return found;
}
