// Why a Spark job waits, by the pages of its master and its driver. PURE.

/** Times are in ms. `cores`: those that it has. */
interface ActiveApplication {
  readonly id?: string;
  readonly state?: string;
  readonly memoryperexecutor?: number;
  readonly cores?: number;
  readonly starttime?: number;
  /** Until now. */
  readonly duration?: number;
}

export interface MasterState {
  readonly status?: string;
  /** Memory in MiB. */
  readonly workers?: readonly {
    readonly host?: string;
    readonly state?: string;
    readonly memory?: number;
    readonly memoryfree?: number;
    readonly coresfree?: number;
  }[];
  readonly activeapps?: readonly ActiveApplication[];
  readonly completedapps?: readonly { readonly id?: string }[];
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
export function waitingOf(id: string, { status, activeapps = [], completedapps = [], workers = [] }: MasterState) {
  const application = activeapps.find((each) => each.id === id);
  const isKnown = application !== undefined || completedapps.some((each) => each.id === id);
  if (status === 'ALIVE' && !isKnown) return forgotten;
  if (application?.state !== 'WAITING') return undefined;
  const wanted = application.memoryperexecutor ?? 0;
  const alive = workers.filter(({ state }) => state === 'ALIVE');
  const largest = Math.max(0, ...alive.map(({ memory = 0 }) => memory));
  if (wanted > largest)
    return `waiting for a larger worker: its executors need ${wanted} MiB each, and the largest worker offers ${largest}: cancel it, and lower spark.executor.memory or use a cluster with a larger flavor_id`;
  return noRoom(wanted);
}

/** Executors, also those that are gone, and the driver itself. */
export interface DriverExecutor {
  readonly id?: string;
  readonly isActive?: boolean;
  readonly removeTime?: string;
}

/** Of a time as the driver shows it, such as `2026-01-31T12:00:00.000GMT`. */
export const timeOf = (text = ''): number => Date.parse(text.replace('GMT', 'Z'));

/** A master that dies while a worker starts an executor can forget that one afterwards, and give no other, whatever it says of the application. */
export function lostOf(
  application: ActiveApplication,
  executors: readonly DriverExecutor[],
  { workers = [] }: MasterState,
) {
  const { cores = 0, memoryperexecutor = 0, starttime = 0, duration = 0 } = application;
  const others = executors.filter(({ id }) => id !== 'driver');
  const hasSome = others.some(({ isActive, removeTime }) => {
    const isRecent = timeOf(removeTime) > starttime + duration - startMs;
    return isActive === true || isRecent;
  });
  if (hasSome) return undefined;
  const isFree = workers.some(
    ({ state, memoryfree = 0, coresfree = 0 }) => state === 'ALIVE' && memoryfree >= memoryperexecutor && coresfree > 0,
  );
  return cores === 0 && !isFree ? noRoom(memoryperexecutor) : lost;
}
