// How job executions end: by themselves, ended by somebody, or because something went wrong. PURE.
import type { Ending, JobExecutionRecord } from '../records/job-records.ts';

export type End = Ending | 'KILLED' | 'SUSPENDFAILED';

export const isOver = (execution: JobExecutionRecord): boolean => execution.end_time !== undefined;

/** The execution as it is when it has come to its end. */
export function endExecution(
  execution: JobExecutionRecord,
  info: { readonly status: End; readonly message?: string },
  now: string,
): JobExecutionRecord {
  // Upstream gives a start, too, to a run that could not be started.
  const start_time = execution.start_time ?? (info.status === 'FAILED' ? now : undefined);
  const end_time = execution.end_time ?? now;
  return { ...execution, info, start_time, end_time, work: undefined, updated_at: now };
}

/** A run that fails is FAILED, and one that cannot be held is over, too; one that cannot be killed stays until it is asked for once more. */
export function failExecution(execution: JobExecutionRecord, cause: unknown, now: string): JobExecutionRecord {
  const message = cause instanceof Error ? cause.message : String(cause);
  switch (execution.work?.operation) {
    case 'run':
      return endExecution(execution, { status: 'FAILED', message }, now);
    case 'suspend':
      return endExecution(execution, { status: 'SUSPENDFAILED', message }, now);
    case 'cancel':
    case 'delete':
      return { ...execution, info: { ...execution.info, message }, work: undefined };
    case undefined:
      return { ...execution, work: undefined };
  }
}
