// The queue of a run: what its configs name, or else that of its flavor.
import { expect, test } from 'vitest';
import { jobQueueOf } from '../../../../src/service/backends/runs/job-queue.ts';

const small = { id: 'small', name: 'small', cpus: 1, memory: 2048, disk: 1 };
const queued = { ...small, queue: 'of-flavor' };
const named = (queue: string | number, jobQueues?: readonly string[]) =>
  jobQueueOf({ job_configs: { configs: { 'edp.queue': queue } } }, { flavors: [], jobQueues }, queued);

test('is that of its flavor unless its configs name one that jobs can name', () => {
  expect(jobQueueOf({ job_configs: {} }, { flavors: [] }, small)).toBeUndefined();
  expect(jobQueueOf({ job_configs: {} }, { flavors: [], jobQueues: ['night'] }, undefined)).toBeUndefined();
  expect(jobQueueOf({ job_configs: {} }, { flavors: [], jobQueues: ['night'] }, queued)).toBe('of-flavor');
  expect(named('night', ['day', 'night'])).toBe('night');
});

test.each<readonly [queue: string | number, jobQueues: readonly string[] | undefined, remedy: string]>([
  [
    'night',
    undefined,
    'cannot use edp.queue "night" in configs: jobs can name no queue here; leave it out, or have the administrator list it in jobQueues of --flavors-file',
  ],
  ['noon', ['day', 'night'], 'cannot use edp.queue "noon" in configs: jobs can name day, night'],
  ['of-flavor', ['day'], 'cannot use edp.queue "of-flavor" in configs: jobs can name day'],
  ['', ['day'], 'cannot use edp.queue "" in configs: jobs can name day'],
  [1, ['1'], 'cannot use edp.queue "1" in configs: jobs can name 1'],
  ['x'.repeat(5000), ['day'], `cannot use edp.queue "${'x'.repeat(100)}" in configs: jobs can name day`],
])('%s is refused if jobs can name %s', (queue, jobQueues, remedy) => {
  expect(() => named(queue, jobQueues)).toThrow(new Error(remedy));
});
