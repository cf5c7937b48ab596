// The stages of a job execution, by dialect, as data. PURE.
import type { Dialect } from '../../../wire/dialect.ts';
import type { ExecutionWork, JobExecutionRecord } from '../records/records.ts';
import { type Stage, StageTable } from './stage-table.ts';

/** `submit`: hands the run to its cluster. `finish`: waits for the end of the run. */
export interface ExecutionStage extends Stage {
  readonly action: 'nothing' | 'submit' | 'finish' | 'kill';
}

type Stages = Readonly<Record<ExecutionWork['operation'], readonly ExecutionStage[]>>;

const engine: readonly ExecutionStage[] = [
  { status: 'PREP', action: 'nothing' },
  { status: 'RUNNING', action: 'finish' },
];
const kill: ExecutionStage = { status: 'TOBEKILLED', action: 'kill' };
const late: Stages = {
  run: [{ status: 'PENDING', action: 'submit' }, ...engine],
  cancel: [kill],
  delete: [kill],
  forget: [kill],
  fail: [kill],
};

const stages: Readonly<Record<Dialect, Stages>> = {
  neutral: late,
  sahara: late,
  // Early releases wait for the end of a canceled run before they answer, and a deleted one is gone at once.
  savanna: {
    run: [{ status: 'Pending', action: 'submit' }, ...engine],
    cancel: [{ status: 'KILLED', action: 'kill' }],
    delete: [],
    forget: [{ status: 'RUNNING', action: 'kill' }],
    fail: [{ status: 'RUNNING', action: 'kill' }],
  },
};

export const executionStages = new StageTable<ExecutionWork, ExecutionStage>(stages);

/** The execution waits until its cluster is Active. */
export const isPending = (dialect: Dialect, { work }: JobExecutionRecord): boolean =>
  work?.operation === 'run' && executionStages.find(dialect, work)?.action === 'submit';

/** Nothing of its run is there. Early releases show the end of a canceled run while it is still being killed. */
export const isOver = ({ end_time, work }: JobExecutionRecord): boolean => end_time !== undefined && work === undefined;

export const isDeletion = (work: ExecutionWork | undefined): boolean =>
  work?.operation === 'delete' || work?.operation === 'forget';

/** The run is, or may be, known to the engine. */
export const mayRun = (execution: JobExecutionRecord): boolean =>
  execution.prepared !== undefined && !isOver(execution);
