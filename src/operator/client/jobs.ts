// Section 4.6: what jobs and their binaries have beyond create, list, show and delete.
import { type JobHints, jobHints } from '../../wire/jobs/job.ts';
import type { JobBinaryInternal } from '../../wire/jobs/job-binary.ts';
import type { JobExecute, JobExecution } from '../../wire/jobs/job-execution.ts';
import { routes } from '../../wire/routes.ts';
import { getRow, type Requests, readValue, sendRead } from './collection.ts';
import { largestBinary, largestDetails } from './limits.ts';
import type { Inventory } from './list/inventory.ts';
import type { Permit } from './throttle/budget.ts';
import { rowWriter } from './writes.ts';

type Binaries = typeof routes.jobBinaries | typeof routes.jobBinaryInternals;

export interface JobRequests {
  /** PUT: keeps the bytes under a name. More than 8 MiB are refused before they are sent. */
  uploadBinary(name: string, bytes: Uint8Array, permit: Permit): Promise<JobBinaryInternal>;
  /** The bytes of a binary, as they are. More than 8 MiB are refused. */
  downloadBinary(route: Binaries, id: string, signal?: AbortSignal): Promise<Buffer>;
  /** Every call is a new run. */
  executeJob(id: string, body: JobExecute, permit: Permit): Promise<JobExecution>;
  /** A GET that ends the run: it is sent once, as any write is. */
  cancelExecution(id: string, permit: Permit): Promise<JobExecution>;
  /** Has the service ask the engine first. */
  refreshExecution(id: string, signal?: AbortSignal): Promise<JobExecution>;
  /** What can be configured for a job of this type. */
  jobHints(type: string, signal?: AbortSignal): Promise<JobHints>;
}

export function jobRequestsOf(requests: Requests, inventory: Inventory): JobRequests {
  const write = rowWriter(requests, inventory);
  const { jobs, jobBinaryInternals: internals, jobExecutions: executions } = routes;
  return {
    uploadBinary: (name, bytes, permit) =>
      write(internals, { method: 'PUT', segments: [internals.path, name], bytes, permit }),
    downloadBinary({ path }, id, signal) {
      const segments = [path, id, 'data'] as const;
      const outgoing = { method: 'GET', route: path, segments, raw: true, most: largestBinary, signal } as const;
      // The answer's own memory is given back when it is read.
      return sendRead(requests, outgoing, (body) => Buffer.from(body));
    },
    executeJob: (id, body, permit) =>
      write(executions, { method: 'POST', segments: [jobs.path, id, 'execute'], body, permit }),
    cancelExecution: (id, permit) =>
      write(executions, { method: 'GET', segments: [executions.path, id, 'cancel'], id, permit }),
    refreshExecution: (id, signal) => getRow(requests, executions, { id, verb: 'refresh-status', signal }),
    jobHints: (type, signal) =>
      readValue(
        requests,
        { schema: jobHints, key: 'job_config' },
        { segments: [jobs.path, 'config-hints', type], signal, most: largestDetails },
      ),
  };
}
