// Queues of Kueue, and what waits in them.
import type { ApiServer } from '../kubernetes/api-server.ts';

const queueApi = '/apis/kueue.x-k8s.io/v1beta2';
const apiVersion = 'kueue.x-k8s.io/v1beta2';

async function applied(api: ApiServer, path: string, object: object): Promise<void> {
  const answer = await api.apply(`${queueApi}/${path}`, { apiVersion, ...object });
  if (answer.status >= 300) throw new Error(`the API server refuses ${path}: ${JSON.stringify(answer.body)}`);
}

/**
 * A LocalQueue of the namespace with a ClusterQueue of its own, which has so much of the CPU, such as `100m`, and enough of all else. An urgent Job takes the
 * room of others.
 */
export async function createQueue(api: ApiServer, namespace: string, name: string, cpu: string): Promise<void> {
  await applied(api, 'resourceflavors/default', { kind: 'ResourceFlavor', metadata: { name: 'default' } });
  const urgent = { kind: 'WorkloadPriorityClass', metadata: { name: urgentClass }, value: 1000, description: 'urgent' };
  await applied(api, `workloadpriorityclasses/${urgentClass}`, urgent);
  const quotas = { cpu, memory: '1Ti', 'ephemeral-storage': '10Ti' };
  const resources = Object.entries(quotas).map(([resource, nominalQuota]) => ({ name: resource, nominalQuota }));
  const spec = {
    namespaceSelector: {},
    preemption: { withinClusterQueue: 'LowerPriority' },
    resourceGroups: [{ coveredResources: Object.keys(quotas), flavors: [{ name: 'default', resources }] }],
  };
  const clusterQueue = `${namespace}-${name}`;
  const of = { name: clusterQueue };
  await applied(api, `clusterqueues/${clusterQueue}`, { kind: 'ClusterQueue', metadata: of, spec });
  const local = { kind: 'LocalQueue', metadata: { name, namespace }, spec: { clusterQueue } };
  await applied(api, `namespaces/${namespace}/localqueues/${name}`, local);
}

const urgentClass = 'urgent';

/** A Job of somebody else, which takes the room of all others in the queue. */
export const urgentJob = (name: string, queue: string, cpu: string) => ({
  metadata: {
    name,
    labels: { 'kueue.x-k8s.io/queue-name': queue, 'kueue.x-k8s.io/priority-class': urgentClass },
  },
  spec: {
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'main', resources: { requests: { cpu } } }] },
    },
  },
});

interface Workload {
  readonly metadata: { readonly name: string; readonly ownerReferences?: readonly { readonly name: string }[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly message: string }[] };
}

/** What waits in the queues of the namespace, or was admitted: by the name of the Job or StatefulSet, what Kueue says of its room. */
export async function roomsIn(api: ApiServer, namespace: string): Promise<Readonly<Record<string, string>>> {
  const { items } = (await api.send({ path: `${queueApi}/namespaces/${namespace}/workloads` })).body as {
    readonly items: readonly Workload[];
  };
  const told = items.map(({ metadata, status }) => {
    const reserved = status?.conditions?.find(({ type }) => type === 'QuotaReserved');
    return [metadata.ownerReferences?.[0]?.name ?? metadata.name, reserved?.message ?? ''] as const;
  });
  return Object.fromEntries(told);
}

export const workloadsIn = async (api: ApiServer, namespace: string): Promise<readonly string[]> =>
  Object.keys(await roomsIn(api, namespace));
