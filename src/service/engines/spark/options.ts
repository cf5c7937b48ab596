// The options of Spark.

import {
  decommissionTimeout,
  type EngineGroup,
  entriesOf,
  memoryForm,
  optionsOf,
  readNumber,
} from '../engine-options.ts';

const target = 'Spark';
const heapForm = { least: 64 };
/** The least heap of a driver: the virtual machine leaves a thirtieth out of what Spark compares with 450 MiB. */
export const leastDriver = 465;
const durationForm = { form: [/^[1-9]\d{0,8}(ms|s|m|h|d)$/, 'a number with ms, s, m, h or d, such as 120s'] as const };
const countForm = { form: [/^[1-9]\d{0,8}$/, 'a whole number, 1 at least'] as const };
const memory = { form: memoryForm };

const sizes = optionsOf({ target, scope: 'node' }, [
  ['Master Heap Size', 160, 'Memory of the master in MiB', heapForm],
  ['Worker Heap Size', 128, 'Memory of a worker itself in MiB, without its executors', heapForm],
  ['History Server Heap Size', 160, 'Memory of the history server in MiB', heapForm],
  ['Connect Server Heap Size', 1024, 'Memory of the Spark Connect server in MiB', { least: leastDriver }],
  ['Thrift Server Heap Size', 1024, 'Memory of the Thrift server in MiB', { least: leastDriver }],
  [
    'Worker cores',
    'all',
    'Cores for executors on a machine. all: those of its flavor',
    {
      form: [/^(all|[1-9]\d{0,3})$/, 'all, or a whole number'],
    },
  ],
  [
    'Worker memory',
    'all',
    'Memory for executors on a machine, such as 2g. all: what its flavor leaves',
    {
      form: [/^(all|[1-9]\d{0,8}[mg])$/i, 'all, or a number with m or g, such as 2g'],
    },
  ],
]);
export const [masterHeap, workerHeap, historyHeap, connectHeap, thriftHeap, workerCores, workerMemory] = sizes;

const file = 'spark-defaults.conf';
/** An empty default is that of Spark. */
const settings = optionsOf({ target, scope: 'cluster', file }, [
  ['spark.driver.memory', '512m', 'Memory of the driver of a job', memory],
  ['spark.executor.memory', '512m', 'Memory of an executor', memory],
  ['spark.executor.cores', '', 'Cores of an executor', countForm],
  [
    'spark.cores.max',
    '',
    'Cores that a job or a server gets. Empty: a job gets as many as there are workers, a server half of those that they have',
    countForm,
  ],
  ['spark.driver.defaultJavaOptions', '', 'Options of Java for the driver, before those of the job'],
  ['spark.driver.extraJavaOptions', '', 'Options of Java for the driver'],
  ['spark.executor.defaultJavaOptions', '', 'Options of Java for executors, before those of the job'],
  ['spark.executor.extraJavaOptions', '', 'Options of Java for executors'],
  [
    'spark.decommission.enabled',
    true,
    'Lets executors end their tasks, and take no others, before their worker is removed',
  ],
  [
    'spark.storage.decommission.enabled',
    true,
    'Lets these executors also hand over their data. They go when that is done',
  ],
  ['spark.storage.decommission.shuffleBlocks.enabled', true, 'Hands over the files of shuffles'],
  ['spark.storage.decommission.rddBlocks.enabled', true, 'Hands over cached partitions'],
  [
    'spark.storage.decommission.replicationReattemptInterval',
    // An executor with data goes with the second look at the earliest. That of Spark is 30 s, of which the hook of a pod would have time for two.
    '5s',
    'How often such an executor looks for data that it has yet to hand over',
    durationForm,
  ],
  ['spark.default.parallelism', '', 'Partitions of data sets that nothing else says the number of', countForm],
  ['spark.sql.shuffle.partitions', '', 'Partitions of the data that SQL exchanges', countForm],
  ['spark.task.maxFailures', '', 'How often a task can fail before the job fails', countForm],
  ['spark.speculation', false, 'Runs slow tasks a second time elsewhere'],
  ['spark.rdd.compress', false, 'Compresses serialized partitions'],
  ['spark.serializer', '', 'The class that serializes objects'],
  ['spark.network.timeout', '', 'How long to wait for another process', durationForm],
  ['spark.sql.session.timeZone', '', 'The time zone of SQL, such as UTC'],
  [
    'spark.eventLog.dir',
    '',
    'Where jobs log what they do, so that it outlives the cluster. Empty: in the cluster, if it has a history server',
    { form: [/^s3a:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.=-]{1,100}){0,10}\/?$/, 's3a://BUCKET/FOLDER'] },
  ],
  ['spark.eventLog.compress', true, 'Compresses the logs that the history server reads'],
  ['spark.history.fs.update.interval', '2s', 'How often the history server looks for new logs', durationForm],
  ['spark.history.retainedApplications', '', 'Applications that the history server keeps in memory', countForm],
  ['spark.history.fs.cleaner.enabled', false, 'Removes old logs'],
  ['spark.history.fs.cleaner.maxAge', '', 'How old logs become before they are removed', durationForm],
]);

const timeout = decommissionTimeout([target, 'Worker'], 1500, 'What is left is done again by others');

export const sparkOptions = [...sizes, ...settings, timeout];
export const decommissionSecondsOf = (group: EngineGroup): number => readNumber(group, timeout);
/** Those that make sense for a job. */
export const sparkJobOptions = settings.filter(
  ({ name }) => !name.startsWith('spark.history.') && name !== 'spark.eventLog.dir',
);

/** The settings for daemons and for jobs, which can set others. */
export const settingsOf = (group: EngineGroup): Readonly<Record<string, string>> =>
  Object.fromEntries(entriesOf(group, sparkOptions, file));
