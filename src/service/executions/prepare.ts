// What a run consists of: its binaries and data sources, as they were when it was prepared.
import type { Random } from '../../lib/ports.ts';
import { splitUrl } from '../../wire/jobs.ts';
import { find, findVisible } from '../records/owners.ts';
import type { ClusterRecord, JobExecutionRecord, JobRecord, PreparedBinary } from '../records/records.ts';
import type { Store } from '../store/store.ts';
import { resolveUrls } from './data-source-urls.ts';
import type { Binary, RunPlan, Source } from './job-engine.ts';

/** The execution with the binaries of its job, and with the URLs of its data sources. */
export function prepare(
  { store, random }: { readonly store: Store; readonly random: Random },
  tenant: string,
  execution: JobExecutionRecord,
): JobExecutionRecord {
  const job = find(store, 'jobs', { tenant, id: execution.job_id })?.record;
  const prepared = (ids: readonly string[] = []): readonly PreparedBinary[] =>
    ids.flatMap((id) => {
      const binary = find(store, 'jobBinaries', { tenant, id })?.record;
      return binary === undefined ? [] : [{ id, name: binary.name, url: binary.url }];
    });
  const sourceById = (id: string) => find(store, 'dataSources', { tenant, id })?.record;
  const data_source_urls = resolveUrls(execution, sourceById, random);
  return { ...execution, data_source_urls, prepared: { mains: prepared(job?.mains), libs: prepared(job?.libs) } };
}

/** What the engine gets to know of an execution that was prepared. */
export function planOf(
  store: Store,
  { tenant, cluster, job }: { readonly tenant: string; readonly cluster: ClusterRecord; readonly job: JobRecord },
  execution: JobExecutionRecord,
): RunPlan {
  const { mains = [], libs = [] } = execution.prepared ?? {};
  return {
    tenant,
    execution,
    cluster,
    job,
    mains: binariesOf(store, tenant, mains),
    libs: binariesOf(store, tenant, libs),
    input: sourceOf(store, tenant, execution, execution.input_id),
    output: sourceOf(store, tenant, execution, execution.output_id),
  };
}

function binariesOf(store: Store, tenant: string, prepared: readonly PreparedBinary[]): readonly Binary[] {
  return prepared.map((binary) => ({
    ...binary,
    extra: find(store, 'jobBinaries', { tenant, id: binary.id })?.record.extra ?? {},
    read() {
      const { scheme, host: id } = splitUrl(binary.url);
      const internal = scheme === 'internal-db' ? findVisible(store, 'jobBinaryInternals', { tenant, id }) : undefined;
      return internal && store.bytes(internal.tenant, internal.record.id);
    },
  }));
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
