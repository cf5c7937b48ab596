// Changing and suspending job executions, as in late upstream releases.
import type { JobType } from '../../wire/jobs/job.ts';
import { readChange } from '../bodies/bodies.ts';
import { changes } from '../bodies/change-bodies.ts';
import { invalidData, invalidReference, Refusal } from '../http/refusal.ts';
import { checkChange } from '../records/access.ts';
import { need } from '../records/checks.ts';
import { timestamp } from '../records/identifiers.ts';
import { find } from '../records/owners.ts';
import type { JobExecutionRecord } from '../records/records.ts';
import type { Call } from '../routes/endpoint.ts';
import type { Service } from '../service.ts';
import { applyChange } from '../templates/expansion.ts';

/** The engines of these types cannot suspend a run. */
const unsuspendable: readonly JobType[] = ['Spark', 'Storm', 'Storm.Pyleus'];

/** Every change requires an Active cluster in upstream. */
function checkCluster({ store }: Service, tenant: string, { id, cluster_id = '' }: JobExecutionRecord): void {
  const status = find(store, 'clusters', { tenant, id: cluster_id })?.record.status;
  if (status === 'Active') return;
  throw invalidData(`cannot update job execution ${id}: its cluster is ${status ?? 'gone'}, not Active`);
}

/** The status of the suspended execution, which depends on its progress. */
function suspendedFrom({ id, work }: JobExecutionRecord): 'SUSPENDED' | 'PREPSUSPENDED' {
  if (work?.operation === 'run' && work.stage === 'PREP') return 'PREPSUSPENDED';
  if (work?.operation === 'run' && work.stage === 'RUNNING') return 'SUSPENDED';
  throw new Refusal([400, 'SUSPENDING_FAILED'], `cannot suspend job execution ${id}: it is neither PREP nor RUNNING`);
}

function suspend(service: Service, tenant: string, execution: JobExecutionRecord): JobExecutionRecord {
  const { store, executions } = service;
  const job = find(store, 'jobs', { tenant, id: execution.job_id })?.record;
  if (job !== undefined && unsuspendable.includes(job.type))
    throw invalidReference(`cannot suspend job execution ${execution.id}: the engine of ${job.type} jobs cannot do it`);
  const to = suspendedFrom(execution);
  return executions.start(tenant, execution, { operation: 'suspend', to }) ?? execution;
}

/** Changes the access to an execution, or suspends it. Upstream accepts a request to cancel here, and ignores it. */
export function changeExecution(service: Service, call: Call): JobExecutionRecord {
  const { dialect, store, clock } = service;
  const { tenant } = call;
  need(store, 'jobExecutions', call);
  const change = readChange(dialect, changes.jobExecutions, call.body);
  const { info, ...access } = change;
  const execution = checkChange(store, 'jobExecutions', call, change);
  if (info !== undefined && Object.keys(access).length > 0)
    throw new Refusal([400, 'INVALID_JOB_STATUS'], 'cannot update job execution: info has to be the only field');
  checkCluster(service, tenant, execution);
  if (info?.status === 'suspend') return suspend(service, tenant, execution);
  const changed = { ...applyChange(execution, access), updated_at: timestamp(clock) };
  return service.executions.amend(tenant, changed);
}
