// Hadoop where clusters are simulated: releases that people know, with their processes and configurations.
import type { JobType } from '../../../wire/jobs.ts';
import { general, settings, sizes } from '../../model/catalog/configs.ts';
import type { EngineEntry, SimulatedPage } from '../engine-entry.ts';
import { hadoopVersions } from './source.ts';

const hdfs = [
  ...sizes('HDFS', [
    ['Name Node Heap Size', 1024, 'Memory of the name node in MiB'],
    ['Secondary Name Node Heap Size', 1024, 'Memory of the secondary name node in MiB'],
    ['Data Node Heap Size', 1024, 'Memory of a data node in MiB'],
  ]),
  ...settings('HDFS', 'node', [
    ['dfs.datanode.max.xcievers', '256', 'Transfer threads of a data node'],
    ['dfs.datanode.du.reserved', '0', 'Bytes a data node leaves free on each volume'],
    ['dfs.datanode.handler.count', '3', 'Server threads of a data node'],
    ['dfs.namenode.handler.count', '10', 'Server threads of the name node'],
  ]),
  ...settings('HDFS', 'cluster', [
    ['dfs.replication', '3', 'Copies of each block'],
    ['dfs.block.size', '67108864', 'Bytes of a block, under its older name'],
    ['dfs.blocksize', '134217728', 'Bytes of a block'],
    ['dfs.permissions', true, 'Checks permissions'],
    ['fs.trash.interval', '0', 'Minutes that deleted files can be restored; 0: not at all'],
  ]),
];

const mapReduce = [
  ...sizes('MapReduce', [
    ['Job Tracker Heap Size', 1024, 'Memory of the job tracker in MiB'],
    ['Task Tracker Heap Size', 1024, 'Memory of a task tracker in MiB'],
  ]),
  ...settings('MapReduce', 'node', [
    ['mapred.tasktracker.map.tasks.maximum', '2', 'Map tasks that run at a time on a node'],
    ['mapred.tasktracker.reduce.tasks.maximum', '2', 'Reduce tasks that run at a time on a node'],
    ['mapred.child.java.opts', '-Xmx200m', 'Options for the processes of tasks'],
  ]),
  ...settings('MapReduce', 'cluster', [
    ['mapred.reduce.tasks', '1', 'Reduce tasks of a job'],
    ['mapred.compress.map.output', false, 'Compresses what map tasks hand over'],
    ['mapred.map.tasks.speculative.execution', true, 'Runs slow map tasks a second time elsewhere'],
  ]),
];

const yarn = [
  ...sizes('YARN', [
    ['NodeManager Heap Size', 1024, 'Memory of a node manager in MiB'],
    ['ResourceManager Heap Size', 1024, 'Memory of the resource manager in MiB'],
  ]),
  ...settings('YARN', 'node', [
    ['yarn.nodemanager.resource.memory-mb', '8192', 'Memory for containers on a node in MiB'],
    ['yarn.nodemanager.vmem-check-enabled', true, 'Ends containers that exceed their virtual memory'],
  ]),
  ...settings('YARN', 'cluster', [
    ['yarn.scheduler.minimum-allocation-mb', '1024', 'Smallest container in MiB'],
    ['yarn.scheduler.maximum-allocation-mb', '8192', 'Largest container in MiB'],
  ]),
];

const hive = settings('Hive', 'cluster', [
  ['hive.metastore.warehouse.dir', '/user/hive/warehouse', 'Where tables are kept'],
  ['hive.exec.parallel', false, 'Runs independent steps of a query at the same time'],
]);

const jobFlow = settings('JobFlow', 'cluster', [
  ['oozie.service.JPAService.create.db.schema', false, 'Creates the tables of the work flow engine'],
  ['oozie.service.WorkflowAppService.system.libpath', '/user/share/lib', 'Where shared libraries are kept'],
]);

const hdfsProcesses = ['namenode', 'datanode', 'secondarynamenode'];
const first = {
  processes: {
    HDFS: hdfsProcesses,
    MapReduce: ['jobtracker', 'tasktracker'],
    JobFlow: ['oozie'],
    Hive: ['hiveserver'],
  },
  configs: [...general, ...hdfs, ...mapReduce, ...hive, ...jobFlow],
};
const second = {
  processes: {
    HDFS: hdfsProcesses,
    YARN: ['resourcemanager', 'nodemanager'],
    MapReduce: ['historyserver'],
    JobFlow: ['oozie'],
    Hive: ['hiveserver'],
  },
  configs: [...general, ...hdfs, ...mapReduce, ...yarn, ...hive, ...jobFlow],
};
const hadoopJobs: readonly JobType[] = ['Pig', 'Hive', 'Java', 'MapReduce', 'MapReduce.Streaming', 'Shell', 'Jar'];

const plugins: EngineEntry['simulated']['plugins'] = [
  {
    name: 'vanilla',
    title: 'Vanilla',
    description: 'The distribution as its project releases it',
    versions: [
      { version: '1.1.2', ...first, jobTypes: hadoopJobs },
      { version: '1.2.1', ...first, jobTypes: hadoopJobs },
      { version: '2.7.1', ...second, jobTypes: hadoopJobs },
      // The versions that real provisioners run, so that manifests work with all of them.
      ...hadoopVersions.map((version) => ({ version, ...second, jobTypes: hadoopJobs })),
    ],
  },
  {
    name: 'fake',
    title: 'Fake',
    description: 'Installs nothing, for trying things out',
    versions: [{ version: '0.1', ...first }],
  },
];

const page = (process: string, target: string, port: number, label = 'Web UI'): SimulatedPage => ({
  process,
  target,
  label,
  url: (address) => `http://${address}:${port}`,
});
const pages: readonly SimulatedPage[] = [
  page('namenode', 'HDFS', 50_070),
  { process: 'namenode', target: 'HDFS', label: 'NameNode', url: (address) => `hdfs://${address}:8020` },
  page('jobtracker', 'MapReduce', 50_030),
  page('historyserver', 'MapReduce', 19_888, 'History Server'),
  page('resourcemanager', 'YARN', 8088),
  page('oozie', 'JobFlow', 11_000, 'Oozie'),
];

/** Spark has HDFS beside it. */
export const simulatedHdfs = { processes: hdfsProcesses, configs: hdfs } as const;
export const simulatedHadoop: EngineEntry['simulated'] = { plugins, pages };
