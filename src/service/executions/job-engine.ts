// What runs jobs on clusters: the interface that executions are driven through, and the engine that only pretends.
import type { Random } from '../../lib/ports.ts';
import { createId } from '../records/identifiers.ts';
import type { Ending, JobExecutionRecord, JobRecord } from '../records/job-records.ts';

/** What an engine is told: whose execution of what, and when the result is no longer wanted. The cluster is in the execution. */
export interface ExecutionOrder {
  readonly tenant: string;
  readonly execution: JobExecutionRecord;
  readonly job: JobRecord;
  /** Aborted when the execution is cancelled, its cluster goes or the service closes; the call should then settle soon. */
  readonly signal: AbortSignal;
}

/**
 * Calls for one execution never overlap. Every method may be called again for the same execution after a restart of the service and must then
 * lead to the same end.
 */
export interface JobEngine {
  /** Hands the run over to its cluster, which is Active; resolves to the engine's own identifier of it. A rejection ends it as FAILED. */
  submit(order: ExecutionOrder): Promise<string>;
  /** Resolves when the run is over, with how it ended. A rejection ends it as FAILED. */
  finish(order: ExecutionOrder): Promise<Ending>;
  /** Ends the run before its time, if it was submitted at all. After a rejection it is called again later. */
  kill(order: ExecutionOrder): Promise<void>;
  /** Holds the run. A rejection ends it as SUSPENDFAILED. */
  suspend(order: ExecutionOrder): Promise<void>;
}

/** Every run succeeds, at once. */
export function createSimulatedEngine(random: Random): JobEngine {
  return {
    submit: async () => createId(random),
    finish: async () => 'SUCCEEDED',
    kill: async () => {},
    suspend: async () => {},
  };
}
