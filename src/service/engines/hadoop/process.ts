// What the processes of Hadoop have in common.
import { join } from 'node:path';
import type { ClusterRecord } from '../../model/records/records.ts';
import { type Command, countOf, type EngineNode, type EngineProcess, nodesWith, type Probe } from '../engine.ts';
import { confFolder, machineFiles } from './config-files.ts';
import { commandOf, type HadoopHome, type JavaProgram } from './launch.ts';
import { heapSize } from './memory.ts';
import { type ProcessName, targetOfProcess } from './options.ts';
import { hadoopSource } from './source.ts';

/** The configuration of a machine: texts by the name of their file. */
export type SettingsOf = (node: EngineNode, nodes: readonly EngineNode[]) => Readonly<Record<string, string>>;
export type Readiness = Pick<Probe, 'url' | 'holds'>;

/** What the process has besides what all of them have. `also`: files of its own. */
interface Own
  extends Pick<EngineProcess, 'rank'>,
    Partial<Pick<EngineProcess, 'memory' | 'ports' | 'reload' | 'drain' | 'state'>> {
  readonly main: string;
  /** The port of its page. */
  readonly page: number;
  readonly answers: (node: EngineNode) => Readiness;
  readonly command?: (usual: Command, node: EngineNode) => Command;
  readonly also?: (nodes: readonly EngineNode[], leaving: readonly EngineNode[]) => Readonly<Record<string, string>>;
}

/** The setting with which they serve metrics. */
export const metricsSettings = ({ metrics }: HadoopHome): Readonly<Record<string, string>> =>
  metrics === true ? { 'hadoop.prometheus.endpoint.enabled': 'true' } : {};

const programOf = (home: HadoopHome, node: EngineNode, program: Pick<JavaProgram, 'heap' | 'main' | 'args'>): Command =>
  commandOf(home, { conf: join(node.folder, confFolder), temporary: join(node.folder, 'tmp'), ...program });

export const processOf = (
  home: HadoopHome,
  settings: SettingsOf,
  name: ProcessName,
  { main, page, answers, command, also, ...rest }: Own,
): EngineProcess => ({
  name,
  target: targetOfProcess(name),
  // Also beside other engines.
  image: hadoopSource.name,
  memory: (group) => heapSize(group, name),
  command(node) {
    const usual = programOf(home, node, { heap: heapSize(node, name), main });
    return command?.(usual, node) ?? usual;
  },
  files: (node, nodes, leaving = []) => ({ ...machineFiles(settings(node, nodes)), ...also?.(nodes, leaving) }),
  ready: (node) => ({ ...answers(node), wanted: `the ${name} answers` }),
  ...(home.metrics === true && { metrics: [{ port: page, path: '/prom' }] }),
  ...rest,
});

/** For commands that end soon. */
const toolHeap = 96;

export const toolOf = (home: HadoopHome, main: string, args: readonly string[]) => (node: EngineNode) =>
  programOf(home, node, { heap: toolHeap, main, args });

/** The head says when a machine has nothing left. */
export const drainedBy = (
  head: ProcessName,
  url: (head: EngineNode) => string,
  told: (node: EngineNode, head: EngineNode) => Pick<Probe, 'holds' | 'lacks'>,
) => ({
  done(node: EngineNode, nodes: readonly EngineNode[]): Probe {
    const at = nodesWith(nodes, head)[0] ?? node;
    return { url: url(at), wanted: `${node.machine.instance_name} is decommissioned`, ...told(node, at) };
  },
});

/** Why a cluster with so many machines that have the process is refused. */
export const refuse = (cluster: ClusterRecord, process: ProcessName, why: string): Error =>
  new Error(`node_groups have ${countOf(cluster, process)} machines with the process ${process}: ${why}`);

/** Throws unless there are both or none, and one head. */
export function checkHead(cluster: ClusterRecord, head: ProcessName, worker: ProcessName): void {
  const [heads, workers] = [countOf(cluster, head), countOf(cluster, worker)];
  if (heads > 1) throw refuse(cluster, head, 'a cluster has one at most');
  if (heads === 0 && workers > 0) throw refuse(cluster, head, `${worker} needs one`);
  if (heads === 1 && workers === 0) throw refuse(cluster, worker, `${head} needs at least one`);
}
