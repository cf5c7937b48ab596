// What a run in a pod comes to, and what is said meanwhile, by the objects that the API server shows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { KubeApi, ObjectKind } from '../../../src/service/kubernetes/api.ts';
import type { PodObject } from '../../../src/service/kubernetes/conditions.ts';
import { runName } from '../../../src/service/kubernetes/names.ts';
import { PodRuns } from '../../../src/service/pod-jobs/pod-runs.ts';
import { RunLogs } from '../../../src/service/pod-jobs/run-logs.ts';
import { programContainer } from '../../../src/service/pod-jobs/run-manifests.ts';
import type { JobObject } from '../../../src/service/pod-jobs/run-pod.ts';
import { RunWatch } from '../../../src/service/pod-jobs/run-watch.ts';
import { readOutput } from '../../../src/service/runs/output.ts';
import { Transient } from '../../../src/service/stages/transient.ts';
import { ManualClock } from '../../support/clock.ts';
import { orderOf } from '../runs/job-scene.ts';

type PodStatus = NonNullable<PodObject['status']>;

const ended = (exitCode: number, finishedAt: string): PodStatus => ({
  containerStatuses: [{ name: programContainer, state: { terminated: { exitCode, finishedAt } } }],
});

function watchRun() {
  const folder = mkdtempSync(join(tmpdir(), 'run-watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = new ManualClock();
  const order = orderOf();
  const metadata = { name: runName(order.execution.id), namespace: 'data' };
  const state = {
    pod: undefined as PodStatus | undefined,
    log: 'line' as string | Error,
  };
  const api = {
    get: async (): Promise<JobObject> => ({ metadata }),
    async list({ kind }: ObjectKind): Promise<readonly object[]> {
      if (kind === 'Pod') return state.pod === undefined ? [] : [{ metadata, status: state.pod }];
      return [];
    },
    async *log() {
      if (state.log instanceof Error) throw state.log;
      yield Buffer.from(`2026-01-01T00:00:00Z ${state.log}\n`);
    },
  } as unknown as KubeApi;
  const runs = new PodRuns(folder);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const options = { api, runs, clock, log, engines: [], namespaceOf: () => 'data', addressOf: () => undefined };
  const place = { namespace: 'data', domain: 'cluster.local', secret: 'shared-secret' };
  const asking = { placeOf: async () => place, ask: async () => ({}) };
  const watch = new RunWatch({ ...options, ...asking }, new RunLogs({ ...options, logBytes: 1000 }));
  const output = () => readOutput(runs.paths(order.execution.id).output, { from: 0, limit: 1000 }).text;
  return { clock, state, output, finish: () => watch.finish(order) };
}

test('an end is not told before its output is there, unless the kubelet does not hand it out for a long time', async () => {
  const { clock, state, output, finish } = watchRun();
  state.pod = ended(3, new Date(clock.wall()).toISOString());
  state.log = new Transient('the kubelet does not answer');
  await expect(finish()).rejects.toBe(state.log);
  state.log = 'ERROR no such table';
  expect(await finish()).toEqual({ status: 'FAILED', returnCode: 3, message: 'ERROR no such table' });
  expect(output()).toBe('ERROR no such table\n');
  state.log = new Transient('the kubelet does not answer');
  await clock.advance(11 * 60_000);
  expect(await finish()).toEqual({ status: 'FAILED', returnCode: 3, message: 'ERROR no such table' });
});
