// The records of the resources of section 4.6, in neutral words.

import type { FlatConfigs } from '../../wire/common.ts';
import type { DataSourceCreate } from '../../wire/jobs/data-source.ts';
import type { Argument, JobType } from '../../wire/jobs/job.ts';
import type { JobConfigs } from '../../wire/jobs/job-execution.ts';
import type { Access, Unset } from './access-fields.ts';

type JobIdentity = { readonly id: string; readonly name: string; readonly created_at: string } & Access;

export type DataSourceRecord = JobIdentity & { readonly type: DataSourceCreate['type']; readonly url: string } & Unset<{
    description: string;
    credentials: Readonly<Record<string, unknown>>;
    updated_at: string;
  }>;

/** The store keeps the bytes beside the record. */
export type JobBinaryInternalRecord = JobIdentity & { readonly datasize: number } & Unset<{ updated_at: string }>;

export type JobBinaryRecord = JobIdentity & { readonly url: string } & Unset<{
    description: string;
    extra: FlatConfigs;
    updated_at: string;
  }>;

/** `mains` and `libs` are identifiers of job binaries. */
export type JobRecord = JobIdentity & {
  readonly type: JobType;
  readonly mains: readonly string[];
  readonly libs: readonly string[];
  readonly interface: readonly Argument[];
} & Unset<{ description: string; updated_at: string }>;

/** The operation on an execution, and its stage. It is stored, so that a restart continues with it. */
export type ExecutionWork = ExecutionOperation & { readonly stage: string };
export type ExecutionOperation =
  | { readonly operation: 'run' | 'cancel' | 'delete' }
  | { readonly operation: 'suspend'; readonly to: 'SUSPENDED' | 'PREPSUSPENDED' };

/** How a run can end on its own. */
export type Ending = 'SUCCEEDED' | 'FAILED' | 'DONEWITHERROR';

/**
 * An execution with an end time is over. `cluster_id` is unset once the cluster is gone. Executions have no names, so `name` is the
 * identifier.
 */
export type JobExecutionRecord = JobIdentity & {
  readonly job_id: string;
  readonly job_configs: JobConfigs;
  readonly interface: FlatConfigs;
  readonly info: { readonly status: string; readonly message?: string };
  readonly data_source_urls: Readonly<Record<string, string>>;
} & Unset<{
    cluster_id: string;
    input_id: string;
    output_id: string;
    engine_job_id: string;
    start_time: string;
    end_time: string;
    updated_at: string;
    work: ExecutionWork;
  }>;
