// The history server of a Spark cluster: it shows the jobs that have ended, from the logs that their drivers write.
import { join } from 'node:path';
import { type Command, type EngineNode, type EngineProcess, nodesWith } from '../engine.ts';
import { hdfsUrl } from '../hadoop/hdfs.ts';
import { ports } from './launch.ts';
import { historyHeapOf } from './options.ts';

export const historyServer = 'historyserver';

const main = 'org.apache.spark.deploy.history.HistoryServer';
const folder = 'events';

/** Where the logs are: in HDFS, or else on the machine of the history server. */
function logsOf(server: EngineNode, nodes: readonly EngineNode[]): string {
  const hdfs = hdfsUrl(nodes);
  return hdfs === undefined ? `file://${encodeURI(join(server.folder, folder))}` : `${hdfs}/spark-${folder}`;
}

/** The settings of the history server and of the jobs whose logs it reads. Empty if the cluster has none. */
export function historySettings(nodes: readonly EngineNode[]): Readonly<Record<string, string | number | boolean>> {
  const [server] = nodesWith(nodes, historyServer);
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

/** Makes the folder of the logs first, because nothing starts without it. The settings are in the folder that the environment names. */
const making = 'logs=$1 main=$2; shift 2; "$@" org.apache.hadoop.fs.FsShell -mkdir -p "$logs" && exec "$@" "$main"';

interface Daemon extends Required<Pick<EngineProcess, 'files'>> {
  /** How the main class is run. */
  readonly commandOf: (node: EngineNode, heap: number, main: string) => Command;
}

export const historyProcess = ({ files, commandOf }: Daemon): EngineProcess => ({
  name: historyServer,
  target: 'Spark',
  memory: historyHeapOf,
  rank: 2,
  files: (...at) => ({ ...files(...at), [join(folder, '.keep')]: '' }),
  command(node, nodes) {
    const { file, args, env } = commandOf(node, historyHeapOf(node), main);
    if (hdfsUrl(nodes) === undefined) return { file, args, env };
    const java = [file, ...args.slice(0, args.indexOf(main))];
    return { file: '/bin/sh', args: ['-c', making, 'sh', logsOf(node, nodes), main, ...java], env };
  },
  hasReadOnlyPage: true,
  ready: (node) => ({
    url: `${historyPage(node)}/api/v1/applications?limit=1`,
    wanted: 'the history server answers',
    holds: Array.isArray,
  }),
});
