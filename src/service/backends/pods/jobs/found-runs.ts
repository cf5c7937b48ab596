// Finds runs by their objects.

import { slicesOf } from '../../../../lib/timing/slices.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import type { FoundRun } from '../../job-engine.ts';
import { jobs, type KubeApi, type KubeObject, type ObjectMeta, pods, secrets } from '../api/api.ts';
import { keptOf } from '../api/kept.ts';
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
  const value = labelValue(cluster.id);
  const isOnCluster = (labels: ObjectMeta['labels']) => labels?.[clusterLabel] === value;
  const all = await api.list<JobObject>(jobs, namespace, { labels: runLabels }, keptOfJob);
  const found = await api.list<PodObject>(pods, namespace, { labels: runLabels }, keptOfPod);
  const remains = {
    jobs: all.filter(({ spec }) => isOnCluster(spec?.template?.metadata?.labels)),
    pods: found.filter(({ metadata }) => isOnCluster(metadata.labels)),
    secrets: [],
  };
  return await runsIn(remains, runs, tenant);
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
  return await runsIn(remains, runs, tenant);
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

/** By the runs that they belong to. There can be thousands, and each takes a digest. */
async function byRun<T extends KubeObject>(objects: readonly T[]): Promise<ReadonlyMap<string, readonly T[]>> {
  const found = new Map<string, T[]>();
  for await (const slice of slicesOf(objects))
    for (const object of slice) {
      const id = idOf(object);
      if (id === undefined) continue;
      const own = found.get(id);
      if (own === undefined) found.set(id, [object]);
      else own.push(object);
    }
  return found;
}

async function runsIn(remains: Remains, runs: FindOptions['runs'], tenant: string): Promise<readonly FoundRun[]> {
  const jobsOf = await byRun(remains.jobs);
  const podsOf = await byRun(remains.pods);
  const secretsOf = await byRun(remains.secrets);
  const ids = new Set([...jobsOf.keys(), ...podsOf.keys(), ...secretsOf.keys()]);
  const found: FoundRun[] = [];
  for await (const slice of slicesOf(ids))
    for (const id of slice) {
      const own = podsOf.get(id) ?? [];
      const hasPodLater = own.length === 0 && jobsOf.get(id)?.every(isFinished) === false;
      // What is left of a run that was barred is of no use to anybody.
      const isOver = runs.decision(id) !== 'killed' && own.every(hasEnded) && !hasPodLater;
      found.push({ tenant, id, isOver });
    }
  return found;
}
