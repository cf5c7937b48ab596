// The configurations of the bundled plugins by target: name, default and description.

type Value = PluginConfigEntry['default_value'];
type Line = readonly [string, Value, string];
type Traits = Pick<PluginConfigEntry, 'applicable_target' | 'is_optional' | 'scope' | 'priority'>;

/** The type of a default value. */
export const typeOf = (value: Value): PluginConfigEntry['config_type'] =>
  typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'bool' : 'int';

const entries = (traits: Traits, lines: readonly Line[]): readonly PluginConfigEntry[] =>
  lines.map(([name, default_value, description]) => ({
    name,
    description,
    default_value,
    config_type: typeOf(default_value),
    ...traits,
  }));

/** Settings that the plugin itself uses: they always have a value, and are shown first. */
const sizes = (applicable_target: string, lines: readonly Line[]) =>
  entries({ applicable_target, is_optional: false, scope: 'node', priority: 1 }, lines);
/** Settings in the files of the distribution, for single nodes or for the whole cluster. */
const settings = (applicable_target: string, scope: PluginConfigEntry['scope'], lines: readonly Line[]) =>
  entries({ applicable_target, is_optional: true, scope, priority: 2 }, lines);

export const general = entries({ applicable_target: 'general', is_optional: true, scope: 'cluster', priority: 1 }, [
  ['Enable Swift', true, 'Lets jobs read from and write to the object store'],
  ['Enable NTP service', true, 'Keeps the clocks of the nodes together'],
  ['URL of NTP server', '', 'Time server to use in place of the default one'],
  ['Timeout for disk preparing', 300, 'Seconds to wait for the volumes of a node'],
  ['Heat Wait Condition timeout', 3600, 'Seconds to wait for a machine'],
]);

/** Late upstream has these for every plugin. */
const common = [
  ...general.filter(({ name }) => name !== 'Enable Swift'),
  ...entries({ applicable_target: 'general', is_optional: true, scope: 'cluster', priority: 1 }, [
    ['Enable XFS', true, 'Formats volumes with XFS'],
  ]),
];

/** Adds the common configurations that are missing, before the plugin's own. */
export function withCommon(configs: readonly PluginConfigEntry[]): readonly PluginConfigEntry[] {
  const missing = common.filter(
    ({ name, applicable_target }) =>
      !configs.some((config) => config.name === name && config.applicable_target === applicable_target),
  );
  return [...missing, ...configs];
}

export const hdfs = [
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

export const mapReduce = [
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

export const yarn = [
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

export const hive = settings('Hive', 'cluster', [
  ['hive.metastore.warehouse.dir', '/user/hive/warehouse', 'Where tables are kept'],
  ['hive.exec.parallel', false, 'Runs independent steps of a query at the same time'],
]);

export const jobFlow = settings('JobFlow', 'cluster', [
  ['oozie.service.JPAService.create.db.schema', false, 'Creates the tables of the work flow engine'],
  ['oozie.service.WorkflowAppService.system.libpath', '/user/share/lib', 'Where shared libraries are kept'],
]);

export const spark = [
  ...sizes('Spark', [
    ['Worker memory', '1g', 'Memory of a worker'],
    ['Worker cores', '1', 'Cores of a worker'],
  ]),
  ...settings('Spark', 'cluster', [
    ['Minimum cleanup seconds', '86400', 'Age after which finished applications are removed'],
    ['Master port', '7077', 'Where workers find the master'],
    ['Master webui port', '8080', 'Where people find the master'],
  ]),
];

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
