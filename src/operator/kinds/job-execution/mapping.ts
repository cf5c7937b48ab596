// JobExecution between YAML and the wire. PURE.
import { readLinks } from '../../../wire/cluster-info.ts';
import { cleanText, cleanWord } from '../../../wire/errors/shapes.ts';
import { executionMarker, type JobExecute, type JobExecution } from '../../../wire/jobs.ts';
import type { Spec } from '../../api/definition.ts';
import type { MappingContext, ObjectRoute, ResourceReference } from '../../reconcile/kind.ts';
import type { RunProgress, RunSettings } from '../../reconcile/runs.ts';
import { settled } from '../node-groups.ts';
import type { jobExecution } from './schema.ts';

export type ExecutionSpec = Spec<typeof jobExecution>;

/** What is sent, and to which job. */
export interface ExecuteRequest {
  readonly job: string;
  readonly body: JobExecute;
}

const referents = { job: 'Job', cluster: 'Cluster', input: 'DataSource', output: 'DataSource' } as const;
type Referent = keyof typeof referents;

const owned = { job: 'Job', cluster: 'Cluster' } as const;

/** `name`: of the execution, which what it owns has, too. */
export function referenceTo(referent: Referent, spec: ExecutionSpec, name: string): ResourceReference | undefined {
  if (referent === 'job' && spec.job) return { field: 'spec.job', kind: owned.job, name, owned: true };
  if (referent === 'cluster' && spec.cluster)
    return { field: 'spec.cluster', kind: owned.cluster, name, ready: true, owned: true };
  const named = spec[`${referent}Ref`];
  if (!named) return undefined;
  const reference = { field: `spec.${referent}Ref`, kind: referents[referent], name: named.name, fixed: true } as const;
  return referent === 'cluster' ? { ...reference, ready: true } : reference;
}

export function references(spec: ExecutionSpec, name: string): readonly ResourceReference[] {
  return (Object.keys(referents) as Referent[]).flatMap((referent) => referenceTo(referent, spec, name) ?? []);
}

/** The spec of the Job or the Cluster that the operator makes for the execution. */
export function ownedContent({ job, cluster }: ExecutionSpec, { kind }: ResourceReference): object {
  if (kind === owned.job) return job ?? {};
  const { keepOnFailureSeconds: _, ...content } = cluster ?? {};
  return content;
}

/** `marker`: what tells this run from all others. */
export function request(spec: ExecutionSpec, marker: string, { name, idOf, dialect }: MappingContext): ExecuteRequest {
  const idFor = (referent: Referent): string | undefined => {
    const reference = referenceTo(referent, spec, name);
    return reference ? idOf(reference) : spec[`${referent}ID`];
  };
  // Early releases want all three, and the arguments by name.
  const isEarly = dialect === 'savanna';
  const configs = { ...spec.configs, [executionMarker]: marker };
  const args = isEarly ? {} : spec.args;
  return {
    job: idFor('job') ?? '',
    body: {
      cluster_id: idFor('cluster') ?? '',
      ...settled({
        input_id: idFor('input'),
        output_id: idFor('output'),
        job_configs: settled({ configs, params: isEarly ? (spec.params ?? {}) : spec.params, args }),
        interface: spec.interface,
      }),
    } as JobExecute,
  };
}

const states: Readonly<Record<string, RunProgress['state']>> = {
  pending: 'queued',
  prep: 'queued',
  readytorun: 'queued',
  tobekilled: 'stopping',
  succeeded: 'succeeded',
  killed: 'killed',
  failed: 'failed',
  donewitherror: 'failed',
  // Somebody else tried to suspend it: what it did is not known, so that it is not repeated.
  suspendfailed: 'killed',
};

/** Status words differ in case between services; what is not known is a run in progress. */
export function progress({ info, start_time }: JobExecution): RunProgress {
  const status = (info?.status ?? '').toLowerCase();
  const startedAt = timeIn(start_time);
  const message = messageIn(info);
  return {
    state: (Object.hasOwn(states, status) && states[status]) || (status === '' ? 'queued' : 'running'),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(message === undefined ? {} : { message }),
  };
}

const longestMessage = 500;

