// What is in the configuration files of the processes of Flink: the options of the cluster, and what the service sets itself.
import { join } from 'node:path';
import { type EngineNode, nodesWith, volumesOf } from '../engine.ts';
import type { Flavor } from '../flavors.ts';
import { type FlinkHome, ports } from './launch.ts';
import { memoryPartsOf, slotsOf, workerMemoryOf } from './memory.ts';
import { manager, settingsOf, worker } from './options.ts';

/** The folders of the configurations, which differ where both are on one machine. */
export const confOf = { [manager]: 'flink-jobmanager', [worker]: 'flink-taskmanager' } as const;

/** The settings of the service come last. What is not in a folder of the machine would be in one that all clusters share. */
export function commonSettings(home: FlinkHome, node: EngineNode, nodes: readonly EngineNode[], conf: string) {
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
export function workerSettings(node: EngineNode, flavors: readonly Flavor[]) {
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
