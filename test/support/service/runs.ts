// What tests of runs share: how a run is told from others, a job that somebody else has made, and what a user does about an unknown outcome.
import { runAgainAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { JobRecord } from '../../../src/service/model/records/records.ts';
import { markerIn } from '../../../src/wire/jobs.ts';

/** The name by which a ledger knows a row of the service: runs have no names there, and bear a marker. */
export const nameOfRow = <Row extends { readonly name: string }>(row: Row | undefined): string | undefined =>
  row && (('job_configs' in row && markerIn(row.job_configs)) || row.name);

/** The answer shows that nothing was started. A 408 or 425 may be told of a request that is still on its way. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 425;

/** How often each run was asked for, by its marker, but for requests that were refused. */
export class RunRequests {
  readonly #times = new Map<string, number>();

  sent(marker: string): void {
    this.#times.set(marker, this.times(marker) + 1);
  }

  /** By the service itself, whatever the operator hears of it. */
  answered(marker: string, status: number): void {
    if (isRefusal(status)) this.#times.set(marker, this.times(marker) - 1);
  }

  times(marker: string): number {
    return this.#times.get(marker) ?? 0;
  }

  /** What is wrong with the request for this run, which was sent just now; undefined: nothing. */
  wrongWith(marker: string): string | undefined {
    if (marker === '') return 'a run was asked for without a marker';
    const times = this.times(marker);
    return times > 1 ? `the run ${marker} was asked for ${times} times` : undefined;
  }
}

/** One that runs of any name and main class can be of, as the service has it. */
export const foreignJob: JobRecord = {
  id: 'b7e0c2d4-5f13-4a86-9c27-d1e8f0a3b654',
  name: 'theirs',
  type: 'Java',
  mains: [],
  libs: [],
  interface: [],
  created_at: '2026-01-01T00:00:00',
};

/** The spec of a run of that job, but for its cluster. */
export const runOfForeignJob = { jobID: foreignJob.id, configs: { 'edp.java.main_class': 'Report' } } as const;

/** When a JobSchedule comes: once a year, as it begins. */
export const everyYear = '0 0 1 1 *';

interface Told {
  readonly type: string;
  readonly status: string;
}

/** The run has ended, by the rule of `kubectl wait` for a Job of Kubernetes. */
export const isOver = (conditions: readonly Told[] = []): boolean =>
  conditions.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');

/** The marker that a message asks to put into the annotation run-again, or undefined. */
export const markerToRunAgain = (message = ''): string | undefined =>
  new RegExp(`${runAgainAnnotation}: (\\S+)`).exec(message)?.[1];
