// Data files of the first format, which have stage numbers and no dialect. PURE.
import { type Dialect, dialects } from '../../wire/dialect.ts';

type StageNames = Readonly<Record<string, readonly string[]>>;

/** The stages of that release, independent of later changes. */
const upstreamStart = ['Validating', 'InfraUpdating', 'Spawning', 'Waiting', 'Preparing', 'Configuring', 'Starting'];
const lateRun = ['PENDING', 'PREP', 'RUNNING'];
const ended = { cancel: ['TOBEKILLED'], delete: ['TOBEKILLED'] };

const clusterStages: Readonly<Record<Dialect, StageNames>> = {
  neutral: {
    start: ['Waiting', 'Preparing', 'Configuring', 'Starting'],
    scale: ['Validating', 'Decommissioning', 'Scaling', 'Waiting', 'Configuring'],
    delete: ['Deleting'],
  },
  sahara: {
    start: upstreamStart,
    scale: [
      'Validating',
      'Decommissioning',
      'Scaling',
      'Scaling: Spawning',
      'Scaling: Waiting',
      'Scaling: Preparing',
      'Configuring',
    ],
    delete: ['Deleting'],
  },
  savanna: {
    start: upstreamStart,
    scale: ['Validating', 'Scaling', 'Decommissioning', 'Deleting Instances', 'Adding Instances', 'Configuring'],
    delete: ['Deleting'],
  },
};

const executionStages: Readonly<Record<Dialect, StageNames>> = {
  neutral: { run: lateRun, ...ended },
  sahara: { run: lateRun, ...ended, suspend: ['TOBESUSPENDED'] },
  savanna: { run: ['Pending', 'PREP', 'RUNNING'], cancel: ['KILLED'] },
};

const words = new Set(
  [clusterStages, executionStages].flatMap((of) => Object.values(of).flatMap(Object.values)).flat(),
);

/** A record with work of the first format. `status`: the status that it shows. */
export interface NumberedWork {
  readonly kind: string;
  readonly operation: string;
  readonly stage: number;
  readonly status: string;
}

/** The name of the stage in a dialect. Undefined if the dialect has no stage of this number, or shows another status there. */
export function stageName(dialect: Dialect, { kind, operation, stage, status }: NumberedWork): string | undefined {
  const stages = kind === 'jobExecutions' ? executionStages : clusterStages;
  const name = stages[dialect][operation]?.[stage];
  // A status that no dialect has comes from a personality, so it does not identify the dialect.
  return name === status || !words.has(status) ? name : undefined;
}

/** The dialects that can have written all of these records. */
export const writersOf = (works: readonly NumberedWork[]): readonly Dialect[] =>
  dialects.filter((dialect) => works.every((work) => stageName(dialect, work) !== undefined));
