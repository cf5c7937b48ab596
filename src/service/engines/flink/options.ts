// The options of Flink.

import {
  decommissionTimeout,
  type EngineGroup,
  entriesOf,
  memoryForm,
  optionsOf,
  readNumber,
} from '../engine-options.ts';

export const [manager, worker] = ['jobmanager', 'taskmanager'] as const;

const target = 'Flink';
const durationForm = {
  form: [/^[1-9]\d{0,8} ?(ms|s|min|h|d)$/, 'a number with ms, s, min, h or d, such as 30s'] as const,
};
const countForm = { form: [/^[1-9]\d{0,4}$/, 'a whole number, 1 at least'] as const };
const oneOf = (...words: readonly string[]) => ({
  form: [new RegExp(`^(${words.join('|')})$`), `one of ${words.join(', ')}`] as const,
});

const sizes = optionsOf({ target, scope: 'node' }, [
  ['Job Manager Heap Size', 256, 'Memory of the job manager in MiB', { least: 128 }],
  [
    'Task Manager Memory',
    'all',
    'Memory of a task manager with all tasks on it, such as 2g. all: what its flavor leaves',
    { form: [/^(all|[1-9]\d{0,8}[mg])$/i, 'all, or a number with m or g, such as 2g'] },
  ],
  [
    'Task slots',
    'all',
    'Slots for tasks on a machine. all: the cores of its flavor',
    { form: [/^(all|[1-9]\d{0,3})$/, 'all, or a whole number'] },
  ],
]);
export const [managerHeap, workerMemory, slots] = sizes;

export const file = 'config.yaml';
/** An empty default is that of Flink. Each of them can be set for a job, too. */
export const settings = optionsOf({ target, scope: 'cluster', file }, [
  ['parallelism.default', '', 'Tasks that each operator of a job runs as', countForm],
  [
    'execution.runtime-mode',
    '',
    'How jobs run: streaming, batch or automatic',
    oneOf('STREAMING', 'BATCH', 'AUTOMATIC'),
  ],
  ['execution.checkpointing.interval', '', 'How often a job saves its state. Empty: never', durationForm],
  ['execution.checkpointing.mode', '', 'What a checkpoint guarantees', oneOf('EXACTLY_ONCE', 'AT_LEAST_ONCE')],
  ['execution.checkpointing.timeout', '', 'How long a checkpoint may take', durationForm],
  ['execution.checkpointing.dir', '', 'The URL of a folder for checkpoints that all machines reach'],
  ['execution.buffer-timeout.interval', '', 'How long records may wait for others before they are sent', durationForm],
  [
    'restart-strategy.type',
    '',
    'What happens to a job that loses tasks',
    oneOf('disable', 'fixed-delay', 'failure-rate', 'exponential-delay'),
  ],
  ['restart-strategy.fixed-delay.attempts', '', 'How often a job is restarted', countForm],
  ['restart-strategy.fixed-delay.delay', '', 'How long to wait before that', durationForm],
  ['state.backend.type', '', 'Where tasks keep their state', oneOf('hashmap', 'rocksdb')],
  ['pipeline.max-parallelism', '', 'The highest parallelism that the state of a job allows', countForm],
  ['pipeline.object-reuse', '', 'Whether operators get the same objects again', oneOf('true', 'false')],
  ['taskmanager.memory.segment-size', '', 'The size of a buffer, such as 32k', { form: memoryForm }],
]);

const timeout = decommissionTimeout([target, 'Task Manager'], 600, 'Jobs with tasks that are left lose them');

export const flinkOptions = [...sizes, ...settings, timeout];
export const decommissionSecondsOf = (group: EngineGroup): number => readNumber(group, timeout);

/** Those that only processes have an effect of. */
export const jobSettings = settings.filter(({ name }) => !name.startsWith('taskmanager.'));

/** The settings of the cluster. */
export const settingsOf = (group: EngineGroup): Readonly<Record<string, string>> =>
  Object.fromEntries(entriesOf(group, flinkOptions, file));
