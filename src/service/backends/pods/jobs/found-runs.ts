// Finds runs by their objects.

import type { ClusterRecord } from '../../../model/records/records.ts';
import type { FoundRun } from '../../job-engine.ts';
import { jobs, type KubeApi, type KubeObject, type ObjectMeta, pods, secrets } from '../api/api.ts';
import { clusterLabel, labelValue, runLabel, runName, serviceLabel } from '../api/names.ts';
import type { PodObject } from '../clusters/conditions.ts';
import type { PodRuns } from './pod-runs.ts';
import { runLabels } from './run-manifests.ts';
import { hasEnded, isFinished, type JobObject } from './run-pod.ts';

interface FindOptions {
  readonly api: Pick<KubeApi, 'list'>;
  readonly runs: Pick<PodRuns, 'decision'>;
}

/** What is there of runs. A Secret alone can be left of one, too. */
interface Remains {
  readonly jobs: readonly JobObject[];
  readonly pods: readonly PodObject[];
  readonly secrets: readonly KubeObject[];
}

export interface SearchedNamespace {
  /** One of those whose runs are in it. */
  readonly tenant: string;
  readonly namespace: string;
}

/** There can be thousands of runs, and the API server tells some 10 kB of each. */
const keptOf = ({ metadata: { name, namespace, labels } }: KubeObject): KubeObject => ({
  metadata: { name, namespace, ...(labels && { labels }) },
});

const keptOfJob = (job: JobObject): JobObject => {
  const { labels } = job.spec?.template?.metadata ?? {};
  const { conditions } = job.status ?? {};
  const spec = { template: { metadata: { ...(labels && { labels }) } } };
  return { ...keptOf(job), spec, status: { ...(conditions && { conditions }) } };
};

const keptOfPod = (pod: PodObject): PodObject => ({
  ...keptOf(pod),
  status: { phase: hasEnded(pod) ? 'Succeeded' : 'Running' },
});

/** The runs on a cluster, whose objects are in the namespace. */
export async function findRunsOn(
  { api, runs }: FindOptions,
  cluster: ClusterRecord,
  { tenant, namespace }: SearchedNamespace,
): Promise<readonly FoundRun[]> {
  const isOnCluster = (labels: ObjectMeta['labels']) => labels?.[clusterLabel] === labelValue(cluster.id);
  const all = await api.list<JobObject>(jobs, namespace, { labels: runLabels }, keptOfJob);
  const found = await api.list<PodObject>(pods, namespace, { labels: runLabels }, keptOfPod);
  const remains = {
    jobs: all.filter(({ spec }) => isOnCluster(spec?.template?.metadata?.labels)),
    pods: found.filter(({ metadata }) => isOnCluster(metadata.labels)),
    secrets: [],
  };
  return runsIn(remains, runs, tenant);
}

/** All runs that the service has made in the namespace. */
export async function findRunsOf(
  { api, runs }: FindOptions,
  service: string,
  { tenant, namespace }: SearchedNamespace,
): Promise<readonly FoundRun[]> {
  const selection = { labels: { ...runLabels, [serviceLabel]: labelValue(service) } };
  const remains = {
    jobs: await api.list<JobObject>(jobs, namespace, selection, keptOfJob),
    pods: await api.list<PodObject>(pods, namespace, selection, keptOfPod),
    secrets: await api.list<KubeObject>(secrets, namespace, selection, keptOf),
  };
  return runsIn(remains, runs, tenant);
}

/**
 * Undefined if the object is none of a run. Whoever may make objects in the namespace can also label them, but those of another run have another name. The
 * identifiers of the service are labels as they are.
 */
function idOf({ metadata: { name, labels = {} } }: KubeObject): string | undefined {
  const id = labels[runLabel];
  const isOwn = id !== undefined && `${name}-`.startsWith(`${runName(id)}-`);
  return isOwn ? id : undefined;
}

function runsIn(remains: Remains, runs: FindOptions['runs'], tenant: string): readonly FoundRun[] {
  const ids = new Set([...remains.jobs, ...remains.pods, ...remains.secrets].map(idOf));
  return [...ids].flatMap((id) => {
    if (id === undefined) return [];
    const own = remains.pods.filter((pod) => idOf(pod) === id);
    const hasPodLater = own.length === 0 && remains.jobs.some((job) => idOf(job) === id && !isFinished(job));
    // What is left of a run that was barred is of no use to anybody.
    const isOver = runs.decision(id) !== 'killed' && own.every(hasEnded) && !hasPodLater;
    return [{ tenant, id, isOver }];
  });
}