/** Where engines put an explanation: `message` in ours. */
function messageIn(info: JobExecution['info']): string | undefined {
  const text: unknown = info?.['message'];
  return typeof text === 'string' && text !== '' ? cleanText(text, []).slice(0, longestMessage) : undefined;
}

/** Times without a zone are in UTC. */
function timeIn(text: string | undefined): number | undefined {
  if (text === undefined || text.length > 40) return undefined;
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text);
  const at = Date.parse(hasZone ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? undefined : at;
}

const isoSeconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

export function settings(spec: ExecutionSpec): RunSettings {
  const {
    cancel = false,
    suspend = false,
    retries = 0,
    activeDeadlineSeconds,
    ttlSecondsAfterFinished,
    onUnknown,
    cluster,
  } = spec;
  return {
    cancel,
    suspend,
    retries,
    retriesUnknown: onUnknown === 'Retry',
    keepClusterMs: (cluster?.keepOnFailureSeconds ?? 0) * 1000,
    ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineMs: activeDeadlineSeconds * 1000 }),
    ...(ttlSecondsAfterFinished === undefined ? {} : { ttlMs: ttlSecondsAfterFinished * 1000 }),
  };
}

interface ReportContext {
  readonly spec: ExecutionSpec | undefined;
  /** Of the JobExecution. */
  readonly name: string;
  /** Of the service. */
  readonly endpoint: string;
}

export function report(
  remote: JobExecution,
  { spec, name: executionName, endpoint }: ReportContext,
): Readonly<Record<string, unknown>> {
  const { info, start_time, end_time, job_id, cluster_id, progress: done } = remote;
  const [began, over] = [timeIn(start_time), timeIn(end_time)];
  const given = expected(spec, executionName);
  return settled({
    externalStatus: info?.status === undefined ? undefined : cleanWord(info.status),
    statusMessage: messageIn(info),
    progress: done === undefined ? undefined : percentOf(done),
    startTime: began === undefined ? undefined : isoSeconds(began),
    completionTime: over === undefined ? undefined : isoSeconds(over),
    duration: began === undefined || over === undefined ? undefined : durationText(over - began),
    job: settled({ ...given.job, ...reportedID(job_id) }),
    cluster: settled({ ...given.cluster, ...reportedID(cluster_id) }),
    urls: linksIn(info, endpoint),
  });
}

/** The job and the cluster that the spec asks for: known before there is a run. */
export function expected(spec: ExecutionSpec | undefined, name: string) {
  return {
    job: settled({ name: spec?.job ? name : spec?.jobRef?.name, id: spec?.jobID }),
    cluster: settled({ name: spec?.cluster ? name : spec?.clusterRef?.name, id: spec?.clusterID }),
  };
}

const reportedID = (id: string | undefined) => (id === undefined ? {} : { id: cleanWord(id) });

/** Where engines put links: `urls` in ours. */
function linksIn(info: JobExecution['info'], endpoint: string): Readonly<Record<string, string>> | undefined {
  const links = readLinks(info?.['urls'], endpoint);
  return Object.keys(links).length === 0 ? undefined : links;
}

/** In steps of ten: each change is a write of the status. */
const percentOf = (share: number): number => Math.floor(share * 10) * 10;

/** As kubectl and Go write it: 45s, 1m30s, 2h5m. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  if (hours > 0) return minutes > 0 ? `${hours}h${minutes}m` : `${hours}h`;
  if (minutes > 0) return rest > 0 ? `${minutes}m${rest}s` : `${minutes}m`;
  return `${rest}s`;
}

interface Mention {
  readonly route: ObjectRoute;
  readonly id: string;
}

/** The job and the data of a run stay as long as its row does. */
export function mentions({ job_id, input_id, output_id, data_source_urls = {} }: JobExecution): readonly Mention[] {
  const sources = new Set([input_id, output_id, ...Object.keys(data_source_urls)]);
  return [
    ...(job_id === undefined ? [] : [{ route: 'jobs', id: job_id } as const]),
    ...[...sources].flatMap((id) => (id === undefined ? [] : [{ route: 'dataSources', id } as const])),
  ];
}
