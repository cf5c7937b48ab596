// What the driver and the master know of a Spark job that runs.
import { type EngineJob, type EngineNode, nodesWith } from '../../engine.ts';
import { askFor } from '../../jobs/common.ts';
import { countIn } from '../../load.ts';
import { ports } from '../launch.ts';
import { type DriverExecutor, lostOf, type MasterState, startMs, stateOf, timeOf } from './waiting.ts';

/** The page of the master, as JSON. */
export const masterPage = ({ address }: Pick<EngineNode, 'address'>): string =>
  `http://${address}:${ports.masterPage}/json/`;

/** The list of the applications of a driver. */
const applicationsAt = (address: string): string => `http://${address}:${ports.driverPage}/api/v1/applications`;

interface DriverApplication {
  readonly id?: unknown;
}
interface DriverJob {
  readonly status?: unknown;
  readonly submissionTime?: unknown;
  readonly numTasks?: unknown;
  readonly numActiveTasks?: unknown;
  readonly numCompletedTasks?: unknown;
}

/** Becomes a part of URLs. */
function idIn(answer: unknown): string | undefined {
  const [application] = answer as readonly DriverApplication[];
  const id = application?.id;
  return typeof id === 'string' && /^[\w-]{1,100}$/.test(id) ? id : undefined;
}

/** Counts the tasks of the jobs that have begun, so the share can also fall when another one begins. */
function shareOf(begun: readonly DriverJob[]): number | undefined {
  const sum = (count: (job: DriverJob) => unknown) => begun.reduce((all, job) => all + countIn(count(job)), 0);
  const tasks = sum(({ numTasks }) => numTasks);
  return tasks === 0 ? undefined : sum(({ numCompletedTasks }) => numCompletedTasks) / tasks;
}

/** Since when jobs of the driver have waited with all of their tasks. Undefined if they do not, NaN if the time is not known. */
function idleSince(begun: readonly DriverJob[]): number | undefined {
  const running = begun.filter(({ status }) => status === 'RUNNING');
  if (running.length === 0 || running.some(({ numActiveTasks }) => countIn(numActiveTasks) > 0)) return undefined;
  return running.reduce((first, { submissionTime }) => Math.min(first, timeOf(submissionTime)), Infinity);
}

function jobsIn(answer: unknown) {
  const begun = answer as readonly DriverJob[];
  return { progress: shareOf(begun), since: idleSince(begun) };
}

/**
 * Makes three requests, and one more while no task runs. Rejects if the driver or the master does not answer. While it waits for one answer, it holds only a
 * few numbers and short texts of those before it.
 */
export const observe: NonNullable<EngineJob['observe']> = async ({ address, nodes }, ask) => {
  const applications = applicationsAt(address);
  const id = await askFor(ask, applications, idIn);
  const [master] = nodesWith(nodes, 'master');
  if (id === undefined || master === undefined) return {};
  const { progress, since } = await askFor(ask, `${applications}/${id}/jobs`, jobsIn);
  const { waiting, running } = await askFor(ask, masterPage(master), (state) => stateOf(id, state as MasterState));
  // The time is that of the master, who counts from the start of the application.
  const isIdle = running !== undefined && since !== undefined && since <= running.now - startMs;
  if (!isIdle) return { progress, waiting };
  const lost = await askFor(ask, `${applications}/${id}/allexecutors`, (executors) =>
    lostOf(running, executors as readonly DriverExecutor[]),
  );
  return { progress, waiting: waiting ?? lost };
};
