// The plugins that the bundled service offers: what can be installed, which processes it has and what can be configured.

export interface PluginConfigEntry {
  readonly name: string;
  readonly description: string;
  readonly default_value: string | boolean | number;
  readonly config_type: 'string' | 'bool' | 'int';
  readonly applicable_target: string;
  readonly is_optional: boolean;
  readonly scope: 'node' | 'cluster';
  readonly priority: number;
}

export interface PluginVersion {
  readonly version: string;
  readonly processes: Readonly<Record<string, readonly string[]>>;
  readonly configs: readonly PluginConfigEntry[];
}

export interface PluginEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly versions: readonly PluginVersion[];
}

/** The tags that an image must carry to be used for a version. */
export const requiredTags = (plugin: string, version: string): readonly string[] => [plugin, version];

type Value = PluginConfigEntry['default_value'];
/** Name, default, description. */
type Line = readonly [string, Value, string];

const typeOf = (value: Value) => (typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'bool' : 'int');

const entries = (target: string, scope: 'node' | 'cluster', lines: readonly Line[]): readonly PluginConfigEntry[] =>
  lines.map(([name, default_value, description]) => ({
    name,
    description,
    default_value,
    config_type: typeOf(default_value),
    applicable_target: target,
    is_optional: true,
    scope,
    priority: scope === 'node' ? 1 : 2,
  }));

const general = entries('general', 'cluster', [
  ['Enable Swift', true, 'Lets jobs read from and write to the object store'],
  ['Enable NTP service', true, 'Keeps the clocks of the nodes together'],
  ['URL of NTP server', '', 'Time server to use in place of the default one'],
  ['Timeout for disk preparing', 300, 'Seconds to wait for the volumes of a node'],
  ['Heat Wait Condition timeout', 3600, 'Seconds to wait for a machine'],
]);

const hdfs = [
  ...entries('HDFS', 'node', [
    ['Name Node Heap Size', 1024, 'Memory of the name node in MiB'],
    ['Data Node Heap Size', 1024, 'Memory of a data node in MiB'],
    ['dfs.datanode.max.xcievers', '256', 'Transfer threads of a data node'],
    ['dfs.datanode.du.reserved', '0', 'Bytes a data node leaves free on each volume'],
    ['dfs.namenode.handler.count', '10', 'Server threads of the name node'],
  ]),
  ...entries('HDFS', 'cluster', [
    ['dfs.replication', '3', 'Copies of each block'],
    ['dfs.block.size', '67108864', 'Bytes of a block'],
    ['dfs.blocksize', '134217728', 'Bytes of a block'],
    ['dfs.permissions', true, 'Checks permissions'],
  ]),
];

const mapReduce = [
  ...entries('MapReduce', 'node', [
    ['Job Tracker Heap Size', 1024, 'Memory of the job tracker in MiB'],
    ['Task Tracker Heap Size', 1024, 'Memory of a task tracker in MiB'],
    ['mapred.tasktracker.map.tasks.maximum', '2', 'Map tasks that run at a time on a node'],
    ['mapred.tasktracker.reduce.tasks.maximum', '2', 'Reduce tasks that run at a time on a node'],
    ['mapred.child.java.opts', '-Xmx200m', 'Options for the processes of tasks'],
  ]),
  ...entries('MapReduce', 'cluster', [['mapred.reduce.tasks', '1', 'Reduce tasks of a job']]),
];

const yarn = [
  ...entries('YARN', 'node', [
    ['NodeManager Heap Size', 1024, 'Memory of a node manager in MiB'],
    ['ResourceManager Heap Size', 1024, 'Memory of the resource manager in MiB'],
    ['yarn.nodemanager.resource.memory-mb', '8192', 'Memory for containers on a node in MiB'],
    ['yarn.nodemanager.vmem-check-enabled', true, 'Ends containers that exceed their virtual memory'],
  ]),
  ...entries('YARN', 'cluster', [['yarn.scheduler.maximum-allocation-mb', '8192', 'Largest container in MiB']]),
];

const spark = [
  ...entries('Spark', 'node', [
    ['Worker memory', '1g', 'Memory of a worker'],
    ['Worker cores', '1', 'Cores of a worker'],
  ]),
  ...entries('Spark', 'cluster', [
    ['Minimum cleanup seconds', '86400', 'Age after which finished applications are removed'],
  ]),
];

const hdfsProcesses = ['namenode', 'datanode', 'secondarynamenode'];
const first = {
  processes: {
    HDFS: hdfsProcesses,
    MapReduce: ['jobtracker', 'tasktracker'],
    JobFlow: ['oozie'],
    Hive: ['hiveserver'],
  },
  configs: [...general, ...hdfs, ...mapReduce],
};
const second = {
  processes: {
    HDFS: hdfsProcesses,
    YARN: ['resourcemanager', 'nodemanager'],
    MapReduce: ['historyserver'],
    JobFlow: ['oozie'],
    Hive: ['hiveserver'],
  },
  configs: [...general, ...hdfs, ...mapReduce, ...yarn],
};
const sparkVersion = {
  processes: { HDFS: hdfsProcesses, Spark: ['master', 'slave'] },
  configs: [...general, ...hdfs, ...spark],
};

export const bundledPlugins: readonly PluginEntry[] = [
  {
    name: 'vanilla',
    title: 'Vanilla',
    description: 'The distribution as its project releases it',
    versions: [
      { version: '1.1.2', ...first },
      { version: '1.2.1', ...first },
      { version: '2.7.1', ...second },
    ],
  },
  {
    name: 'spark',
    title: 'Spark',
    description: 'In-memory processing beside distributed storage',
    versions: [
      { version: '1.6.0', ...sparkVersion },
      { version: '2.3', ...sparkVersion },
    ],
  },
  {
    name: 'fake',
    title: 'Fake',
    description: 'Installs nothing, for trying things out',
    versions: [{ version: '0.1', ...first }],
  },
];
