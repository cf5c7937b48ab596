// What the service is sent for a JobExecution, and what a run refers to. PURE.
import { executionMarker, type JobExecute, type JobExecution } from '../../../wire/jobs.ts';
import type { Spec } from '../../api/definition.ts';
import type { MappingContext, ObjectRoute, ResourceReference } from '../../reconcile/kind/kind.ts';
import type { RunSettings } from '../../reconcile/kind/run-types.ts';
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
export const referenceTo = (referent: Referent, spec: ExecutionSpec, name: string): ResourceReference | undefined => {
  if (referent === 'job' && spec.job) return { field: 'spec.job', kind: owned.job, name, owned: true };
  if (referent === 'cluster' && spec.cluster)
    return { field: 'spec.cluster', kind: owned.cluster, name, ready: true, owned: true };
  const named = spec[`${referent}Ref`];
  if (!named) return undefined;
  const reference = { field: `spec.${referent}Ref`, kind: referents[referent], name: named.name, fixed: true } as const;
  return referent === 'cluster' ? { ...reference, ready: true } : reference;
};

export const references = (spec: ExecutionSpec, name: string): readonly ResourceReference[] =>
  (Object.keys(referents) as Referent[]).flatMap((referent) => referenceTo(referent, spec, name) ?? []);

/** The spec of the Job or the Cluster that the operator makes for the execution. */
export const ownedContent = ({ job, cluster }: ExecutionSpec, { kind }: ResourceReference): object => {
  if (kind === owned.job) return job ?? {};
  const { keepOnFailureSeconds: _, ...content } = cluster ?? {};
  return content;
};

/** `marker` identifies the run. */
export const request = (
  spec: ExecutionSpec,
  marker: string,
  { name, idOf, dialect }: MappingContext,
): ExecuteRequest => {
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
};

export const settings = (spec: ExecutionSpec): RunSettings => {
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
};

interface Mention {
  readonly route: ObjectRoute;
  readonly id: string;
}

/** The job and the data of a run stay as long as its row does. */
export const mentions = ({ job_id, input_id, output_id, data_source_urls = {} }: JobExecution): readonly Mention[] => {
  const sources = new Set([input_id, output_id, ...Object.keys(data_source_urls)]);
  return [
    ...(job_id === undefined ? [] : [{ route: 'jobs', id: job_id } as const]),
    ...[...sources].flatMap((id) => (id === undefined ? [] : [{ route: 'dataSources', id } as const])),
  ];
};
