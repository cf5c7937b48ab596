// Where Spark comes from.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apacheUrls, type EngineSource } from '../homes/source.ts';

const version = '4.1.2';
const wanted = '4.1';
const hadoop = '3.5.0';

export const sparkSource: EngineSource = {
  name: 'spark',
  title: 'Apache Spark',
  version,
  flag: '--spark',
  variable: 'SPARK_HOME',
  archive: {
    urls: apacheUrls(`spark/spark-${version}/spark-${version}-bin-hadoop3.tgz`),
    digest: { algorithm: 'sha256', hex: 'cf8035f265f9c3307baa2ed863897b5473c812dc1791302ba94798c2aad686f9' },
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
    files: { RELEASE: `Spark ${version}\n` },
  },
  readVersion: readSparkVersion,
};

/** Python programs need it. Maven does not have it. */
export const hasPython = (folder: string): boolean => existsSync(join(folder, 'python', 'pyspark'));

function readSparkVersion(folder: string): string {
  const release = join(folder, 'RELEASE');
  if (!existsSync(release) || !existsSync(join(folder, 'jars')))
    throw new Error(`it has no file RELEASE and folder jars, as a Spark ${wanted} has`);
  const [found] = /\d+\.\d+\.\d+/.exec(readFileSync(release, 'utf8')) ?? [];
  if (found?.startsWith(`${wanted}.`) === true) return found;
  throw new Error(`its file RELEASE names version ${found ?? 'none'}, and Spark ${wanted} is needed`);
}
