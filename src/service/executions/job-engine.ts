// The interface through which executions run jobs on clusters, and an engine that simulates them.
import type { Random } from '../../lib/ports.ts';
import { createId } from '../records/identifiers.ts';
import type { Ending, JobExecutionRecord, JobRecord } from '../records/records.ts';

/** The input of an engine: the tenant, the execution, its job, and a signal that ends the call. The execution names the cluster. */
export interface ExecutionOrder {
  readonly tenant: string;
  readonly execution: JobExecutionRecord;
  readonly job: JobRecord;
  /** Aborted when the execution is cancelled, its cluster is deleted or the service closes. The call should then settle soon. */
  readonly signal: AbortSignal;
}

/**
 * Calls for one execution never overlap. Every method can be called again for the same execution after a restart of the service, and must then lead
 * to the same result.
 */
export interface JobEngine {
  /** Submits the run to its cluster, which is Active. Resolves to the identifier that the engine assigned. A rejection ends the run as FAILED. */
  submit(order: ExecutionOrder): Promise<string>;
  /** Resolves to the result when the run is over. A rejection ends the run as FAILED. */
  finish(order: ExecutionOrder): Promise<Ending>;
  /** Ends the run early, if it was submitted at all. After a rejection it is called again later. */
  kill(order: ExecutionOrder): Promise<void>;
  /** Suspends the run. A rejection ends it as SUSPENDFAILED. */
  suspend(order: ExecutionOrder): Promise<void>;
}

/** Simulates runs. Every run succeeds at once. */
export function createSimulatedEngine(random: Random): JobEngine {
  return {
    submit: async () => createId(random),
    finish: async () => 'SUCCEEDED',
    kill: async () => {},
    suspend: async () => {},
  };
}
