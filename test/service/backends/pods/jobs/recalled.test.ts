// What runs on record needed has worked, also before the service was restarted.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { KubeApi, ObjectKind } from '../../../../../src/service/backends/pods/api/api.ts';
import { PodJobs, type PodJobsOptions } from '../../../../../src/service/backends/pods/jobs/pod-jobs.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { orderOf } from '../../processes/jobs/job-scene.ts';
import { polledObjects } from '../clusters/polled-objects.ts';

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'recalled-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const recalled = new Map<string, readonly string[]>();
  const api = {
    recall: (namespace: string, kinds: readonly ObjectKind[]) =>
      void recalled.set(
        namespace,
        kinds.map(({ kind }) => kind),
      ),
    list: async () => [],
  } as unknown as KubeApi;
  const clock = new ManualClock();
  const runs = new PodRuns(folder);
  const parts = { api, informers: polledObjects(api, clock), runs, clock, engines: [], logBytes: 1000 };
  /** Another life of the service. */
  const life = () => new PodJobs({ ...parts, namespaceOf: () => 'own' } as unknown as PodJobsOptions);
  return { runs, recalled, life };
}

const all = ['Job', 'Secret', 'Pod'];

test('what a run that has an identifier needed is recalled', async () => {
  const { recalled, life } = open();
  const order = { ...orderOf(), signal: AbortSignal.abort(new Error('stopped')) };
  await expect(life().finish(order)).rejects.toThrow('stopped');
  expect(recalled).toEqual(new Map());
  const submitted = { ...order.execution, engine_job_id: 'run-1' };
  await expect(life().finish({ ...order, execution: submitted })).rejects.toThrow('stopped');
  expect(recalled).toEqual(new Map([['own', all]]));
});

test('what a run that has begun needed is recalled at once, for its namespace, also if it is over', () => {
  const { runs, recalled, life } = open();
  const [begun, prepared, barred] = [orderOf(), orderOf(), orderOf()].map(({ execution }) => execution.id);
  for (const [run, namespace] of [
    [begun, 'a'],
    [prepared, 'b'],
    [barred, 'c'],
  ] as const)
    runs.make(String(run), namespace);
  runs.start(String(begun));
  runs.bar(String(barred));
  life();
  expect(recalled).toEqual(new Map([['a', all]]));
});
