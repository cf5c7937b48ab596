// Flink session clusters: one job manager, and task managers that register with it.
import { join } from 'node:path';
import type { ClusterRecord } from '../../model/records/records.ts';
import { countOf, type Engine, type EngineNode, type EngineProcess, nodesWith, type Probe } from '../engine.ts';
import { type Flavor, usualFlavors } from '../flavors.ts';
import { shellJob } from '../jobs/shell-job.ts';
import { commonSettings, confOf, workerSettings } from './config-files.ts';
import { flinkJob } from './jobs.ts';
import { commandOf, type FlinkHome, filesIn, ports, restOf } from './launch.ts';
import { checkWorker, managerHeapOf, memoryPartsOf, workerMemoryOf } from './memory.ts';
import { decommissionSecondsOf, flinkOptions, manager, worker } from './options.ts';

interface TaskManagers {
  readonly taskmanagers?: readonly {
    readonly id?: string;
    readonly slotsNumber?: number;
    readonly freeSlots?: number;
  }[];
}
const taskManagerOf = (answer: unknown, { address }: EngineNode) =>
  ((answer as TaskManagers).taskmanagers ?? []).find(({ id }) => id === address);

/** What the job manager knows of its task managers. They have no page of their own. */
const askManager = (node: EngineNode, nodes: readonly EngineNode[], asked: Omit<Probe, 'url'>): Probe => ({
  url: `${restOf(nodes) ?? `http://${node.address}:${ports.rest}`}/taskmanagers`,
  ...asked,
});

const managerProcess = (home: FlinkHome): EngineProcess => ({
  name: manager,
  target: 'Flink',
  rank: 0,
  memory: managerHeapOf,
  files: (node, nodes) => filesIn(confOf[manager], commonSettings(home, node, nodes, confOf[manager]), 'info'),
  command: (node) => {
    const folder = join(node.folder, confOf[manager]);
    return commandOf(home, {
      conf: folder,
      memory: [`-Xmx${managerHeapOf(node)}m`, '-XX:TieredStopAtLevel=1', '-Xss512k'],
      main: 'org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint',
      args: ['--configDir', folder],
    });
  },
  ports: [ports.manager, ports.blobs, ports.rest],
  ready: ({ address }) => ({
    url: `http://${address}:${ports.rest}/overview`,
    wanted: 'the job manager answers',
    holds: (answer) => typeof (answer as { readonly taskmanagers?: unknown }).taskmanagers === 'number',
  }),
});

/** Flink cannot tell a task manager to take no more tasks. Jobs that end meanwhile lose nothing. */
const drain: NonNullable<EngineProcess['drain']> = {
  limitMs: (node) => decommissionSecondsOf(node) * 1000,
  done: (node, nodes) =>
    askManager(node, nodes, {
      wanted: 'no job has tasks on it',
      holds: (answer) => {
        const { slotsNumber, freeSlots } = taskManagerOf(answer, node) ?? {};
        return slotsNumber === freeSlots;
      },
    }),
};

const workerProcess = (home: FlinkHome, flavors: readonly Flavor[]): EngineProcess => ({
  name: worker,
  target: 'Flink',
  rank: 1,
  memory: (group) => workerMemoryOf(group, flavors),
  files(node, nodes) {
    const conf = confOf[worker];
    return filesIn(conf, { ...commonSettings(home, node, nodes, conf), ...workerSettings(node, flavors) }, 'info');
  },
  command(node) {
    const parts = memoryPartsOf(workerMemoryOf(node, flavors));
    const folder = join(node.folder, confOf[worker]);
    return commandOf(home, {
      conf: folder,
      memory: [
        `-Xmx${parts.frameworkHeap + parts.tasks}m`,
        `-XX:MaxDirectMemorySize=${parts.frameworkOffHeap + parts.network}m`,
        `-XX:MaxMetaspaceSize=${parts.metaspace}m`,
      ],
      main: 'org.apache.flink.runtime.taskexecutor.TaskManagerRunner',
      args: ['--configDir', folder],
    });
  },
  ports: [ports.worker, ports.data],
  ready: (node, nodes) =>
    askManager(node, nodes, {
      wanted: 'the task manager is registered',
      holds: (answer) => taskManagerOf(answer, node) !== undefined,
    }),
  drain,
});

function checkLayout(cluster: ClusterRecord, flavors: readonly Flavor[]): void {
  const managers = countOf(cluster, manager);
  if (managers !== 1)
    throw new Error(
      `node_groups have ${managers} machines with the process ${manager}: a Flink cluster needs exactly one`,
    );
  if (countOf(cluster, worker) === 0)
    throw new Error(`node_groups have no machine with the process ${worker}: a Flink cluster needs at least one`);
  for (const group of cluster.node_groups) checkWorker({ cluster, group }, flavors);
}

export const createFlink = (home: FlinkHome, flavors = usualFlavors): Engine => ({
  plugin: 'flink',
  version: '2.3',
  title: 'Apache Flink',
  description: 'Flink session clusters of processes on the computer of the service',
  options: flinkOptions,
  processes: [managerProcess(home), workerProcess(home, flavors)],
  jobs: [flinkJob(home), shellJob],
  checkLayout: (cluster) => checkLayout(cluster, flavors),
  usable(nodes) {
    const workers = nodesWith(nodes, worker);
    return nodesWith(nodes, manager).map((node) =>
      askManager(node, nodes, {
        wanted: `${workers.length} task managers are registered`,
        holds: (answer) => workers.every((each) => taskManagerOf(answer, each) !== undefined),
      }),
    );
  },
  pages: (nodes) => {
    const page = restOf(nodes);
    return page === undefined ? {} : { Flink: { 'Web UI': page } };
  },
});
