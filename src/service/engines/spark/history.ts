// The history server of a Spark cluster: it shows the jobs that have ended, from the logs that their drivers write.
import { join } from 'node:path';
import { type EngineNode, type EngineProcess, nodesWith } from '../engine.ts';
import { ports } from './launch.ts';
import { historyHeapOf } from './options.ts';

export const historyServer = 'historyserver';

const folder = 'events';

/** The settings of the history server and of the jobs whose logs it reads. Empty if the cluster has none. */
export function historySettings(nodes: readonly EngineNode[]): Readonly<Record<string, string | number | boolean>> {
  const [server] = nodesWith(nodes, historyServer);
  if (server === undefined) return {};
  const logs = `file://${encodeURI(join(server.folder, folder))}`;
  return {
    'spark.eventLog.enabled': true,
    'spark.eventLog.dir': logs,
    'spark.history.fs.logDirectory': logs,
    'spark.history.ui.port': ports.historyPage,
  };
}

export const historyPage = ({ address }: EngineNode): string => `http://${address}:${ports.historyPage}`;

/** It has no arguments, and starts only if the folder of the logs is there. */
export const historyProcess = (own: Required<Pick<EngineProcess, 'files' | 'command'>>): EngineProcess => ({
  name: historyServer,
  target: 'Spark',
  memory: historyHeapOf,
  rank: 2,
  files: (...at) => ({ ...own.files(...at), [join(folder, '.keep')]: '' }),
  command: own.command,
  ready: (node) => ({
    url: `${historyPage(node)}/api/v1/applications?limit=1`,
    wanted: 'the history server answers',
    holds: Array.isArray,
  }),
});
