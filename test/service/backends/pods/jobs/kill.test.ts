// A kill ends a run in a pod in time, whatever the node of the pod does.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { KubeApi, KubeObject, ObjectKind } from '../../../../../src/service/backends/pods/api/api.ts';
import { runName } from '../../../../../src/service/backends/pods/api/names.ts';
import { PodJobs, type PodJobsOptions } from '../../../../../src/service/backends/pods/jobs/pod-jobs.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { lostLine } from '../../../../../src/service/backends/pods/jobs/run-logs.ts';
import { programContainer } from '../../../../../src/service/backends/pods/jobs/run-manifests.ts';
import { readOutput } from '../../../../../src/service/backends/runs/output.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { limitMs } from '../../../../support/patience.ts';
import { orderOf } from '../../processes/jobs/job-scene.ts';
import { polledObjects } from '../clusters/polled-objects.ts';

const metadata = { name: 'run-1-x', namespace: 'data' };
const running = {
  metadata,
  status: { containerStatuses: [{ name: programContainer, state: { running: {} } }] },
};

/** A node that accepts each question for the log, and sends nothing. */
function open() {
  const folder = mkdtempSync(join(tmpdir(), 'kill-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [clock, runs] = [new ManualClock(0), new PodRuns(folder)];
  const [asked, removed, warnings]: [unknown[], string[], string[]] = [[], [], []];
  const api = {
    get: async () => undefined,
    list: async ({ kind }: ObjectKind): Promise<readonly KubeObject[]> =>
      kind === 'Pod' && removed.length === 0 ? [running] : [],
    async remove({ kind }: ObjectKind, _namespace: string, name: string) {
      removed.push(`${kind} ${name} after ${clock.monotonic() / 1000} s`);
    },
    async *log(_pod: object, query: { readonly tailLines?: number }, { signal }: { readonly signal: AbortSignal }) {
      asked.push(query.tailLines);
      const stalled = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => stalled.reject(signal.reason));
      yield await stalled.promise;
    },
  } as unknown as KubeApi;
  const log = { debug() {}, info() {}, warn: (_: unknown, text: string) => void warnings.push(text), error() {} };
  const informers = polledObjects(api, clock);
  const parts = { api, informers, runs, clock, log, engines: [], namespaceOf: () => 'data', logBytes: 1000 };
  const engine = new PodJobs(parts as unknown as PodJobsOptions);
  const { execution, tenant } = orderOf();
  mkdirSync(runs.paths(execution.id).folder, { recursive: true });
  runs.start(execution.id);
  const kill = (signal: AbortSignal) => engine.kill({ execution, tenant, cluster: undefined, signal });
  const output = () => readOutput(runs.paths(execution.id).output, { from: 0, limit: 1000 }).text;
  return { clock, run: runName(execution.id), asked, removed, warnings, kill, output };
}

test('the Job of a run whose node does not send its output is deleted after 20 s, and the output says so', async () => {
  const { clock, run, asked, removed, warnings, kill, output } = open();
  const killing = kill(new AbortController().signal);
  for (const times of [1, 2]) {
    await vi.waitFor(() => expect(asked).toHaveLength(times), limitMs);
    await clock.advance(10_000);
  }
  await killing;
  expect(asked).toEqual([undefined, 20_000]);
  expect(removed).toEqual([`Job ${run} after 20 s`, `Secret ${run} after 20 s`]);
  expect(warnings).toEqual(['cannot read the rest of the output of a run']);
  expect(output()).toBe(lostLine);
});
