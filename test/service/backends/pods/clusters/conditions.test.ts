// What is said about pods that cannot be used. The objects are as a kubelet and its controllers have written them.
import { expect, test } from 'vitest';
import {
  canHandOver,
  isReady,
  type PodObject,
  problemOfEvent,
  problemOfPod,
} from '../../../../../src/service/backends/pods/clusters/conditions.ts';

type Status = NonNullable<PodObject['status']>;

const podWith = (status: Status): PodObject => ({
  metadata: { name: 'workers-0', namespace: 'data' },
  spec: { nodeName: 'node-1' },
  status,
});

const containerWith = (state: object, more: object = {}): Status => ({
  containerStatuses: [{ name: 'slave', image: 'docker.io/apache/spark:4.1.2', ready: false, state, ...more }],
});

const disrupted = (reason: string, message: string): Status => ({
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message }],
});

const notPulled = 'failed to pull and unpack image "docker.io/apache/spark:4.1.2": failed to resolve reference';

const gated: Status = { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] };

test('a pod that Kueue has not admitted waits in its queue', () => {
  const labels = { 'kueue.x-k8s.io/queue-name': 'team-a' };
  const pod = podWith(gated);
  expect(problemOfPod({ ...pod, metadata: { ...pod.metadata, labels } })).toBe(
    'waiting in queue team-a of Kueue until it has room: if it never has, see kubectl -n data describe workloads.kueue.x-k8s.io',
  );
  expect(problemOfPod(pod)).toBe('waiting until the pods are admitted: they have scheduling gates');
});

