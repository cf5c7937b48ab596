// What starting any program of Hadoop takes.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, type EngineNode, type Hdfs, nodesWith } from '../engine.ts';
import { hadoopJars } from './source.ts';

/** The installation, and the Java that runs it. */
export interface HadoopHome {
  readonly folder: string;
  /** When absent: the default. */
  readonly version?: string;
  readonly java: string;
  /** The folder of that Java, whose `bin/java` containers use. */
  readonly javaHome: string;
  /** The folders with jars, and the jar of streaming jobs, of an installation in an image. Otherwise they are looked for. */
  readonly image?: { readonly jars: readonly string[]; readonly streaming: string };
  /** Whether its processes serve metrics. */
  readonly metrics?: boolean | undefined;
  /** Where parts are installed that it does not have itself. */
  readonly cache?: string | undefined;
  /** The folder of Pig. Undefined if there is none. */
  readonly pig?: string | undefined;
}

export const ports = {
  namenode: 8020,
  namenodePage: 9870,
  datanodePage: 9864,
  resourcemanagerPage: 8088,
  nodemanagerPage: 8042,
  historyPage: 19_888,
  datanodeTransfer: 9866,
  datanodeIpc: 9867,
  /** Those of the resource manager are the defaults of Hadoop. */
  scheduler: 8030,
  resourceTracker: 8031,
  resourcemanager: 8032,
  nodemanager: 8041,
  history: 10_020,
} as const;

const firstTransferPort = 9900;
/** Whether machines have addresses of this computer, from which all of them connect as 127.0.0.1. */
export const isLocal = ({ address }: Pick<EngineNode, 'address'>): boolean => /^[\d.]+$/.test(address);

/** One for each machine of this computer: the last number of its address tells them apart. */
export const transferPort = (node: Pick<EngineNode, 'address'>): number =>
  isLocal(node) ? firstTransferPort + Number(node.address.split('.').at(-1) ?? 0) : ports.datanodeTransfer;
/** Those of all machines that a cluster can have. */
export const transferPorts = Array.from({ length: 256 }, (_, index) => firstTransferPort + index);

const jvm = [
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Xss512k',
  '-XX:-UsePerfData',
  '--add-opens=java.base/java.lang=ALL-UNNAMED',
  '--add-opens=java.base/java.util=ALL-UNNAMED',
  '--add-exports=java.base/sun.net.dns=ALL-UNNAMED',
  '--add-exports=java.base/sun.net.util=ALL-UNNAMED',
];

/** A complete distribution has the pages in a folder of their own. */
const pagesOf = ({ folder }: HadoopHome): readonly string[] =>
  [join(folder, 'share', 'hadoop', 'hdfs')].filter((path) => existsSync(join(path, 'webapps')));

export const classPathOf = (home: HadoopHome): readonly string[] =>
  (home.image?.jars ?? hadoopJars(home.folder)).map((path) => join(path, '*'));

export interface JavaProgram {
  /** The folders of the configuration and of temporary files. */
  readonly conf: string;
  readonly temporary: string;
  /** In MiB. */
  readonly heap: number;
  readonly main: string;
  readonly args?: readonly string[];
  /** Jars that come after those of Hadoop. */
  readonly libs?: readonly string[];
}

export function commandOf(
  home: HadoopHome,
  { conf, temporary, heap, main, args = [], libs = [] }: JavaProgram,
): Command {
  const path = [...pagesOf(home), conf, ...classPathOf(home), ...libs].join(':');
  const places = [`-Dhadoop.home.dir=${home.folder}`, `-Djava.io.tmpdir=${temporary}`];
  return {
    file: home.java,
    args: [`-Xmx${heap}m`, ...jvm, ...places, '-cp', path, main, ...args],
    env: { JAVA_HOME: home.javaHome, HADOOP_CONF_DIR: conf, HADOOP_CLASSPATH: [...libs].join(':') },
  };
}

/** Undefined if the cluster has no name node. */
export function hdfsOf(nodes: readonly EngineNode[]): Omit<Hdfs, 'user'> | undefined {
  const [name] = nodesWith(nodes, 'namenode');
  return (
    name && {
      authority: `${name.address}:${ports.namenode}`,
      page: `http://${name.address}:${ports.namenodePage}`,
      dataNodes: nodesWith(nodes, 'datanode').map(({ address }) => `${address}:${ports.datanodePage}`),
    }
  );
}
