// What a run consists of: its binaries and data sources, as they were when it was prepared.
import { messageOf } from '../../../lib/errors.ts';
import type { Random } from '../../../lib/ports.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import { type JobConfigs, splitUrl } from '../../../wire/jobs.ts';
import type { Binary, JobEngine, RunPlan, Source } from '../../backends/job-engine.ts';
import { find, findVisible, listVisible } from '../../model/checks/owners.ts';
import { withHyphens } from '../../model/checks/request-checks.ts';
import type {
  ClusterRecord,
  JobBinaryRecord,
  JobExecutionRecord,
  JobRecord,
  PreparedBinary,
} from '../../model/records/records.ts';
import { findReferences, type SourceIndex } from '../../model/references.ts';
import { Refusal } from '../../model/refusal.ts';
import type { Store } from '../../model/store/store.ts';
import { anyLetter, resolveUrls } from './data-source-urls.ts';
import { placeValues } from './interface-values.ts';

interface PrepareInput {
  readonly store: Store;
  readonly random: Random;
  readonly dialect: Dialect;
  readonly engine: JobEngine;
}

export function prepareBinary({ id, name, url, extra: { file_name } = {} }: JobBinaryRecord): PreparedBinary {
  return { id, name, url, ...(file_name !== undefined && { file_name: String(file_name) }) };
}

/**
 * The execution with the binaries of its job, and with the URLs of its data sources. Throws an Error with the field and the remedy if it refers to
 * a data source that does not exist, and its engine has checks.
 */
export function prepare(
  { store, random, dialect, engine }: PrepareInput,
  tenant: string,
  execution: JobExecutionRecord,
): JobExecutionRecord {
  const job = find(store, 'jobs', { tenant, id: execution.job_id })?.record;
  const prepared = (ids: readonly string[] = []): readonly PreparedBinary[] =>
    ids.flatMap((id) => {
      const binary = find(store, 'jobBinaries', { tenant, id })?.record;
      return binary === undefined ? [] : [prepareBinary(binary)];
    });
  const sourceById = (id: string) => find(store, 'dataSources', { tenant, id })?.record;
  const references =
    job === undefined || engine.checks === undefined
      ? {}
      : findReferences(placed(dialect, job, execution), job.interface, indexOf(store, tenant));
  const data_source_urls = resolveUrls(execution, Object.values(references), sourceById, random);
  const of = { mains: prepared(job?.mains), libs: prepared(job?.libs), references };
  return { ...execution, data_source_urls, prepared: of };
}

/** Late releases store the values of the interface at their places, and early ones have none. */
const placed = (
  dialect: Dialect,
  job: JobRecord,
  { job_configs, interface: values }: JobExecutionRecord,
): JobConfigs =>
  dialect === 'neutral' && job.interface.length > 0
    ? placeValues(job, { interface: values, job_configs })
    : job_configs;

/** Made for one request, whose texts can all be names. */
function indexOf(store: Store, tenant: string): SourceIndex {
  let byName: ReadonlyMap<string, string> | undefined;
  const named = () =>
    // Of several with a name, the first one counts.
    new Map(
      listVisible(store, 'dataSources', tenant)
        .toReversed()
        .map(({ name, id }) => [name, id]),
    );
  return {
    byName: (name) => (byName ??= named()).get(name),
    byId: (id) =>
      [id, withHyphens(id)].map((each) => findVisible(store, 'dataSources', { tenant, id: each })).find(Boolean)?.id,
  };
}

interface PlanOrigin {
  readonly tenant: string;
  readonly cluster: ClusterRecord;
  readonly job: JobRecord;
}

/** What the engine gets to know of an execution that was prepared. */
export function planOf(
  { store, dialect }: Pick<PrepareInput, 'store' | 'dialect'>,
  { tenant, cluster, job }: PlanOrigin,
  execution: JobExecutionRecord,
): RunPlan {
  const { mains = [], libs = [], references = {} } = execution.prepared ?? {};
  const source = (id: string | undefined) => sourceOf(store, tenant, execution, id);
  const referred = Object.entries(references).flatMap(([text, id]) => {
    const found = source(id);
    return found === undefined ? [] : [[text, found] as const];
  });
  return {
    tenant,
    execution,
    cluster,
    job,
    mains: binariesOf(store, tenant, mains),
    libs: binariesOf(store, tenant, libs),
    input: source(execution.input_id),
    output: source(execution.output_id),
    job_configs: placed(dialect, job, execution),
    references: new Map(referred),
  };
}

function binariesOf(store: Store, tenant: string, prepared: readonly PreparedBinary[]): readonly Binary[] {
  return prepared.map((binary) => {
    const { scheme, host: id } = splitUrl(binary.url);
    const stored = () =>
      scheme === 'internal-db' ? findVisible(store, 'jobBinaryInternals', { tenant, id }) : undefined;
    return {
      ...binary,
      extra: find(store, 'jobBinaries', { tenant, id: binary.id })?.record.extra ?? {},
      size: stored()?.datasize,
      read() {
        const internal = stored();
        return internal && store.bytes(tenant, internal.id);
      },
    };
  });
}

function sourceOf(
  store: Store,
  tenant: string,
  { data_source_urls }: JobExecutionRecord,
  id: string | undefined,
): Source | undefined {
  const source = id === undefined ? undefined : find(store, 'dataSources', { tenant, id })?.record;
  if (source === undefined) return undefined;
  const { type, credentials = {} } = source;
  return { id: source.id, type, url: data_source_urls[source.id] ?? source.url, credentials };
}

/** Throws a refusal that names the field and the remedy if the run cannot work. Returns the execution as it will be prepared, but for its random letters. */
export function checkRun(
  { store, engine, dialect }: Omit<PrepareInput, 'random'>,
  at: PlanOrigin,
  execution: JobExecutionRecord,
): JobExecutionRecord {
  try {
    const prepared = prepare({ store, engine, dialect, random: anyLetter }, at.tenant, execution);
    engine.checks?.run(planOf({ store, dialect }, at, prepared));
    return prepared;
  } catch (cause) {
    throw Refusal.by('unusable', messageOf(cause));
  }
}
