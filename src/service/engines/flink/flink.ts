// Flink session clusters: one job manager, and task managers that register with it.
import { join } from 'node:path';
import type { ClusterRecord } from '../../model/records/records.ts';
import {
  countOf,
  type Engine,
  type EngineNode,
  type EngineProcess,
  nodesWith,
  type Probe,
  volumesOf,
} from '../engine.ts';
import { type Flavor, usualFlavors } from '../flavors.ts';
import { shellJob } from '../jobs/shell-job.ts';
import { flinkJob } from './jobs.ts';
import { commandOf, type FlinkHome, filesIn, ports, restOf } from './launch.ts';
import { checkWorker, managerHeapOf, memoryPartsOf, slotsOf, workerMemoryOf } from './memory.ts';
import { decommissionSecondsOf, flinkOptions, manager, settingsOf, worker } from './options.ts';

/** The folders of the configurations, which differ where both are on one machine. */
const confOf = { [manager]: 'flink-jobmanager', [worker]: 'flink-taskmanager' } as const;

/** The settings of the service come last. What is not in a folder of the machine would be in one that all clusters share. */
function commonOf(home: FlinkHome, node: EngineNode, nodes: readonly EngineNode[], conf: string) {
  const [head] = nodesWith(nodes, manager);
  const temporary = join(node.folder, conf, 'tmp');
  return {
    ...settingsOf(node),
    'jobmanager.rpc.address': head?.address ?? node.address,
    'jobmanager.rpc.port': ports.manager,
    'rest.address': head?.address ?? node.address,
    'rest.port': ports.rest,
    'blob.server.port': ports.blobs,
    'blob.storage.directory': temporary,
    'io.tmp.dirs': volumesOf(node).join(','),
    // In a pod, the page must be reached at 127.0.0.1, too, where port-forward looks for it.
    ...bindings(home.isImage === true ? '0.0.0.0' : node.address),
    // Neither the page nor its API runs jars that somebody uploads, and the page has no buttons that cancel.
    'web.submit.enable': false,
    'web.cancel.enable': false,
    'web.rescale.enable': false,
    'web.tmpdir': temporary,
  };
}

const bindings = (address: string) => ({
  'jobmanager.bind-host': address,
  'taskmanager.bind-host': address,
  'rest.bind-address': address,
});

/** The sizes are those that the flags of the virtual machine follow from. */
function workerSettings(node: EngineNode, flavors: readonly Flavor[]) {
  const parts = memoryPartsOf(workerMemoryOf(node, flavors));
  const sizes = {
    'framework.heap.size': parts.frameworkHeap,
    'framework.off-heap.size': parts.frameworkOffHeap,
    // A part of the one before: the usual one would be most of it.
    'framework.off-heap.batch-shuffle.size': 32,
    'task.heap.size': parts.tasks,
    'task.off-heap.size': 0,
    'managed.size': parts.managed,
    'network.min': parts.network,
    'network.max': parts.network,
    'jvm-metaspace.size': parts.metaspace,
    'jvm-overhead.min': parts.overhead,
    'jvm-overhead.max': parts.overhead,
  };
  const slots = slotsOf(node, flavors);
  return {
    ...Object.fromEntries(Object.entries(sizes).map(([name, size]) => [`taskmanager.memory.${name}`, `${size}m`])),
    'taskmanager.host': node.address,
    // By its address, the job manager knows each of them.
    'taskmanager.resource-id': node.address,
    'taskmanager.rpc.port': ports.worker,
    'taskmanager.data.port': ports.data,
    'taskmanager.numberOfTaskSlots': slots,
    'taskmanager.cpu.cores': slots,
  };
}

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
  files: (node, nodes) => filesIn(confOf[manager], commonOf(home, node, nodes, confOf[manager]), 'info'),
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
    return filesIn(conf, { ...commonOf(home, node, nodes, conf), ...workerSettings(node, flavors) }, 'info');
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
