// Why a Spark job waits, by the pages of its master and its driver, of which it takes numbers and short texts only. PURE.
import { countIn } from '../../load.ts';

/** Times are in ms. `cores`: those that it has. */
interface ActiveApplication {
  readonly id?: unknown;
  readonly state?: unknown;
  readonly memoryperexecutor?: unknown;
  readonly cores?: unknown;
  readonly starttime?: unknown;
  /** Until now. */
  readonly duration?: unknown;
}

export interface MasterState {
  readonly status?: string;
  /** Memory in MiB. */
  readonly workers?: readonly {
    readonly host?: string;
    readonly state?: string;
    readonly memory?: unknown;
    readonly memoryfree?: unknown;
    readonly coresfree?: unknown;
  }[];
  readonly activeapps?: readonly ActiveApplication[];
  readonly completedapps?: readonly { readonly id?: unknown }[];
}

/** The run is not ended then: its driver waits for the former master without end, but may not need executors any more. */
const forgotten =
  'its master was started again without its state, and gives it no executors any more: cancel it, and run it again';

/** Nor is it ended then. */
const lost =
  'waiting for executors that its master has forgotten: the master counts the job as running, but it has had no executor for a minute: cancel it, and run it again';
/** How long the start of an executor may take, in ms. */
export const startMs = 60_000;

const noRoom = (memory: number): string =>
  `waiting for free workers: no executor of ${memory} MiB, with its cores, has a place beside other jobs yet`;

/** Why an application gets no executors. Spark itself reports that in the log of the driver alone. */
function waitingOf(id: string, { status, activeapps = [], completedapps = [], workers = [] }: MasterState) {
  const application = activeapps.find((each) => each.id === id);
  const isKnown = application !== undefined || completedapps.some((each) => each.id === id);
  if (status === 'ALIVE' && !isKnown) return forgotten;
  if (application?.state !== 'WAITING') return undefined;
  const wanted = countIn(application.memoryperexecutor);
  const alive = workers.filter(({ state }) => state === 'ALIVE');
  const largest = alive.reduce((most, { memory }) => Math.max(most, countIn(memory)), 0);
  if (wanted > largest)
    return `waiting for a larger worker: its executors need ${wanted} MiB each, and the largest worker offers ${largest}: cancel it, and lower spark.executor.memory or use a cluster with a larger flavor_id`;
  return noRoom(wanted);
}

/** What the master says of an application that it counts as running. */
interface RunningApplication {
  /** In ms, by its clock. */
  readonly now: number;
  /** What is to be said of it if it has no executor, and has had none for long. */
  readonly withoutExecutor: string;
}

/**
 * A master that dies while a worker starts an executor can forget that one afterwards, and give no other, whatever it says of the application. Undefined if
 * it does not count it as running.
 */
function runningIn(id: string, { activeapps = [], workers = [] }: MasterState): RunningApplication | undefined {
  const known = activeapps.find((each) => each.id === id && each.state === 'RUNNING');
  if (known === undefined) return undefined;
  const memory = countIn(known.memoryperexecutor);
  const isFree = workers.some(
    ({ state, memoryfree, coresfree }) => state === 'ALIVE' && countIn(memoryfree) >= memory && countIn(coresfree) > 0,
  );
  const now = countIn(known.starttime) + countIn(known.duration);
  return { now, withoutExecutor: countIn(known.cores) === 0 && !isFree ? noRoom(memory) : lost };
}

/** All that is kept of the page of the master. */
export const stateOf = (id: string, state: MasterState) => ({
  waiting: waitingOf(id, state),
  running: runningIn(id, state),
});

/** Executors, also those that are gone, and the driver itself. */
export interface DriverExecutor {
  readonly id?: unknown;
  readonly isActive?: unknown;
  readonly removeTime?: unknown;
}

/** Of a time as the driver shows it, such as `2026-01-31T12:00:00.000GMT`. NaN if it is none. */
export const timeOf = (text: unknown): number =>
  typeof text === 'string' && text.length < 40 ? Date.parse(text.replace('GMT', 'Z')) : Number.NaN;

/** What the application waits for, unless it has an executor, or has just had one. */
export function lostOf({ now, withoutExecutor }: RunningApplication, executors: readonly DriverExecutor[]) {
  const others = executors.filter(({ id }) => id !== 'driver');
  const hasSome = others.some(({ isActive, removeTime }) => isActive === true || timeOf(removeTime) > now - startMs);
  return hasSome ? undefined : withoutExecutor;
}
