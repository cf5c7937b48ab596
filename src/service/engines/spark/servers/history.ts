// The history server of a Spark cluster: it shows the jobs that have ended, from the logs that their drivers write.
import { join } from 'node:path';
import { type Command, type EngineNode, type EngineProcess, nodesWith } from '../../engine.ts';
import { xmlOf } from '../../hadoop/config-files.ts';
import { hdfsUrl } from '../../hadoop/hdfs.ts';
import { ports, type SparkHome } from '../launch.ts';
import { historyHeapOf } from '../memory.ts';
import { bucketSettings, inSpark, logsInS3 } from './history-s3.ts';

export const historyServer = 'historyserver';

const main = 'org.apache.spark.deploy.history.HistoryServer';
const folder = 'events';

/** Where the logs are: in S3 or HDFS, or else on the machine of the history server. */
function logsOf(server: EngineNode, nodes: readonly EngineNode[]): string {
  const [s3, hdfs] = [logsInS3(server), hdfsUrl(nodes)];
  if (s3 !== undefined) return s3;
  return hdfs === undefined ? `file://${encodeURI(join(server.folder, folder))}` : `${hdfs}/spark-${folder}`;
}

/** The settings of the history server and of the jobs whose logs it reads. Empty if nobody reads them. */
export function historySettings(nodes: readonly EngineNode[]): Readonly<Record<string, string | number | boolean>> {
  // Servers elsewhere read those in S3.
  const [server] = [...nodesWith(nodes, historyServer), ...nodes.filter((node) => logsInS3(node) !== undefined)];
  if (server === undefined) return {};
  const logs = logsOf(server, nodes);
  return {
    'spark.eventLog.enabled': true,
    'spark.eventLog.dir': logs,
    'spark.history.fs.logDirectory': logs,
    'spark.history.ui.port': ports.historyPage,
  };
}

export const historyPage = ({ address }: EngineNode): string => `http://${address}:${ports.historyPage}`;

/** Makes the folder of the logs first, because nothing starts without it. The settings are in the folder that the environment names, and those of S3 in a file. */
const making =
  'logs=$1 main=$2 site=$3; shift 3; "$@" org.apache.hadoop.fs.FsShell -conf "$site" -mkdir -p "$logs" && exec "$@" "$main"';
const site = join('conf', 'history-site.xml');

/** What the history server itself needs to reach S3. */
export const historyKeys = (home: SparkHome, node: EngineNode): Readonly<Record<string, string>> =>
  node.processes.includes(historyServer) ? inSpark(bucketSettings(home, node)) : {};

interface Daemon extends Required<Pick<EngineProcess, 'files'>> {
  /** How the main class is run. */
  readonly commandOf: (node: EngineNode, heap: number, main: string) => Command;
}

export const historyProcess = (home: SparkHome, { files, commandOf }: Daemon): EngineProcess => ({
  name: historyServer,
  target: 'Spark',
  memory: historyHeapOf,
  rank: 2,
  files: (node, ...at) => ({
    // The program that makes the folder does not start without one.
    [join('conf', 'core-site.xml')]: xmlOf({}),
    ...files(node, ...at),
    [site]: xmlOf(bucketSettings(home, node)),
    [join(folder, '.keep')]: '',
  }),
  command(node, nodes) {
    const { file, args, env } = commandOf(node, historyHeapOf(node), main);
    const logs = logsOf(node, nodes);
    if (logs.startsWith('file:')) return { file, args, env };
    const java = [file, ...args.slice(0, args.indexOf(main))];
    return { file: '/bin/sh', args: ['-c', making, 'sh', logs, main, join(node.folder, site), ...java], env };
  },
  hasReadOnlyPage: true,
  ready: (node) => ({
    url: `${historyPage(node)}/api/v1/applications?limit=1`,
    wanted: 'the history server answers',
    holds: Array.isArray,
  }),
});
