// What starting any program of Spark takes.
import { join } from 'node:path';
import { type EngineNode, nodesWith } from '../engine.ts';
import type { Flavor } from '../flavors.ts';
import { hdfsFiles } from '../hadoop/config-files.ts';
import type { HadoopHome } from '../hadoop/launch.ts';
import { defaultRelease, type SparkRelease } from './releases.ts';

/** The installation: a folder with `jars`, and the Java that runs it. */
export interface SparkHome {
  readonly folder: string;
  /** What its version is run like. When absent: the default. */
  readonly release?: SparkRelease;
  readonly java: string;
  /** The interpreter of programs in Python, new enough for it. Undefined if there is none. */
  readonly python?: string | undefined;
  /** It is in an image, into which nobody can look here. */
  readonly isImage?: boolean;
  /** The folder of the image with the jars that S3 needs. Undefined if it has none. */
  readonly s3a?: string | undefined;
  /** What HDFS is run with. Undefined if there is none. */
  readonly hadoop?: HadoopHome | undefined;
  /** Whether its processes and drivers serve metrics. */
  readonly metrics?: boolean | undefined;
  /** The file with the keys of S3 for event logs. Undefined if there is none, as in pods. */
  readonly historyKeys?: string | undefined;
  /** Where parts are installed that it does not have itself. */
  readonly cache?: string | undefined;
  /** Those of its clusters. When absent: it is not known what their workers offer. */
  readonly flavors?: readonly Flavor[];
}

export const ports = {
  master: 7077,
  masterPage: 8080,
  worker: 7078,
  workerPage: 8081,
  historyPage: 18_080,
  /** The page of a driver. */
  driverPage: 4040,
  connect: 15_002,
  /** Servers do without port 4040: any other Spark on the same computer takes it, at all addresses. */
  connectPage: 15_040,
  thrift: 10_000,
  thriftPage: 15_041,
} as const;
export const worker = 'slave';

/** What Spark needs of Java 17, as its own launcher opens it. */
export const opened = [
  'java.lang',
  'java.lang.invoke',
  'java.lang.reflect',
  'java.io',
  'java.net',
  'java.nio',
  'java.util',
  'java.util.concurrent',
  'java.util.concurrent.atomic',
  'jdk.internal.ref',
  'sun.nio.ch',
  'sun.nio.cs',
  'sun.security.action',
  'sun.util.calendar',
].map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);

interface LaunchPlace {
  /** The folder of the configuration. */
  readonly conf: string;
  /** Where the program listens. */
  readonly address: string;
}

/** The class path and the environment of a program. */
export const launchOf = (home: SparkHome, { conf, address }: LaunchPlace) => ({
  classPath: [conf, join(home.folder, 'jars', '*')].join(':'),
  env: {
    SPARK_HOME: home.folder,
    SPARK_CONF_DIR: conf,
    HADOOP_CONF_DIR: conf,
    SPARK_SCALA_VERSION: (home.release ?? defaultRelease).scala,
    // A pod has an address of its own. Its page must be reached at 127.0.0.1, too, where port-forward looks for it.
    ...(home.isImage === true ? { SPARK_LOCAL_HOSTNAME: address } : { SPARK_LOCAL_IP: address }),
  },
});

export const masterUrl = ({ address }: EngineNode): string => `spark://${address}:${ports.master}`;

/** A line of a Java properties file. */
function property(key: string, value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `${key}=${escaped.replace(/^ /, '\\ ')}\n`;
}

/** The text of a Java properties file. */
export const propertiesOf = (settings: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(settings)
    .map(([key, value]) => property(key, String(value)))
    .join('');

/** The configuration for clients of HDFS, in the folder. Empty if the cluster has none. */
export function clientFiles(node: EngineNode, nodes: readonly EngineNode[], folder: string) {
  const files = nodesWith(nodes, 'namenode').length === 0 ? {} : hdfsFiles(node, nodes);
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [join(folder, name), text]));
}
