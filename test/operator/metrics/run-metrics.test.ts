// The figures of runs: counted by type and state as they change, with their waits and durations, once each.
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Resource } from '../../../src/operator/controller/resource-change.ts';
import { measureRuns } from '../../../src/operator/metrics/run-metrics.ts';
import { linesOf } from './figures.ts';

const createdAt = '2026-01-01T00:00:00Z';

function run(name: string, status: object = {}, type = 'Spark'): Resource {
  return {
    apiVersion: 'v1',
    kind: 'JobExecution',
    metadata: { name, namespace: 'a', uid: name, resourceVersion: '1', generation: 1, creationTimestamp: createdAt },
    spec: { job: { type } },
    status,
  };
}

const running = { state: 'Running', startTime: '2026-01-01T00:00:04Z' };
const ended = (type: 'Complete' | 'Failed', reason: string) => ({
  ...running,
  state: type === 'Complete' ? 'Succeeded' : 'Failed',
  completionTime: '2026-01-01T00:01:04Z',
  conditions: [
    { type, status: 'True', reason, message: '', observedGeneration: 1, lastTransitionTime: '2026-01-01T00:01:05Z' },
  ],
});

function start(leading = () => true) {
  const registry = new Registry();
  const changed = measureRuns(registry, {
    kind: 'JobExecution',
    types: ['Spark', 'Pig'],
    states: ['Pending', 'Running', 'Succeeded', 'Failed'],
    outcomes: ['Succeeded', 'Failed', 'Cancelled', 'DeadlineExceeded'],
    typeOf: ({ spec }) => (spec as { readonly job?: { readonly type: string } }).job?.type,
    leading,
  });
  const cache = new Map<string, Resource>();
  const put = (current: Resource, initial = false): void => {
    const { kind, metadata } = current;
    const previous = cache.get(metadata.name);
    cache.set(metadata.name, current);
    changed({ key: { kind, namespace: 'a', name: metadata.name }, previous, current, initial });
  };
  const remove = (name: string): void => {
    const key = { kind: 'JobExecution', namespace: 'a', name };
    changed({ key, previous: cache.get(name), current: undefined, initial: false });
  };
  return { registry, put, remove };
}

const sums = async (registry: Registry, name: string) =>
  (await linesOf(registry, name)).filter((line) => /_(sum|count)/.test(line));

test('are counted by type and state, and those of unknown types as other', async () => {
  const { registry, put, remove } = start();
  put(run('a'));
  put(run('b', running));
  put(run('c', running, 'Anything'));
  put(run('a', running));
  expect(await linesOf(registry, 'job_executions')).toEqual([
    'job_executions{type="Spark",state="Running"} 2',
    'job_executions{type="other",state="Running"} 1',
  ]);
  remove('b');
  remove('c');
  expect(await linesOf(registry, 'job_executions')).toEqual(['job_executions{type="Spark",state="Running"} 1']);
});

test('that start and end are measured once', async () => {
  const { registry, put } = start();
  put(run('a'));
  put(run('a', running));
  put(run('a', running));
  put(run('a', ended('Complete', 'Succeeded')));
  put(run('a', ended('Complete', 'Succeeded')));
  expect(await sums(registry, 'job_start_seconds')).toEqual([
    'job_start_seconds_sum{type="Spark"} 4',
    'job_start_seconds_count{type="Spark"} 1',
  ]);
  expect(await sums(registry, 'job_duration_seconds')).toEqual([
    'job_duration_seconds_sum{type="Spark",outcome="Succeeded"} 60',
    'job_duration_seconds_count{type="Spark",outcome="Succeeded"} 1',
  ]);
});

test('that were over before, or have times that cannot be read, are not measured', async () => {
  const { registry, put } = start();
  put(run('a', ended('Failed', 'Failed')), true);
  put(run('a', ended('Failed', 'Failed')));
  put(run('b'));
  put(run('b', { ...ended('Failed', 'Cancelled'), startTime: 'yesterday' }));
  expect(await sums(registry, 'job_duration_seconds')).toEqual([]);
  expect(await sums(registry, 'job_start_seconds')).toEqual([]);
});

test('are not reported by a standby', async () => {
  const { registry, put } = start(() => false);
  put(run('a'));
  put(run('a', running));
  expect(await linesOf(registry, 'job_executions')).toEqual([]);
  expect(await sums(registry, 'job_start_seconds')).toEqual([]);
});

test('ends are counted by outcome, which are all 0 from the start, also those without a duration', async () => {
  const { registry, put } = start();
  const none = ['Succeeded', 'Failed', 'Cancelled', 'DeadlineExceeded'].map(
    (one) => `job_ends_total{outcome="${one}"} 0`,
  );
  expect(await linesOf(registry, 'job_ends')).toEqual(none);
  put(run('a'));
  put(run('a', { ...ended('Failed', 'Failed'), startTime: undefined }));
  put(run('old', ended('Failed', 'Failed')), true);
  expect(await linesOf(registry, 'job_ends')).toEqual(none.map((line) => line.replace(/"Failed"} 0/, '"Failed"} 1')));
  expect(await sums(registry, 'job_duration_seconds')).toEqual([]);
});
