// Records of section 4.6 as answers, without secrets, bytes and internal fields. PURE.
import type { FlatConfigs } from '../../../wire/common.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import { isSecretConfig } from '../../engines/s3/setup.ts';
import { derivedId } from '../../model/records/identifiers.ts';
import type { JobBinaryRecord, JobExecutionRecord, JobRecord, Kind, Records } from '../../model/records/records.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The context of a record: its dialect, its tenant and the job binaries of that. */
export interface ViewContext {
  readonly dialect: Dialect;
  readonly tenant: string;
  readonly binaryOf: (id: string) => JobBinaryRecord | undefined;
}

/** The fields that are set, except for some. */
export const omit = (fields: object, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== undefined && !names.includes(name)));

type JobKind = Extract<Kind, 'dataSources' | 'jobBinaryInternals' | 'jobBinaries' | 'jobs' | 'jobExecutions'>;
type Views = { readonly [K in JobKind]: (record: Records[K], context: ViewContext) => Fields };

const withoutSecrets = (configs: FlatConfigs): FlatConfigs =>
  Object.fromEntries(Object.entries(configs).map(([name, value]) => [name, isSecretConfig(name) ? '' : value]));

function shownExecution(execution: JobExecutionRecord): Fields {
  const { info, urls } = execution;
  const { configs } = execution.job_configs;
  const job_configs =
    configs === undefined ? execution.job_configs : { ...execution.job_configs, configs: withoutSecrets(configs) };
  // Upstream has no links. There, too, engines report what they like in `info`.
  const shownInfo = urls === undefined ? info : { ...info, urls };
  return { ...omit(execution, ['work', 'name', 'prepared', 'urls']), info: shownInfo, job_configs };
}

/** A job with its binaries in full. All of them exist, because a job binary cannot be deleted while a job uses it. */
const shownJob = (job: JobRecord, show: (binary: JobBinaryRecord) => Fields, context: ViewContext): Fields => {
  const whole = (ids: readonly string[]) =>
    ids.flatMap((id) => context.binaryOf(id) ?? []).map((binary) => owned(show(binary), context));
  return { ...omit(job, []), mains: whole(job.mains), libs: whole(job.libs) };
};

const owned = (fields: object, { tenant }: { readonly tenant: string }): Fields => ({ ...fields, tenant_id: tenant });
const interfaceBinary = (binary: JobBinaryRecord): Fields => omit(binary, ['extra']);

/** The fields of upstream in neutral words. Fields that were never set are omitted. */
export const interfaceJobViews: Views = {
  dataSources: (source, context) => owned(omit(source, ['credentials']), context),
  jobBinaryInternals: (internal, context) => owned(internal, context),
  jobBinaries: (binary, context) => owned(interfaceBinary(binary), context),
  jobs: (job, context) => owned(shownJob(job, interfaceBinary, context), context),
  jobExecutions: (execution, context) => owned(shownExecution(execution), context),
};

const unset = { updated_at: null };
const described = { ...unset, description: null };
/** Early releases return this secret field, later ones never do. */
const revealing = (fields: object, field: string, unset: unknown, { dialect }: ViewContext): Fields =>
  dialect === 'savanna' ? { [field]: unset, ...omit(fields, []) } : omit(fields, [field]);

/** Early releases have neither of these fields. */
export const access = ({ dialect }: ViewContext): Fields =>
  dialect === 'sahara' ? { is_public: false, is_protected: false } : {};
const upstreamBinary = (binary: JobBinaryRecord, context: ViewContext): Fields => ({
  ...described,
  ...revealing(binary, 'extra', null, context),
  ...access(context),
});

const unsetExecution = {
  ...unset,
  cluster_id: null,
  input_id: null,
  output_id: null,
  engine_job_id: null,
  return_code: null,
  start_time: null,
  end_time: null,
};

/** Upstream stores the arguments of a job as rows of their own, in order. */
const shownArguments = (job: JobRecord, tenant: string) =>
  job.interface.map((argument, order) => ({
    id: derivedId(`${job.id} ${argument.name}`),
    job_id: job.id,
    tenant_id: tenant,
    order,
    description: null,
    default: null,
    ...omit(argument, []),
    created_at: job.created_at,
    updated_at: null,
  }));

const returnCodeOf = ({ return_code }: JobExecutionRecord): Fields =>
  return_code === undefined ? {} : { return_code: String(return_code) };

/** Late releases return the engine's identifier twice, and URLs once the run has begun. */
const lateExecution = (execution: JobExecutionRecord): Fields => ({
  ...unsetExecution,
  ...omit(shownExecution(execution), ['interface', 'progress']),
  ...returnCodeOf(execution),
  oozie_job_id: execution.engine_job_id ?? null,
  data_source_urls: execution.start_time === undefined ? null : execution.data_source_urls,
});
const earlyExecution = (execution: JobExecutionRecord): Fields => ({
  ...unsetExecution,
  progress: null,
  ...omit(shownExecution(execution), ['interface', 'data_source_urls']),
  ...returnCodeOf(execution),
});

export const upstreamJobViews: Views = {
  dataSources: (source, context) => ({
    ...described,
    ...revealing(source, 'credentials', {}, context),
    ...access(context),
  }),
  jobBinaryInternals: (internal, context) => ({ ...unset, ...omit(internal, []), ...access(context) }),
  jobBinaries: upstreamBinary,
  jobs(job, context) {
    const shown = shownJob(job, (binary) => upstreamBinary(binary, context), context);
    const arguments_ = context.dialect === 'sahara' ? { interface: shownArguments(job, context.tenant) } : {};
    // Early releases have no interface of jobs.
    return { ...described, ...omit(shown, ['interface']), ...arguments_, ...access(context) };
  },
  jobExecutions: (execution, context) =>
    context.dialect === 'sahara' ? { ...access(context), ...lateExecution(execution) } : earlyExecution(execution),
};