const told: readonly (readonly [string, Status, string | undefined])[] = [
  [
    'no node has room',
    {
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/1 nodes are available: 1 Insufficient memory.',
        },
      ],
    },
    'pod workers-0 cannot be scheduled: 0/1 nodes are available: 1 Insufficient memory: choose smaller flavors, remove what else is there, or add nodes',
  ],
  [
    'the scheduler has failed, and tries again',
    {
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'SchedulerError',
          message: 'running PreBind plugin "VolumeBinding": the object has been modified',
        },
      ],
    },
    'pod workers-0 is not scheduled yet: running PreBind plugin "VolumeBinding": the object has been modified',
  ],
  [
    'the image cannot be pulled',
    containerWith({
      waiting: {
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "docker.io/apache/spark:4.1.2": ErrImagePull: ${notPulled}`,
      },
    }),
    'pod workers-0 cannot pull image docker.io/apache/spark:4.1.2: failed to resolve reference: check --engine-images and --image-pull-secret, and that the nodes can reach the registry',
  ],
  [
    'the image was not pulled a moment ago',
    containerWith({ waiting: { reason: 'ErrImagePull', message: notPulled } }),
    'pod workers-0 cannot pull image docker.io/apache/spark:4.1.2: failed to resolve reference: check --engine-images and --image-pull-secret, and that the nodes can reach the registry',
  ],
  [
    'it took too much memory',
    containerWith({ terminated: { reason: 'OOMKilled', exitCode: 137 } }, { restartCount: 1 }),
    'container slave of pod workers-0 was ended because it took more memory than it has: choose a larger flavor_id, or lower the sizes in node_configs',
  ],
  [
    'it has ended',
    containerWith(
      { waiting: { reason: 'CrashLoopBackOff' } },
      { restartCount: 3, lastState: { terminated: { exitCode: 1, message: 'first\nno such host\n' } } },
    ),
    'container slave of pod workers-0 has ended with exit code 1 (restarts: 3): no such host',
  ],
  [
    'it was evicted',
    { reason: 'Evicted', message: 'The node was low on resource: memory.' },
    'pod workers-0 was evicted from its node: The node was low on resource: memory: it is started again as soon as a node has room',
  ],
  [
    'its node is lost',
    { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] },
    'node node-1 does not answer: pod workers-0 is started elsewhere once the node is back, or is deleted from Kubernetes',
  ],
  [
    'its node is lost, as the controllers of nodes say it',
    {
      conditions: [
        { type: 'ContainersReady', status: 'True' },
        { type: 'Ready', status: 'False' },
      ],
      containerStatuses: [{ name: 'slave', ready: true }],
    },
    'node node-1 does not answer: pod workers-0 is started elsewhere once the node is back, or is deleted from Kubernetes',
  ],
  [
    'it was evicted to drain its node',
    disrupted('EvictionByEvictionAPI', 'Eviction API: evicting'),
    'pod workers-0 was evicted through the API, as when its node is drained: it is started again as soon as a node has room',
  ],
  [
    'another pod is more important',
    disrupted('PreemptionByScheduler', 'default-scheduler: preempting to accommodate a higher priority pod'),
    'pod workers-0 made room for a pod with a higher priority: it is started again as soon as a node has room',
  ],
  [
    'its node has got a taint',
    disrupted('DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint'),
    'pod workers-0 was removed from its node, which has a taint with the effect NoExecute: it is started again as soon as a node has room',
  ],
  [
    'its node is gone',
    disrupted('DeletionByPodGC', 'PodGC: node no longer exists'),
    'pod workers-0 was removed because its node is gone: it is started again as soon as a node has room',
  ],
  [
    'its node shuts down',
    disrupted('TerminationByKubelet', 'Pod was terminated in response to imminent node shutdown.'),
    'pod workers-0 was ended by its node: Pod was terminated in response to imminent node shutdown: it is started again as soon as a node has room',
  ],
  [
    'it was spared',
    { conditions: [{ type: 'DisruptionTarget', status: 'False', reason: 'PreemptionByScheduler' }] },
    undefined,
  ],
  [
    'its containers are not ready',
    {
      conditions: [
        { type: 'ContainersReady', status: 'False', reason: 'ContainersNotReady' },
        { type: 'Ready', status: 'False', reason: 'ContainersNotReady' },
      ],
    },
    undefined,
  ],
  ['it is starting', containerWith({ waiting: { reason: 'ContainerCreating' } }), undefined],
  ['it runs and is not ready yet', containerWith({}), undefined],
];

test.each(told)('%s', (_what, status, wanted) => {
  expect(problemOfPod(podWith(status))).toBe(wanted);
});

test('long messages are cut, and lines are joined', () => {
  const message = `first\n${'x'.repeat(5000)}`;
  const problem = problemOfPod(podWith({ reason: 'Evicted', message })) ?? '';
  expect(problem.length).toBeLessThan(400);
  expect(problem).not.toContain('\n');
});

test('a quota that is exceeded is told with its remedy, and other events are not', () => {
  const event = (reason: string, message: string) => ({
    metadata: { name: 'e', namespace: 'data' },
    reason,
    message,
    involvedObject: { kind: 'StatefulSet', name: 'c-workers' },
  });
  expect(problemOfEvent(event('FailedCreate', 'pods "c-workers-0" is forbidden: exceeded quota: q'))).toBe(
    'c-workers gets no more pods: pods "c-workers-0" is forbidden: exceeded quota: q: raise the quota of the namespace, or choose smaller flavors or fewer machines',
  );
  expect(problemOfEvent(event('FailedCreate', 'violates PodSecurity'))).toContain('see what refuses the pods');
  expect(problemOfEvent(event('SuccessfulCreate', 'create Pod'))).toBeUndefined();
});

test('a pod that is being deleted is not ready', () => {
  const ready = podWith({ conditions: [{ type: 'Ready', status: 'True' }] });
  expect(isReady(ready)).toBe(true);
  expect(isReady({ ...ready, metadata: { ...ready.metadata, deletionTimestamp: 'now' } })).toBe(false);
});

const condition = (type: string, status: string, more: object = {}) => ({ type, status, ...more });
const running = { name: 'datanode', state: { running: {} } };
const unready = condition('Ready', 'False', { reason: 'ContainersNotReady' });

test('a data node hands over its blocks although the node manager beside it has ended', () => {
  const ended = { name: 'nodemanager', state: { terminated: { exitCode: 0 } } };
  const pod = podWith({ conditions: [unready], containerStatuses: [running, ended] });
  expect(isReady(pod)).toBe(false);
  expect(canHandOver(pod, 'datanode')).toBe(true);
  expect(canHandOver(pod, 'nodemanager')).toBe(false);
  expect(canHandOver({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: 'now' } }, 'datanode')).toBe(false);
});

test('nothing hands over anything on a node that does not answer', () => {
  const conditions = [condition('Ready', 'False'), condition('ContainersReady', 'True')];
  expect(canHandOver(podWith({ conditions, containerStatuses: [running] }), 'datanode')).toBe(false);
});
