// What an engine is: the processes of a plugin as data. Adding one takes a folder beside this file.
import type { ClusterRecord, InfoMap, Machine } from '../records/records.ts';

/** A machine of a cluster, with what its processes need to know. */
export interface EngineNode {
  readonly cluster: ClusterRecord;
  readonly machine: Machine;
  /** The node processes of its group. */
  readonly processes: readonly string[];
  /** The address that only this machine of this computer has. */
  readonly address: string;
  /** Where its files are. */
  readonly folder: string;
  /** A random text that the machines of the cluster share, for engines that authenticate their processes. */
  readonly secret: string;
}

/** A question over HTTP, and whether its JSON answer is the one that is waited for. */
export interface Probe {
  readonly url: string;
  /** For messages, for example `2 workers are registered`. */
  readonly wanted: string;
  readonly holds: (answer: unknown) => boolean;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A node process, for example a Spark master. */
export interface EngineProcess {
  /** The word for it in `node_processes`. */
  readonly name: string;
  /** Processes of a rank start when those of all lower ranks answer. */
  readonly rank: number;
  command(node: EngineNode, nodes: readonly EngineNode[]): Command;
  /** Files in the folder of the machine, by relative path. They are readable by the user of the service only. */
  files?(node: EngineNode, nodes: readonly EngineNode[]): Readonly<Record<string, string>>;
  ready(node: EngineNode): Probe;
  /** How the process gets rid of its work before it is stopped. */
  readonly drain?: { readonly signal: NodeJS.Signals; done(node: EngineNode): Probe };
}

export interface Engine {
  /** The plugin, and the beginning of the versions that this engine runs, for example `4.1`. */
  readonly plugin: string;
  readonly version: string;
  readonly processes: readonly EngineProcess[];
  /** Throws an Error that names the field and the remedy if the processes of these groups cannot work together. */
  checkLayout(cluster: ClusterRecord): void;
  /** What holds once the cluster can be used. */
  usable(nodes: readonly EngineNode[]): readonly Probe[];
  pages(nodes: readonly EngineNode[]): InfoMap;
}

export const nodesWith = (nodes: readonly EngineNode[], process: string): readonly EngineNode[] =>
  nodes.filter(({ processes }) => processes.includes(process));
