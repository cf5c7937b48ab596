// The stages of a job execution, by dialect, as data: which word is shown, and what is done before the next one. PURE.
import type { Dialect } from '../../wire/dialect.ts';
import type { ExecutionOperation, ExecutionWork, JobExecutionRecord } from '../records/job-records.ts';

/** What happens at the end of a stage. `submit`: the cluster gets the run. `finish`: its end is awaited. `kill`: it is ended. `suspend`: it is held. */
export interface ExecutionStage {
  readonly status: string;
  readonly deed: 'nothing' | 'submit' | 'finish' | 'kill' | 'suspend';
}

type Stages = Readonly<Record<ExecutionWork['operation'], readonly ExecutionStage[]>>;

const engine: readonly ExecutionStage[] = [
  { status: 'PREP', deed: 'nothing' },
  { status: 'RUNNING', deed: 'finish' },
];
const kill: ExecutionStage = { status: 'TOBEKILLED', deed: 'kill' };
const late: Stages = {
  run: [{ status: 'PENDING', deed: 'submit' }, ...engine],
  cancel: [kill],
  delete: [kill],
  suspend: [],
};

const stagesOf: Readonly<Record<Dialect, Stages>> = {
  neutral: late,
  sahara: { ...late, suspend: [{ status: 'TOBESUSPENDED', deed: 'suspend' }] },
  // Early releases wait for the end of a cancelled run before they answer, and forget a deleted one without ending it.
  savanna: {
    run: [{ status: 'Pending', deed: 'submit' }, ...engine],
    cancel: [{ status: 'KILLED', deed: 'kill' }],
    delete: [],
    suspend: [],
  },
};

/** Stages go by the status that they show, which no operation shows twice. Undefined where the operation has none of this name. */
export const executionStageOf = (dialect: Dialect, { operation, stage }: ExecutionWork): ExecutionStage | undefined =>
  stagesOf[dialect][operation].find(({ status }) => status === stage);

/** Undefined where there is nothing to do. */
export function firstExecutionWork(dialect: Dialect, work: ExecutionOperation): ExecutionWork | undefined {
  const stage = stagesOf[dialect][work.operation][0];
  return stage && { ...work, stage: stage.status };
}

/** The same work one stage on; undefined when it is through. */
export function nextExecutionWork(dialect: Dialect, work: ExecutionWork): ExecutionWork | undefined {
  const stages = stagesOf[dialect][work.operation];
  const next = stages[stages.findIndex(({ status }) => status === work.stage) + 1];
  return next && { ...work, stage: next.status };
}

/** It waits until its cluster is Active. */
export const isPending = (dialect: Dialect, { work }: JobExecutionRecord): boolean =>
  work?.operation === 'run' && executionStageOf(dialect, work)?.deed === 'submit';

/** The words in which an execution of this dialect stays for a while. */
export const executionWords = (dialect: Dialect): readonly string[] => [
  ...new Set(Object.values(stagesOf[dialect]).flatMap((stages) => stages.map(({ status }) => status))),
];
