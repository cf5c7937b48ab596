// What the pod of a run says about its end.
import { expect, test } from 'vitest';
import type { PodObject } from '../../../../../src/service/backends/pods/clusters/conditions.ts';
import { programContainer } from '../../../../../src/service/backends/pods/jobs/run-manifests.ts';
import { causeIn, exitCodeOf, problemWith, resultOf } from '../../../../../src/service/backends/pods/jobs/run-pod.ts';

const ended = (more: Partial<PodObject['metadata']>, status: PodObject['status'], reason = 'Error'): PodObject => ({
  metadata: { name: 'run-1-x', namespace: 'data', ...more },
  status: {
    containerStatuses: [{ name: programContainer, state: { terminated: { exitCode: 137, reason } } }],
    ...status,
  },
});

test.each<readonly [string, PodObject, string | undefined, string | undefined]>([
  ['by itself', ended({}, {}), undefined, undefined],
  [
    'with its pod',
    ended({ deletionTimestamp: 'now' }, {}),
    'its pod was deleted while it ran: run the job again, because no run is started twice',
    'Evicted',
  ],
  [
    'because its node has no room',
    ended({ deletionTimestamp: 'now' }, { reason: 'Evicted', message: 'The node was low on resource: memory.' }),
    'pod run-1-x was evicted from its node: The node was low on resource: memory: run the job again, because no run is started twice',
    'Evicted',
  ],
  [
    'because its node is drained',
    ended(
      { deletionTimestamp: 'now' },
      { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] },
    ),
    'pod run-1-x was evicted through the API, as when its node is drained: run the job again, because no run is started twice',
    'Evicted',
  ],
  [
    'because it took too much memory',
    ended({}, {}, 'OOMKilled'),
    'the program took more memory than it has: lower its heap, or give it more with spark.driver.memory',
    'OOMKilled',
  ],
])('a program that has ended %s', (_how, pod, problem, cause) => {
  expect([exitCodeOf(pod), problemWith(pod), causeIn(pod)]).toEqual([137, problem, cause]);
});

test('a Job that Kubernetes has given up without an exit code has lost its pod', () => {
  const status = { conditions: [{ type: 'Failed', status: 'True', message: 'Job has reached the limit' }] };
  const job = { metadata: { name: 'run-1', namespace: 'data' }, status };
  expect(resultOf(job, undefined, '')).toEqual({
    status: 'FAILED',
    cause: 'Lost',
    message: 'its pod was lost: Job has reached the limit',
  });
  expect(resultOf({ ...job, status: {} }, undefined, '')).toBeUndefined();
});
