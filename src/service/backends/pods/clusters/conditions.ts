// What keeps the pods of a cluster from being used, in words that help. PURE.
import { ownValue } from '../../../../lib/own.ts';
import type { KubeObject } from '../api/api.ts';
import { queueLabel, stateVolume } from '../api/names.ts';

interface ContainerState {
  readonly running?: object;
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: {
    readonly reason?: string;
    readonly exitCode?: number;
    readonly message?: string;
    readonly finishedAt?: string;
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  readonly image?: string;
}

export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface PodObject extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    /** Of its node. */
    readonly hostIP?: string;
    readonly hostIPs?: readonly { readonly ip: string }[];
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly PodCondition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

/** A warning about an object. */
export interface EventObject extends KubeObject {
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

const short = (text = '', longest = 300): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest)}…`;
};

export const isReady = ({ metadata, status }: PodObject): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status?.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');

/** Whether the container runs at this moment. */
export const isRunning = ({ status }: PodObject, container: string): boolean =>
  (status?.containerStatuses ?? []).some(({ name, state }) => name === container && state?.running !== undefined);

const pullReasons = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'RegistryUnavailable',
];

/** The kubelet tells the same failure in two ways by turns. */
const whyNotPulled = (message = ''): string =>
  short(
    message
      .replace(/^Back-off pulling image "[^"]*"(: ErrImagePull)?(: )?/, '')
      .replace(/^failed to pull and unpack image "[^"]*": /, ''),
    120,
  );

function problemOfContainer(pod: string, { name, state, lastState, image, restartCount = 0 }: ContainerStatus) {
  const { waiting, terminated = lastState?.terminated } = state ?? {};
  const { reason = '', message } = waiting ?? {};
  if (pullReasons.includes(reason))
    return `pod ${pod} cannot pull image ${image ?? ''}: ${whyNotPulled(message)}: check ${name === 'runner' ? '--runner-image' : '--engine-images'} and --image-pull-secret, and that the nodes can reach the registry`;
  if (reason === 'CreateContainerConfigError' || reason === 'CreateContainerError' || reason === 'RunContainerError')
    return `container ${name} of pod ${pod} cannot be started (${reason}: ${short(message)})`;
  if (terminated === undefined || (restartCount === 0 && terminated.exitCode === 0)) return undefined;
  if (terminated.reason === 'OOMKilled')
    return `container ${name} of pod ${pod} was ended because it took more memory than it has: choose a larger flavor_id, or lower the sizes in node_configs`;
  const last = short(terminated.message?.trim().split('\n').at(-1));
  return `container ${name} of pod ${pod} has ended with exit code ${terminated.exitCode ?? 'unknown'} (restarts: ${restartCount})${last === '' ? '' : `: ${last}`}`;
}

/**
 * The node does not answer. Then Kubernetes takes the condition Ready away from its pods, without a reason, and leaves what the kubelet said last:
 * the containers are ready.
 */
function isLost({ reason, conditions = [] }: NonNullable<PodObject['status']>): boolean {
  const [ready, containers] = ['Ready', 'ContainersReady'].map((each) => conditions.find(({ type }) => type === each));
  if (reason === 'NodeLost' || ready?.status === 'Unknown') return true;
  return ready?.status === 'False' && (ready.reason ?? '') === '' && containers?.status === 'True';
}

/** Whether a process can still hand over what it has: it runs, and its node answers. What else is in the pod can have ended before. */
export const canHandOver = (pod: PodObject, process: string): boolean =>
  pod.metadata.deletionTimestamp === undefined && isRunning(pod, process) && !isLost(pod.status ?? {});

/** Why somebody has ended the pod on purpose, as the condition DisruptionTarget says it. */
const disruptions: Readonly<Record<string, (pod: string, message: string) => string>> = {
  EvictionByEvictionAPI: (pod) => `pod ${pod} was evicted through the API, as when its node is drained`,
  PreemptionByScheduler: (pod) => `pod ${pod} made room for a pod with a higher priority`,
  DeletionByTaintManager: (pod) => `pod ${pod} was removed from its node, which has a taint with the effect NoExecute`,
  DeletionByPodGC: (pod) => `pod ${pod} was removed because its node is gone`,
  TerminationByKubelet: (pod, message) => `pod ${pod} was ended by its node: ${message}`,
};

/** Undefined if nobody has ended the pod, or has just deleted it. */
export function disruptionOf({ metadata: { name }, status = {} }: PodObject): string | undefined {
  const said = (message: string | undefined) => short(message).replace(/\.$/, '');
  if (status.reason === 'Evicted') return `pod ${name} was evicted from its node: ${said(status.message)}`;
  const found = (status.conditions ?? []).find(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True');
  return found && ownValue(disruptions, found.reason ?? '')?.(name, said(found.message));
}

/** Only whoever may see the Workloads of the namespace learns why it takes long: their conditions have the reason, and a LocalQueue has only numbers. */
export const waitInQueue = (queue: string, namespace: string): string =>
  `waiting in queue ${queue} of Kueue until it has room: if it never has, see kubectl -n ${namespace} describe workloads.kueue.x-k8s.io`;

/** Why the pod is not even to be scheduled yet: Kueue, or another controller, has not admitted it. */
export function gateOf({ metadata: { namespace, labels }, status = {} }: PodObject): string | undefined {
  const scheduled = (status.conditions ?? []).find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason !== 'SchedulingGated') return undefined;
  const queue = labels?.[queueLabel];
  return queue === undefined
    ? 'waiting until the pods are admitted: they have scheduling gates'
    : waitInQueue(queue, namespace);
}

/** Why the pod cannot be used, if something says so. */
export function problemOfPod(pod: PodObject): string | undefined {
  const { metadata, spec, status = {} } = pod;
  const { name } = metadata;
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = status;
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'SchedulerError')
    return `pod ${name} is not scheduled yet: ${short(scheduled.message)}`;
  const gate = gateOf(pod);
  if (gate !== undefined) return gate;
  if (scheduled?.status === 'False')
    return `pod ${name} cannot be scheduled: ${short(scheduled.message).replace(/\.$/, '')}: choose smaller flavors, remove what else is there, or add nodes`;
  if (isLost(status))
    return `node ${spec?.nodeName ?? 'of the pod'} does not answer: pod ${name} is started elsewhere once the node is back, or is deleted from Kubernetes`;
  const disruption = disruptionOf(pod);
  if (disruption !== undefined) return `${disruption}: it is started again as soon as a node has room`;
  const containers = [...initContainerStatuses, ...containerStatuses].filter(({ ready: is }) => is !== true);
  return containers.map((each) => problemOfContainer(name, each)).find((each) => each !== undefined);
}

/** For clusters that are made from then on: the claims of a StatefulSet stay as they were made. */
const withoutState = 'do without it (--state-size 0), and create the cluster again';

/** What warnings say about StatefulSets, Jobs and claims, which have no pods yet. */
export function problemOfEvent({ reason = '', message = '', involvedObject = {} }: EventObject): string | undefined {
  const { kind, name = 'a group' } = involvedObject;
  if (reason === 'FailedCreate') {
    const ofVolume = message.startsWith(`create Claim ${stateVolume}-`)
      ? withoutState
      : 'choose smaller flavors or fewer machines';
    const smaller = kind === 'Job' ? 'lower the heap of the program' : ofVolume;
    const remedy = /exceeded quota/.test(message)
      ? `raise the quota of the namespace, or ${smaller}`
      : 'see what refuses the pods of the namespace';
    const who = kind === 'Job' ? `Job ${name} gets no pod` : `${name} gets no more pods`;
    return `${who}: ${short(message)}: ${remedy}`;
  }
  if (reason === 'ProvisioningFailed' || reason === 'FailedBinding') {
    const remedy = name.startsWith(`${stateVolume}-`)
      ? `name a StorageClass with --storage-class, or ${withoutState}`
      : 'check --storage-class';
    return `volume ${name} cannot be made: ${short(message)}: ${remedy}`;
  }
  return undefined;
}
