// Running jobs, and canceling and deleting runs: section 4.6 of the interface. The stages of an execution do the rest.
import { type JobExecute, shownUrl } from '../../../wire/jobs.ts';
import { jobRules } from '../../engines/job-types.ts';
import { findVersion, flavorsWithout } from '../../model/catalog/catalog.ts';
import type { JobNeed } from '../../model/catalog/plugins.ts';
import { find } from '../../model/checks/owners.ts';
import { checkRunSize } from '../../model/checks/quotas.ts';
import { need, resolve } from '../../model/checks/request-checks.ts';
import { timestamp } from '../../model/records/identifiers.ts';
import type { ClusterRecord, JobExecutionRecord, JobRecord } from '../../model/records/records.ts';
import { flavorConfig, noSuchFlavor } from '../../model/references.ts';
import { Refusal } from '../../model/refusal.ts';
import { isOver } from '../../model/stages/execution-stages.ts';
import { readExactBody } from '../bodies/bodies.ts';
import { jobSchemas } from '../bodies/job-bodies.ts';
import type { Call } from '../endpoints/endpoint.ts';
import { checkValues } from '../jobs/interface.ts';
import { createFreshId, type Service } from '../service.ts';
import { placeValues } from './interface-values.ts';
import { checkRun, prepareBinary } from './prepare.ts';

/** Throws if the plugin of the cluster does not run the job. */
function findNeeds({ catalog }: Service, { type }: JobRecord, cluster: ClusterRecord): readonly JobNeed[] {
  const version = findVersion(catalog, cluster.plugin_name, cluster.bigdata_version);
  const { jobTypes, absentJobs = {}, jobNeeds = {} } = version;
  if (jobTypes === undefined || jobTypes.includes(type)) return jobNeeds[type] ?? jobRules[type].needs;
  const types = jobTypes.length === 0 ? 'no jobs' : jobTypes.join(', ');
  const why = absentJobs[type] ?? `its plugin runs ${types}`;
  throw Refusal.by('otherPlugin', `cannot run ${type} job on cluster ${cluster.name}: ${why}`);
}

/** A job that is to run, and what the request has to contain. */
interface Asked {
  readonly tenant: string;
  readonly job: JobRecord;
  readonly needed: readonly JobNeed[];
}

type Sources = Pick<JobExecutionRecord, 'input_id' | 'output_id'>;

/** The identifiers of the data sources as the service stores them. Throws if one of them is missing. */
function findSources({ store, dialect }: Service, at: Asked, body: JobExecute): Sources {
  const { tenant, job } = at;
  const find = (id: string | undefined) =>
    id === undefined ? undefined : resolve(store, 'dataSources', { tenant, id }, 'unknownSource');
  const needed = at.needed.includes('sources');
  if (needed && !(body.input_id && body.output_id))
    throw Refusal.by('badRun', `cannot run ${job.type} job: it needs input_id and output_id`);
  const [input, output] = [find(body.input_id), find(body.output_id)];
  // Early releases do not compare them.
  const compared = dialect !== 'savanna' && jobRules[job.type].needs.includes('sources') && input !== undefined;
  if (compared && input.url === output?.url && input.type === output.type)
    throw Refusal.by('badRun', `cannot run ${job.type} job: input and output are both ${shownUrl(input.url)}`);
  return { input_id: input?.id, output_id: output?.id };
}

function checkConfigs(service: Service, asked: Asked, { job_configs: { configs = {} } = {} }: JobExecute): void {
  const { job, needed } = asked;
  const mainClass = configs['edp.java.main_class'];
  if (needsMainClass(service, asked) && (typeof mainClass !== 'string' || mainClass === ''))
    throw Refusal.by('badRun', `cannot run ${job.type} job: configs lack edp.java.main_class`);
  const streaming = ['edp.streaming.mapper', 'edp.streaming.reducer'].find((name) => !Object.hasOwn(configs, name));
  if (needed.includes('streaming') && streaming !== undefined)
    throw Refusal.by('badRun', `cannot run ${job.type} job: configs lack ${streaming}`);
}

/** A simulated job has no program that a flavor could bound, but the flavor has to exist as if it had. Other engines check more of it. */
function checkFlavor(
  { catalog, engine }: Service,
  { tenant }: Asked,
  { job_configs: { configs = {} } = {} }: JobExecute,
) {
  const wanted = configs[flavorConfig];
  if (engine.checks !== undefined || wanted === undefined) return;
  const names = flavorsWithout({ catalog, tenant }, String(wanted));
  if (names !== undefined) throw Refusal.by('unusable', noSuchFlavor(wanted, names));
}

function needsMainClass({ store }: Service, { tenant, job, needed }: Asked): boolean {
  if (!needed.includes('main class of a jar')) return needed.includes('main class');
  const isPython = (id: string) => {
    const record = find(store, 'jobBinaries', { tenant, id })?.record;
    return record !== undefined && (prepareBinary(record).file_name ?? record.name).endsWith('.py');
  };
  return !(job.mains ?? []).some(isPython);
}

/** Every call starts a new run, which waits until its cluster is Active. */
export function executeJob(service: Service, call: Call): JobExecutionRecord {
  const { dialect, store, clock, executions } = service;
  const { tenant } = call;
  const job = need(store, 'jobs', call);
  const body = readExactBody(dialect, jobSchemas(dialect).jobExecute, call.body);
  const cluster = resolve(store, 'clusters', { tenant, id: body.cluster_id }, 'unknownCluster');
  const asked = { tenant, job, needed: findNeeds(service, job, cluster) };
  checkValues(service, asked, body);
  const sources = findSources(service, asked, body);
  checkConfigs(service, asked, body);
  checkFlavor(service, asked, body);
  const id = createFreshId(service, 'jobExecutions', tenant);
  const execution: JobExecutionRecord = {
    id,
    name: id,
    job_id: job.id,
    cluster_id: cluster.id,
    ...sources,
    job_configs: dialect === 'sahara' ? placeValues(job, body) : (body.job_configs ?? {}),
    interface: body.interface ?? {},
    info: { status: '' },
    data_source_urls: {},
    created_at: timestamp(clock),
  };
  executions.usage.check(tenant);
  checkRunSize(service, tenant, checkRun(service, { tenant, cluster, job }, execution));
  return executions.start(tenant, execution, { operation: 'run' }) ?? execution;
}

/** The stored status is always current, so refreshing is the same as showing. */
export const refreshExecution = ({ store }: Service, call: Call): JobExecutionRecord =>
  need(store, 'jobExecutions', call);

const isBeingEnded = ({ work }: JobExecutionRecord) => work?.operation === 'cancel' || work?.operation === 'delete';

/** Early releases answer with the result, other releases with the state before. Nothing happens to an execution that is over or being ended. */
export function cancelExecution({ store, dialect, executions }: Service, call: Call): JobExecutionRecord {
  const execution = need(store, 'jobExecutions', call);
  if (isOver(execution) || isBeingEnded(execution)) return execution;
  const begun = executions.start(call.tenant, execution, { operation: 'cancel' });
  return dialect === 'savanna' && begun !== undefined ? begun : execution;
}

/** An execution that is not over is canceled first, and its row stays until then. */
export function deleteExecution({ store, executions }: Service, call: Call): void {
  const execution = need(store, 'jobExecutions', call);
  // Early releases show the end of a run before it is killed.
  if (isOver(execution)) executions.remove(call.tenant, execution);
  else if (execution.work?.operation !== 'delete') executions.delete(call.tenant, execution);
}
