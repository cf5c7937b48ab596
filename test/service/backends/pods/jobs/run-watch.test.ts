// What a run in a pod comes to, and what is said meanwhile, by the objects that the API server shows.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunReport } from '../../../../../src/service/backends/job-engine.ts';
import {
  jobs,
  type KubeApi,
  type ObjectKind,
  type Selection,
} from '../../../../../src/service/backends/pods/api/api.ts';
import { runName } from '../../../../../src/service/backends/pods/api/names.ts';
import type { EventObject, PodObject } from '../../../../../src/service/backends/pods/clusters/conditions.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { lostLine, RunLogs } from '../../../../../src/service/backends/pods/jobs/run-logs.ts';
import { programContainer } from '../../../../../src/service/backends/pods/jobs/run-manifests.ts';
import type { JobObject } from '../../../../../src/service/backends/pods/jobs/run-pod.ts';
import { RunWatch } from '../../../../../src/service/backends/pods/jobs/run-watch.ts';
import { readOutput } from '../../../../../src/service/backends/runs/output.ts';
import { Transient } from '../../../../../src/service/model/disk/transient.ts';
import { ManualClock, settle } from '../../../../support/clock.ts';
import { orderOf } from '../../processes/jobs/job-scene.ts';
import { polledObjects } from '../clusters/polled-objects.ts';

type PodStatus = NonNullable<PodObject['status']>;

const ended = (exitCode: number, finishedAt: string): PodStatus => ({
  containerStatuses: [{ name: programContainer, state: { terminated: { exitCode, finishedAt } } }],
});

