// What the driver and the master know of a Spark job that runs.
import { type EngineJob, type EngineNode, nodesWith } from '../../engine.ts';
import { ports } from '../launch.ts';
import { type DriverExecutor, lostOf, type MasterState, startMs, timeOf, waitingOf } from './waiting.ts';

/** The page of the master, as JSON. */
export const masterPage = ({ address }: Pick<EngineNode, 'address'>): string =>
  `http://${address}:${ports.masterPage}/json/`;

/** The list of the applications of a driver. */
const applicationsAt = (address: string): string => `http://${address}:${ports.driverPage}/api/v1/applications`;

interface DriverApplication {
  readonly id?: string;
}
interface DriverJob {
  readonly status?: string;
  readonly submissionTime?: string;
  readonly numTasks?: number;
  readonly numActiveTasks?: number;
  readonly numCompletedTasks?: number;
}

/** Counts the tasks of the jobs that have begun, so the share can also fall when another one begins. */
function shareOf(begun: readonly DriverJob[]): number | undefined {
  const sum = (count: (job: DriverJob) => number | undefined) => begun.reduce((all, job) => all + (count(job) ?? 0), 0);
  const tasks = sum(({ numTasks }) => numTasks);
  return tasks === 0 ? undefined : sum(({ numCompletedTasks }) => numCompletedTasks) / tasks;
}

/** Whether a job of the driver has waited with all of its tasks, and for so long. The time is that of the master, who counts from the start of the application. */
function isIdle(begun: readonly DriverJob[], now: number): boolean {
  const running = begun.filter(({ status }) => status === 'RUNNING');
  const [first] = running.map(({ submissionTime }) => timeOf(submissionTime)).toSorted((one, other) => one - other);
  return running.every(({ numActiveTasks = 0 }) => numActiveTasks === 0) && (first ?? now) <= now - startMs;
}

/** Makes three requests, and one more while no task runs. Rejects if the driver or the master does not answer. */
export const observe: NonNullable<EngineJob['observe']> = async ({ address, nodes }, ask) => {
  const applications = applicationsAt(address);
  const [application] = (await ask(applications)) as readonly DriverApplication[];
  const [master] = nodesWith(nodes, 'master');
  if (application?.id === undefined || master === undefined) return {};
  const begun = (await ask(`${applications}/${application.id}/jobs`)) as readonly DriverJob[];
  const state = (await ask(masterPage(master))) as MasterState;
  const waiting = waitingOf(application.id, state);
  const known = state.activeapps?.find(({ id, state: name }) => id === application.id && name === 'RUNNING');
  if (known === undefined || !isIdle(begun, (known.starttime ?? 0) + (known.duration ?? 0)))
    return { progress: shareOf(begun), waiting };
  const executors = (await ask(`${applications}/${application.id}/allexecutors`)) as readonly DriverExecutor[];
  return { progress: shareOf(begun), waiting: waiting ?? lostOf(known, executors, state) };
};
