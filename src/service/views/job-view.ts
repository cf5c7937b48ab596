// Records of section 4.6 as answers: secrets, bytes and what is only for the service stay out. PURE.
import type { FlatConfigs } from '../../wire/common.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { derivedId } from '../records/derived-identifiers.ts';
import type { JobBinaryRecord, JobExecutionRecord, JobRecord } from '../records/job-records.ts';
import type { Kind, Records } from '../records/records.ts';
import type { Owned } from '../store/store.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What there is around a record: whose it is, how it is told, and job binaries, which may be another's. */
export interface Surroundings {
  readonly dialect: Dialect;
  readonly tenant: string;
  readonly binaryOf: (id: string) => Owned<'jobBinaries'> | undefined;
}

/** The fields that are set, but for some. */
export const omit = (fields: object, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== undefined && !names.includes(name)));

export type JobKind = Extract<Kind, 'dataSources' | 'jobBinaryInternals' | 'jobBinaries' | 'jobs' | 'jobExecutions'>;
type Views = { readonly [K in JobKind]: (record: Records[K], surroundings: Surroundings) => Fields };

const secretConfig = /^fs\.(swift\.service\.[^.]+\.(username|password)|s3a\.(access|secret)\.key)$/;

const withoutSecrets = (configs: FlatConfigs): FlatConfigs =>
  Object.fromEntries(Object.entries(configs).map(([name, value]) => [name, secretConfig.test(name) ? '' : value]));

function shownExecution(execution: JobExecutionRecord): Fields {
  const { configs } = execution.job_configs;
  const job_configs =
    configs === undefined ? execution.job_configs : { ...execution.job_configs, configs: withoutSecrets(configs) };
  return { ...omit(execution, ['work', 'name']), job_configs };
}

/** A job with its binaries in full. Each is there: deleting one is refused while a job uses it. */
const shownJob = (job: JobRecord, show: (binary: JobBinaryRecord) => Fields, { binaryOf }: Surroundings): Fields => {
  const whole = (ids: readonly string[]) =>
    ids.flatMap((id) => binaryOf(id) ?? []).map((found) => owned(show(found.record), found));
  return { ...omit(job, []), mains: whole(job.mains), libs: whole(job.libs) };
};

const owned = (fields: object, { tenant }: { readonly tenant: string }): Fields => ({ ...fields, tenant_id: tenant });
const interfaceBinary = (binary: JobBinaryRecord): Fields => omit(binary, ['extra']);

/** The shapes of upstream in neutral words. Fields that were never set are left out. */
export const interfaceJobViews: Views = {
  dataSources: (source, around) => owned(omit(source, ['credentials']), around),
  jobBinaryInternals: (internal, around) => owned(internal, around),
  jobBinaries: (binary, around) => owned(interfaceBinary(binary), around),
  jobs: (job, around) => owned(shownJob(job, interfaceBinary, around), around),
  jobExecutions: (execution, around) => owned(shownExecution(execution), around),
};

const unset = { updated_at: null };
const described = { ...unset, description: null };
/** With a field of it that only the store of the data needs to know: early releases give it back, later ones never do. */
const revealing = (fields: object, field: string, unset: unknown, { dialect }: Surroundings): Fields =>
  dialect === 'savanna' ? { [field]: unset, ...omit(fields, []) } : omit(fields, [field]);

/** Early releases know neither of these. */
export const access = ({ dialect }: Surroundings): Fields =>
  dialect === 'sahara' ? { is_public: false, is_protected: false } : {};
const upstreamBinary = (binary: JobBinaryRecord, around: Surroundings): Fields => ({
  ...described,
  ...access(around),
  ...revealing(binary, 'extra', null, around),
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

/** The arguments of a job are rows of their own, in order. */
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

/** Late releases tell the engine's identifier twice, and URLs once the run has begun. */
const lateExecution = (execution: JobExecutionRecord): Fields => ({
  ...unsetExecution,
  ...omit(shownExecution(execution), ['interface']),
  oozie_job_id: execution.engine_job_id ?? null,
  data_source_urls: execution.start_time === undefined ? null : execution.data_source_urls,
});
const earlyExecution = (execution: JobExecutionRecord): Fields => ({
  ...unsetExecution,
  progress: null,
  ...omit(shownExecution(execution), ['interface', 'data_source_urls']),
});

export const upstreamJobViews: Views = {
  dataSources: (source, around) => ({
    ...described,
    ...access(around),
    ...revealing(source, 'credentials', {}, around),
  }),
  jobBinaryInternals: (internal, around) => ({ ...unset, ...access(around), ...omit(internal, []) }),
  jobBinaries: upstreamBinary,
  jobs(job, around) {
    const shown = shownJob(job, (binary) => upstreamBinary(binary, around), around);
    const arguments_ = around.dialect === 'sahara' ? { interface: shownArguments(job, around.tenant) } : {};
    // Early releases know no interface of jobs.
    return { ...described, ...access(around), ...omit(shown, ['interface']), ...arguments_ };
  },
  jobExecutions: (execution, around) =>
    around.dialect === 'sahara' ? { ...access(around), ...lateExecution(execution) } : earlyExecution(execution),
};
