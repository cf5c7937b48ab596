// The options of Hadoop.

import { decommissionTimeout, type EngineGroup, type EngineOption, optionsOf, readNumber } from '../engine-options.ts';

const count = { form: [/^[1-9]\d{0,11}$/, 'a whole number, 1 at least'] as const };
const heap = { least: 64 };

/** By process: its target, and the option that is its heap. */
const heapLines = {
  namenode: ['HDFS', 'Name Node Heap Size', 128, 'Memory of the name node in MiB'],
  datanode: ['HDFS', 'Data Node Heap Size', 96, 'Memory of a data node in MiB'],
  resourcemanager: ['YARN', 'ResourceManager Heap Size', 160, 'Memory of the resource manager in MiB'],
  nodemanager: ['YARN', 'NodeManager Heap Size', 128, 'Memory of a node manager itself in MiB, without its containers'],
  historyserver: ['MapReduce', 'JobHistoryServer Heap Size', 128, 'Memory of the history server in MiB'],
} as const;
export type ProcessName = keyof typeof heapLines;

export const heapOf = (process: ProcessName): EngineOption => {
  const [target, name, value, description] = heapLines[process];
  return { target, name, default: value, description, scope: 'node', ...heap };
};
export const processNames = Object.keys(heapLines) as readonly ProcessName[];
export const targetOfProcess = (process: ProcessName): string => heapLines[process][0];

const containers = optionsOf({ target: 'YARN', scope: 'node' }, [
  [
    'yarn.nodemanager.resource.memory-mb',
    'all',
    'Memory for containers on a machine in MiB. all: what its flavor leaves',
    {
      form: [/^(all|[1-9]\d{0,8})$/, 'all, or a number of MiB'],
    },
  ],
  [
    'yarn.nodemanager.resource.cpu-vcores',
    'all',
    'Cores for containers on a machine. all: those of its flavor',
    {
      form: [/^(all|[1-9]\d{0,3})$/, 'all, or a whole number'],
    },
  ],
]);
export const [containerMemory, containerCores] = containers;

const hdfs = [
  ...optionsOf({ target: 'HDFS', scope: 'cluster', file: 'hdfs-site.xml' }, [
    ['dfs.replication', 1, 'Copies of each block. There have to be as many data nodes', { least: 1 }],
    ['dfs.blocksize', 134_217_728, 'Bytes of a block', { least: 1_048_576 }],
    ['dfs.permissions.enabled', false, 'Checks permissions'],
    ['dfs.namenode.handler.count', 10, 'Server threads of the name node', { least: 1 }],
    ['dfs.datanode.handler.count', 10, 'Server threads of a data node', { least: 1 }],
    ['dfs.datanode.max.transfer.threads', 4096, 'Transfer threads of a data node', { least: 1 }],
    ['dfs.datanode.du.reserved', 0, 'Bytes that a data node leaves free on each volume'],
  ]),
  ...optionsOf({ target: 'HDFS', scope: 'cluster', file: 'core-site.xml' }, [
    ['fs.trash.interval', 0, 'Minutes that deleted files can be restored. 0: not at all'],
    ['io.file.buffer.size', 65_536, 'Bytes of the buffers of files', { least: 4096 }],
  ]),
];
const [replication] = hdfs;

const yarn = optionsOf({ target: 'YARN', scope: 'cluster', file: 'yarn-site.xml' }, [
  ['yarn.scheduler.minimum-allocation-mb', 128, 'Smallest container in MiB', { least: 1 }],
  ['yarn.scheduler.maximum-allocation-mb', 8192, 'Largest container in MiB', { least: 1 }],
  ['yarn.nodemanager.vmem-check-enabled', false, 'Ends containers that exceed their virtual memory'],
  ['yarn.nodemanager.pmem-check-enabled', false, 'Ends containers that exceed their memory'],
  ['yarn.resourcemanager.am.max-attempts', 2, 'How often the master of an application is tried', { least: 1 }],
  ['yarn.log-aggregation-enable', false, 'Collects the logs of containers in HDFS'],
]);

const mapReduce = optionsOf({ target: 'MapReduce', scope: 'cluster', file: 'mapred-site.xml' }, [
  ['yarn.app.mapreduce.am.resource.mb', 384, 'Memory of the master of a job in MiB', { least: 128 }],
  ['yarn.app.mapreduce.am.command-opts', '-Xmx200m', 'Options of the virtual machine of the master of a job'],
  ['mapreduce.map.memory.mb', 256, 'Memory of a map task in MiB', { least: 128 }],
  ['mapreduce.reduce.memory.mb', 256, 'Memory of a reduce task in MiB', { least: 128 }],
  ['mapred.child.java.opts', '-Xmx160m', 'Options of the virtual machines of tasks'],
  ['mapreduce.task.io.sort.mb', 32, 'MiB for sorting in a map task', { least: 1 }],
  ['mapreduce.job.maps', 2, 'Map tasks of a job, as a hint', { least: 1 }],
  ['mapreduce.job.reduces', 1, 'Reduce tasks of a job'],
  ['mapreduce.map.speculative', false, 'Runs slow map tasks a second time elsewhere'],
  ['mapreduce.reduce.speculative', false, 'Runs slow reduce tasks a second time elsewhere'],
  ['mapreduce.job.queuename', 'default', 'The queue of jobs'],
  ['mapreduce.task.timeout', '', 'Milliseconds until a silent task is ended', count],
]);
export const [masterMemory] = mapReduce;

const timeouts = {
  HDFS: decommissionTimeout(['HDFS', 'Data Node'], 1800, 'Then the scale fails, and the machine stays in use'),
  YARN: decommissionTimeout(
    ['YARN', 'NodeManager'],
    1500,
    'Containers that are left are ended, and their tasks run again elsewhere',
  ),
} as const;

export const hadoopOptions = [
  ...processNames.map(heapOf),
  ...containers,
  ...hdfs,
  ...yarn,
  ...mapReduce,
  ...Object.values(timeouts),
];

/** Those that make sense for a job of MapReduce. */
export const mapReduceOptions = mapReduce;

/** Those of HDFS alone. */
export const hdfsOptions = hadoopOptions.filter(({ target }) => target === 'HDFS');

export const decommissionSecondsOf = (group: EngineGroup, target: keyof typeof timeouts): number =>
  readNumber(group, timeouts[target]);

export const replicationOf = (group: EngineGroup): number => readNumber(group, replication);
