// The stages of a job execution, by dialect, as data: which word is shown, and what is done before the next one. PURE.
import type { Dialect } from '../wire/dialect.ts';
import type { ExecutionWork } from './job-records.ts';

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

/** The stage that the work is in; undefined when there is nothing to do. */
export const executionStageOf = (dialect: Dialect, work: ExecutionWork): ExecutionStage | undefined =>
  stagesOf[dialect][work.operation][work.stage];

/** The words in which an execution of this dialect stays for a while. */
export const executionWords = (dialect: Dialect): readonly string[] => [
  ...new Set(Object.values(stagesOf[dialect]).flatMap((stages) => stages.map(({ status }) => status))),
];
