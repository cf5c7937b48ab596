// What the driver and the master know of a Spark job that runs.
import { type EngineJob, type EngineNode, nodesWith } from '../../engine.ts';
import { ports } from '../launch.ts';

/** The page of the master, as JSON. */
export const masterPage = ({ address }: Pick<EngineNode, 'address'>): string =>
  `http://${address}:${ports.masterPage}/json/`;

/** The list of the applications of a driver. */
const applicationsAt = (address: string): string => `http://${address}:${ports.driverPage}/api/v1/applications`;

export interface MasterState {
  readonly status?: string;
  /** Memory in MiB. */
  readonly workers?: readonly { readonly host?: string; readonly state?: string; readonly memory?: number }[];
  readonly activeapps?: readonly {
    readonly id?: string;
    readonly state?: string;
    readonly memoryperexecutor?: number;
  }[];
  readonly completedapps?: readonly { readonly id?: string }[];
}

/** The run is not ended then: its driver waits for the former master without end, but may not need executors any more. */
const forgotten =
  'its master was started again without its state, and gives it no executors any more: cancel it, and run it again';

interface DriverApplication {
  readonly id?: string;
}
interface DriverJob {
  readonly numTasks?: number;
  readonly numCompletedTasks?: number;
}

/** Counts the tasks of the jobs that have begun, so the share can also fall when another one begins. */
function shareOf(begun: readonly DriverJob[]): number | undefined {
  const sum = (count: (job: DriverJob) => number | undefined) => begun.reduce((all, job) => all + (count(job) ?? 0), 0);
  const tasks = sum(({ numTasks }) => numTasks);
  return tasks === 0 ? undefined : sum(({ numCompletedTasks }) => numCompletedTasks) / tasks;
}

/** Why an application gets no executors. Spark itself reports that in the log of the driver alone. */
function waitingOf(id: string, { status, activeapps = [], completedapps = [], workers = [] }: MasterState) {
  const application = activeapps.find((each) => each.id === id);
  const isKnown = application !== undefined || completedapps.some((each) => each.id === id);
  if (status === 'ALIVE' && !isKnown) return forgotten;
  if (application?.state !== 'WAITING') return undefined;
  const wanted = application.memoryperexecutor ?? 0;
  const alive = workers.filter(({ state }) => state === 'ALIVE');
  const largest = Math.max(0, ...alive.map(({ memory = 0 }) => memory));
  if (wanted > largest)
    return `waiting for a larger worker: its executors need ${wanted} MiB each, and the largest worker offers ${largest}: cancel it, and lower spark.executor.memory or use a cluster with a larger flavor_id`;
  return `waiting for free workers: no executor of ${wanted} MiB, with its cores, has a place beside other jobs yet`;
}

/** Makes three requests. Rejects if the driver or the master does not answer. */
export const observe: NonNullable<EngineJob['observe']> = async ({ address, nodes }, ask) => {
  const applications = applicationsAt(address);
  const [application] = (await ask(applications)) as readonly DriverApplication[];
  const [master] = nodesWith(nodes, 'master');
  if (application?.id === undefined || master === undefined) return {};
  const begun = (await ask(`${applications}/${application.id}/jobs`)) as readonly DriverJob[];
  const state = (await ask(masterPage(master))) as MasterState;
  return { progress: shareOf(begun), waiting: waitingOf(application.id, state) };
};
