// HDFS beside Spark: its processes are those of Hadoop, and all programs of Spark know where it is.
import { join } from 'node:path';
import { type EngineNode, type EngineProcess, nodesWith } from '../engine.ts';
import { hdfsFiles } from '../hadoop/files.ts';
import { hdfsProcesses } from '../hadoop/hdfs.ts';
import type { HadoopHome } from '../hadoop/launch.ts';

/** What to do about processes that need a Hadoop where there is none, by their names. */
const remedy =
  'it needs Hadoop 3.5: install it with npm run engines, or name it with --hadoop, and restart the service';
export const absentWithout = (hadoop: HadoopHome | undefined): Readonly<Record<string, string>> =>
  hadoop === undefined ? { namenode: remedy, datanode: remedy } : {};

export const hdfsBeside = (hadoop: HadoopHome | undefined): readonly EngineProcess[] =>
  hadoop === undefined ? [] : hdfsProcesses(hadoop, hdfsFiles);

/** The configuration for clients of HDFS, in the folder. Empty if the cluster has none. */
export function clientFiles(node: EngineNode, nodes: readonly EngineNode[], folder: string) {
  const files = nodesWith(nodes, 'namenode').length === 0 ? {} : hdfsFiles(node, nodes);
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [join(folder, name), text]));
}