function watchRun() {
  const folder = mkdtempSync(join(tmpdir(), 'run-watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = new ManualClock();
  const reports: (string | undefined)[] = [];
  const queued: boolean[] = [];
  const report = ({ message, isQueued }: RunReport) => {
    reports.push(message);
    if (isQueued !== undefined) queued.push(isQueued);
  };
  const order = { ...orderOf(), report };
  const metadata = { name: runName(order.execution.id), namespace: 'data' };
  const state = {
    conditions: [] as NonNullable<JobObject['status']>['conditions'],
    pod: undefined as PodStatus | undefined,
    events: [] as EventObject[],
    log: 'line' as string | Error,
    isGone: false,
    suspend: undefined as boolean | undefined,
    deletionTimestamp: undefined as string | undefined,
    removed: [] as string[],
    /** Its objects could not be watched until now, which was told. */
    wasUnobserved: false,
  };
  const api = {
    get: async (): Promise<JobObject | undefined> =>
      state.isGone
        ? undefined
        : {
            metadata: { ...metadata, labels: { 'kueue.x-k8s.io/queue-name': 'night' } },
            ...(state.suspend !== undefined && { spec: { suspend: state.suspend } }),
            status: { conditions: state.conditions ?? [] },
          },
    async remove({ kind }: ObjectKind, _namespace: string, name: string) {
      state.removed.push(`${kind} ${name}`);
    },
    async list({ kind }: ObjectKind, _namespace: string, _selection: Selection): Promise<readonly object[]> {
      if (kind === 'Job') return [await api.get(jobs, 'data', metadata.name)].flatMap((job) => job ?? []);
      if (kind === 'Pod')
        return state.pod === undefined
          ? []
          : [{ metadata: { ...metadata, deletionTimestamp: state.deletionTimestamp }, status: state.pod }];
      return state.events;
    },
    async *log() {
      if (state.log instanceof Error) throw state.log;
      yield Buffer.from(`2026-01-01T00:00:00Z ${state.log}\n`);
    },
  } as unknown as KubeApi;
  const runs = new PodRuns(folder);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const polled = polledObjects(api, clock);
  const observe: typeof polled.observe = (scope) => {
    const observation = polled.observe(scope);
    const read = observation.current.bind(observation);
    const current: typeof read = async (wait) => {
      await read(wait);
      return state.wasUnobserved;
    };
    return Object.assign(observation, { current });
  };
  const informers = { ...polled, observe };
  const options = {
    api,
    informers,
    runs,
    clock,
    log,
    engines: [],
    namespaceOf: () => 'data',
    addressOf: () => undefined,
  };
  const place = { namespace: 'data', domain: 'cluster.local', secret: 'shared-secret' };
  const asking = { placeOf: async () => place, ask: async () => ({}) };
  const watch = new RunWatch({ ...options, ...asking }, new RunLogs({ ...options, logBytes: 1000 }));
  const output = () => readOutput(runs.paths(order.execution.id).output, { from: 0, limit: 1000 }).text;
  const finish = () => watch.finish(order);
  const start = () => {
    mkdirSync(runs.paths(order.execution.id).folder);
    runs.start(order.execution.id);
  };
  return { clock, state, reports, queued, output, finish, metadata, runs, start, id: order.execution.id };
}

test('a quota that keeps a Job without a pod is told, and its end, too', async () => {
  const { clock, state, reports, output, finish, metadata } = watchRun();
  const message = 'Error creating: pods "run-1-x" is forbidden: exceeded quota: small';
  const involvedObject = { kind: 'Job', name: metadata.name };
  state.events = [
    { metadata, reason: 'FailedCreate', message, involvedObject },
    { metadata, reason: 'FailedCreate', message: 'of another', involvedObject: { kind: 'Job', name: 'another' } },
  ];
  const finishing = finish();
  await clock.advance(2000);
  const problem = `Job ${metadata.name} gets no pod: ${message}: raise the quota of the namespace, or lower the heap of the program`;
  expect(reports).toEqual([problem]);
  state.pod = { containerStatuses: [{ name: programContainer, ready: true, state: { running: {} } as object }] };
  await clock.advance(2000);
  expect(reports).toEqual([problem, '']);
  state.pod = ended(0, '2026-01-01T00:00:00Z');
  await clock.advance(20_000);
  expect([await finishing, output()]).toEqual([{ status: 'SUCCEEDED', returnCode: 0 }, 'line\n']);
});

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

test('a Job that is complete has succeeded, even if its pod is gone', async () => {
  const { state, finish } = watchRun();
  state.conditions = [{ type: 'Complete', status: 'True' }];
  expect(await finish()).toEqual({ status: 'SUCCEEDED', returnCode: 0 });
});

test('a pod that was evicted and is gone has taken its run with it, which is told', async () => {
  const { clock, state, finish, metadata } = watchRun();
  state.pod = { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] };
  const finishing = finish();
  await clock.advance(1000);
  state.pod = undefined;
  state.conditions = [{ type: 'Failed', status: 'True', message: 'Job has reached the specified backoff limit' }];
  await clock.advance(1000);
  expect(await finishing).toEqual({
    status: 'FAILED',
    cause: 'Evicted',
    message: `its pod was lost: pod ${metadata.name} was evicted through the API, as when its node is drained`,
  });
});

test('a run whose pod went while nobody could observe it is lost for the reason that its Job tells', async () => {
  const { state, finish } = watchRun();
  state.wasUnobserved = true;
  state.conditions = [{ type: 'Failed', status: 'True', message: 'Job has reached the specified backoff limit' }];
  expect(await finish()).toMatchObject({
    message: 'its pod was lost: Job has reached the specified backoff limit',
  });
});

test.each([
  ['was not', new Transient('its node is gone'), lostLine],
  ['was', 'line', 'line\n'],
])('the output of a run whose pod is gone tells if it %s read to its end', async (_what, log, text) => {
  const { clock, state, output, finish, start } = watchRun();
  start();
  state.pod = programRuns;
  state.log = log;
  const finishing = finish();
  await clock.advance(1000);
  state.pod = undefined;
  state.conditions = [{ type: 'Failed', status: 'True' }];
  await clock.advance(1000);
  expect(await finishing).toMatchObject({ status: 'FAILED', cause: 'Lost' });
  expect(output()).toBe(text);
  // In the next life of the service, too.
  state.log = new Transient('its node is gone');
  await finish();
  expect(output().split(lostLine)).toHaveLength(2);
});

test('the output of a run tells if its node does not send the rest, which does not hide what the program said', async () => {
  const { clock, state, output, finish } = watchRun();
  state.log = 'all is lost';
  state.pod = programRuns;
  const finishing = finish();
  await clock.advance(1000);
  state.log = new Transient('the kubelet does not answer');
  state.pod = ended(3, new Date(clock.wall() - 11 * 60_000).toISOString());
  await clock.advance(200_000);
  expect(await finishing).toEqual({ status: 'FAILED', returnCode: 3, message: 'all is lost' });
  expect(output()).toBe(`all is lost\n${lostLine}`);
});

const programRuns: PodStatus = {
  phase: 'Running',
  containerStatuses: [{ name: programContainer, ready: true, state: { running: {} } }],
};

test('a program goes on without its Job, and ends as it ends', async () => {
  const { clock, state, reports, finish, start } = watchRun();
  start();
  state.pod = programRuns;
  state.isGone = true;
  const finishing = finish();
  await clock.advance(60_000);
  expect(reports).toEqual(['its Job was deleted: waiting for the end of its pod']);
  state.pod = ended(0, '2026-01-01T00:00:00Z');
  await clock.advance(20_000);
  expect([await finishing, state.removed]).toEqual([{ status: 'SUCCEEDED', returnCode: 0 }, []]);
});

test('a run whose Job was deleted is over when its pod is gone, too, and one that has not started never starts', async () => {
  for (const decided of ['started', 'killed'] as const) {
    const { clock, state, finish, runs, start, id, metadata } = watchRun();
    if (decided === 'started') start();
    state.pod = { phase: 'Pending' };
    state.isGone = true;
    let isOver = false;
    const finishing = finish().finally(() => {
      isOver = true;
    });
    await clock.advance(60_000);
    expect([isOver, runs.decision(id)]).toEqual([false, decided]);
    expect(state.removed.includes(`Pod ${metadata.name}`)).toBe(decided === 'killed');
    state.pod = undefined;
    await clock.advance(1000);
    const [when, cause] = decided === 'started' ? ['while it ran', 'Lost'] : ['before it started', undefined];
    expect(await finishing).toEqual({ status: 'FAILED', message: `its Job was deleted ${when}`, cause });
  }
});

test('a Job that has failed is no end while a program may run in its pod', async () => {
  const { clock, state, finish } = watchRun();
  state.conditions = [{ type: 'Failed', status: 'True', message: 'Job was active longer than specified deadline' }];
  state.pod = programRuns;
  let isOver = false;
  const finishing = finish().finally(() => {
    isOver = true;
  });
  await clock.advance(60_000);
  expect(isOver).toBe(false);
  state.pod = { phase: 'Failed' };
  await clock.advance(1000);
  expect(await finishing).toMatchObject({ status: 'FAILED', message: expect.stringContaining('active longer') });
});

describe('a Job that Kueue has suspended', () => {
  const waits =
    'waiting in queue night of Kueue until it has room: if it never has, see kubectl -n data describe workloads.kueue.x-k8s.io';
  const isOver = async (run: Promise<unknown>) =>
    await Promise.race([run.then(() => true), settle().then(() => false)]);

  test('waits in its queue for any time, and ends as its program ends once it is admitted', async () => {
    const { clock, state, reports, queued, finish } = watchRun();
    state.suspend = true;
    const finishing = finish();
    await clock.advance(48 * 60 * 60_000);
    expect([reports, queued]).toEqual([[waits], [true]]);
    state.suspend = false;
    await clock.advance(20_000);
    expect([reports, queued]).toEqual([
      [waits, ''],
      [true, false],
    ]);
    state.pod = ended(0, '2026-01-01T00:00:00Z');
    await clock.advance(20_000);
    expect([await finishing, state.removed]).toEqual([{ status: 'SUCCEEDED', returnCode: 0 }, []]);
  });

  test('waits again if its program has not begun: nothing of it was run', async () => {
    const { clock, state, queued, finish, runs, id } = watchRun();
    state.suspend = false;
    state.pod = { phase: 'Pending' };
    const finishing = finish();
    await clock.advance(20_000);
    state.suspend = true;
    await clock.advance(20_000);
    state.pod = undefined;
    await clock.advance(20_000);
    expect([await isOver(finishing), runs.decision(id), queued]).toEqual([false, undefined, [true]]);
    state.suspend = false;
    state.pod = ended(0, '2026-01-01T00:00:00Z');
    await clock.advance(20_000);
    expect(await finishing).toMatchObject({ status: 'SUCCEEDED' });
  });

  const message =
    'Kueue took back its room in queue night while it ran: run the job again, because no run is started twice';

  test('has ended the run if its program had begun, once nothing of it runs, and is not admitted again', async () => {
    const { clock, state, reports, finish, start, metadata } = watchRun();
    start();
    state.pod = programRuns;
    const finishing = finish();
    await clock.advance(20_000);
    state.suspend = true;
    await clock.advance(60_000);
    expect([await isOver(finishing), reports]).toEqual([false, [`${message}: waiting for the end of its pod`]]);
    state.pod = undefined;
    await clock.advance(20_000);
    expect(await finishing).toEqual({ status: 'FAILED', cause: 'Evicted', message });
    expect(state.removed).toEqual([`Job ${metadata.name}`]);
  });

  test('explains the exit code of its program', async () => {
    const { clock, state, finish, start, metadata } = watchRun();
    start();
    state.suspend = true;
    state.pod = ended(143, '2026-01-01T00:00:00Z');
    state.deletionTimestamp = 'now';
    const finishing = finish();
    await clock.advance(200_000);
    expect(await finishing).toEqual({ status: 'FAILED', returnCode: 143, cause: 'Evicted', message });
    expect(state.removed).toEqual([`Job ${metadata.name}`]);
  });
});
