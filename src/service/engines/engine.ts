// What an engine is: the processes of a plugin as data. Adding one takes a folder beside this file, and a line in `index.ts`.
import { join } from 'node:path';
import type { OnLine } from '../../lib/http/bounded.ts';
import type { FlatConfigs } from '../../wire/common.ts';
import type { JobType } from '../../wire/jobs.ts';
import type { JobNeed } from '../model/catalog/plugins.ts';
import { volumeCountOf } from '../model/records/machines.ts';
import type { ClusterRecord, GroupLoad, InfoMap, Machine } from '../model/records/records.ts';
import type { EngineGroup, EngineOption } from './engine-options.ts';
import type { PackageSet } from './packages/coordinates.ts';
import { isOfLine } from './release-line.ts';

/** A machine of a cluster, with what its processes need to know. */
export interface EngineNode extends EngineGroup {
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

/** Where programs listen that take any free port, such as executors, drivers and containers. Linux chooses them from these. */
export const randomPorts = { first: 32_768, last: 60_999 } as const;

/** Resolves once `onLine` got each line of the answer to a GET. Rejects unless it got all of them. */
export type ReadLines = (url: string, onLine: OnLine) => Promise<void>;

/** The text of the answer to a GET. Rejects unless the answer is a success. */
export type ReadText = (url: string) => Promise<string>;

/** A question over HTTP, and whether its JSON answer is the one that is waited for. An answer without a text is undefined. */
export interface Probe {
  readonly url: string;
  /** For messages, for example `2 workers are registered`. */
  readonly wanted: string;
  readonly holds: (answer: unknown) => boolean;
  /**
   * How to find out what is missing although it holds, from longer answers, for messages: undefined if nothing is. That takes a while, so it must not hold the
   * answer. It rejects if it cannot be found out.
   */
  readonly lacks?: (answer: unknown) => (read: ReadLines) => Promise<string | undefined>;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Drain {
  /** What tells the process to begin. When absent, others do, whose files name it. */
  readonly signal?: NodeJS.Signals;
  /** The processes that it has started get the signal, too, again and again until it is done: one that is just starting may not heed the first. */
  readonly signalsChildren?: boolean;
  /** The process has to run until it is done, because data is lost otherwise. When absent: the work of one that ends is done again by others. */
  readonly isNeeded?: boolean;
  /** Then the work of the process is taken from it, or the drain fails if it is needed. */
  limitMs(node: EngineNode): number;
  done(node: EngineNode, nodes: readonly EngineNode[]): Probe;
}

/** Where metrics are served over HTTP, in the text format of Prometheus. */
export interface MetricsPage {
  readonly port: number;
  readonly path: string;
}

/** A node process, for example a Spark master. */
export interface EngineProcess {
  /** The word for it in `node_processes`. */
  readonly name: string;
  /** The part of the engine that it belongs to. */
  readonly target: string;
  /** The image that it is in, by its name in the registry. When absent: that of its plugin. */
  readonly image?: string;
  /** Processes of a rank start when those of all lower ranks answer. */
  readonly rank: number;
  /** How much memory it can take on a machine of the group, in MiB, with what runs in it. */
  memory(group: EngineGroup): number;
  command(node: EngineNode, nodes: readonly EngineNode[]): Command;
  /**
   * Files in the folder of the machine, by relative path. They are readable by the user of the service only. `leaving`: the machines that are being
   * drained.
   */
  files?(
    node: EngineNode,
    nodes: readonly EngineNode[],
    leaving?: readonly EngineNode[],
  ): Readonly<Record<string, string>>;
  /** Whether it can be used. A process that does not answer over HTTP is asked for at another one of the cluster, and listens at the first of its `ports`. */
  ready(node: EngineNode, nodes: readonly EngineNode[]): Probe;
  /** Where it listens for other machines and for jobs, besides the random ports. When absent: nowhere. */
  readonly ports?: readonly number[];
  /** It can be used once it listens at this port, which Kubernetes can ask for. When absent: once its page answers. */
  readonly listens?: number;
  /** Where it serves metrics, all at its page. When absent: nowhere. */
  readonly metrics?: readonly MetricsPage[];
  /** Nobody who reaches its page, and whatever else it serves at that port, can change anything. When absent: somebody can, or it is not known. */
  readonly hasReadOnlyPage?: boolean;
  /** Makes the running process read its files again. It can be called at any time. */
  reload?(node: EngineNode): Command;
  /** How the process gets rid of its work before it is stopped. */
  readonly drain?: Drain;
  /** The folder in its first volume, without which the process that is started again does not know what it had. It is small. When absent: there is none. */
  readonly state?: (node: EngineNode) => string;
}

/** Where a run takes place. */
export interface RunPlace {
  /** The identifier of the execution. */
  readonly id: string;
  /** The machines of the cluster. Empty once it is gone. */
  readonly nodes: readonly EngineNode[];
  /** Where the program runs, and where its files are. */
  readonly folder: string;
  /** The address that only this run of this computer has. */
  readonly address: string;
}

/** A run of a job, with everything that its program needs. */
export interface EngineRun extends RunPlace {
  /** Files in the folder, by absolute path. */
  readonly mains: readonly string[];
  readonly libs: readonly string[];
  readonly args: readonly string[];
  readonly configs: FlatConfigs;
  readonly params: FlatConfigs;
  /** URLs of the data sources. */
  readonly input: string | undefined;
  readonly output: string | undefined;
  /** Undefined if the run does not use S3. */
  readonly s3?: RunS3 | undefined;
  /** The jars of its packages, by absolute path. Undefined if there are none, or until they are resolved. */
  readonly packages?: readonly string[] | undefined;
}

/** What a program of Hadoop needs to use S3. */
export interface RunS3 {
  /** Settings of Hadoop. They contain no keys. */
  readonly settings: Readonly<Record<string, string>>;
  /** What has to follow its class path, on all machines. */
  readonly classPath: readonly string[];
}

/** The program of a run. Its exit code decides how the run ends. */
export interface Program extends Command {
  /** Files in the folder, by relative path. They are readable by the user of the service only, which makes them the place for secrets. */
  readonly files?: Readonly<Record<string, string>>;
  /** A file of the job with Python packages, or with a list of them, and where the zip archive with the packages has to be: relative paths in the folder. */
  readonly environment?: { readonly from: string; readonly archive: string };
}

/** Asks over HTTP for JSON: a GET, or a PUT with this body. Rejects unless the answer is a success. */
export type AskJson = (url: string, put?: unknown) => Promise<unknown>;

/** The HDFS of a cluster. */
export interface Hdfs {
  /** Host and port in its URLs, for example `127.77.1.1:8020`. */
  readonly authority: string;
  /** The user that its programs are, whose folder relative paths begin at. */
  readonly user: string;
  /** Where its name node answers over HTTP. */
  readonly page: string;
  /** Hosts and ports at which its data nodes answer over HTTP. */
  readonly dataNodes: readonly string[];
}

/** Something that can be set for a run. */
export type JobOption = Pick<EngineOption, 'name' | 'default' | 'description'>;

export interface EngineHints {
  readonly options: readonly JobOption[];
  readonly takes: readonly ('params' | 'args')[];
}

/** What an engine knows of a run that goes on. */
export interface ObservedRun {
  /** How much of it is done, from 0 to 1. Undefined if that is not known. */
  readonly progress?: number | undefined;
  /** What keeps it from getting anything of its cluster. Undefined if nothing does, or if that is not known. */
  readonly waiting?: string | undefined;
}

/** A type of jobs that an engine runs. */
export interface EngineJob {
  readonly type: JobType;
  /** What can be set in `configs`, and what else it takes. When absent: what upstream says. */
  readonly hints?: EngineHints;
  /** What a request has to contain to run it. When absent: what it has to in every service. */
  readonly needs?: readonly JobNeed[];
  /** The targets of the pages of the cluster that show its runs. When absent: no page does. */
  readonly shownOn?: readonly string[];
  /** Its program fails if its output exists already. */
  readonly makesOutput?: boolean;
  /** What has to follow the class path of a program that uses S3. Throws an Error with the remedy if the computer lacks it. When absent: no run gets `s3`. */
  readonly s3Path?: () => readonly string[];
  /** The packages in the settings of the run. Undefined if it has none. Throws an Error with the remedy if they are malformed. When absent: no job has any. */
  packages?(configs: FlatConfigs): PackageSet | undefined;
  /** Throws an Error that names the field and the remedy if the run cannot work. Nothing has been started by then. */
  program(run: EngineRun): Program;
  /** Throws an Error with the remedy if a main with this text cannot work. When absent: any main can. */
  checkMain?(text: string): void;
  /** Where its program serves metrics. When absent: nowhere. */
  readonly metrics?: readonly MetricsPage[];
  /** Where `observe` asks the program itself. When absent: it asks the cluster. */
  readonly progressPort?: number;
  /** What is known of a run that goes on. When absent: nothing. */
  observe?(place: RunPlace, ask: AskJson): Promise<ObservedRun>;
  /** Ends what the program has started on the cluster, if that outlives the program. It can be called repeatedly. */
  cancel?(place: RunPlace, ask: AskJson): Promise<void>;
}

export interface Engine {
  /** The plugin, and the beginning of the versions that this engine runs, for example `4.1`. */
  readonly plugin: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly options: readonly EngineOption[];
  /** Variables of the environment that all programs in its pods get, also those of jobs. When absent: none. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly processes: readonly EngineProcess[];
  /** Processes that it does not have here, by name, with what to do about it. */
  readonly absent?: Readonly<Record<string, string>>;
  readonly jobs: readonly EngineJob[];
  /** Types of jobs that it does not have here, with what to do about it. */
  readonly absentJobs?: Readonly<Record<string, string>>;
  /** Throws an Error that names the field and the remedy if the processes of these groups, in these numbers, cannot work together. */
  checkLayout(cluster: ClusterRecord): void;
  /** What holds once the cluster can be used. */
  usable(nodes: readonly EngineNode[]): readonly Probe[];
  pages(nodes: readonly EngineNode[]): InfoMap;
  /** What the work on the machines needs, by the name of each node group that can be scaled. Rejects if that cannot be found out. When absent: nothing tells it. */
  load?(nodes: readonly EngineNode[], read: ReadText): Promise<Readonly<Record<string, GroupLoad>>>;
  /** Whether what its runs log outlives the cluster. When absent: it does not. */
  keepsHistory?(cluster: ClusterRecord): boolean;
  /** Undefined if the cluster has none. */
  hdfs?(nodes: readonly EngineNode[]): Hdfs | undefined;
}

/** Whether the engine runs the plugin of the cluster. */
export const canRun = ({ plugin, version }: Engine, { plugin_name, bigdata_version }: ClusterRecord): boolean =>
  plugin === plugin_name && isOfLine(bigdata_version, version);

/** The engine that runs the plugin of the cluster. Throws if there is none. */
export function engineOf(engines: readonly Engine[], cluster: ClusterRecord): Engine {
  const { plugin_name, bigdata_version } = cluster;
  const engine = engines.find((each) => canRun(each, cluster));
  if (engine !== undefined) return engine;
  const known = engines.map(({ plugin, version }) => `${plugin} ${version}`).join(', ');
  throw new Error(`cannot run ${plugin_name} ${bigdata_version} on this computer: there is ${known}`);
}

/** In the order in which they are drained: those with data come last, when the others write nothing any more. */
export const drainOrder = ({ processes }: Engine): readonly EngineProcess[] => {
  const hasData = ({ drain }: EngineProcess) => drain?.isNeeded === true;
  return [...processes.filter((process) => !hasData(process)), ...processes.filter(hasData)];
};

export const nodesWith = (nodes: readonly EngineNode[], process: string): readonly EngineNode[] =>
  nodes.filter(({ processes }) => processes.includes(process));

/** How many machines the cluster has, or is to have, with the process. */
export const countOf = ({ node_groups }: ClusterRecord, process: string): number =>
  node_groups
    .filter(({ node_processes }) => node_processes.includes(process))
    .reduce((sum, { count }) => sum + Math.max(count, 0), 0);

const volumeOf = ({ folder }: Pick<EngineNode, 'folder'>, index: number): string =>
  join(folder, 'volumes', String(index));

/** The folders for the data of the machine: one for each volume, or one. */
export const volumesOf = (node: Pick<EngineNode, 'folder' | 'group'>): readonly string[] =>
  Array.from({ length: Math.max(volumeCountOf(node.group), 1) }, (_, index) => volumeOf(node, index));

/** The first of them, which every machine has. */
export const firstVolumeOf = (node: Pick<EngineNode, 'folder'>): string => volumeOf(node, 0);
