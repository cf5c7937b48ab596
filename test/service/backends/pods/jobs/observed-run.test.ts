// What a run comes to when what was observed is older than what the API server has, and how often runs are asked for their progress.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ExecutionOrder, RunReport } from '../../../../../src/service/backends/job-engine.ts';
import type { KubeApi, KubeObject, ObjectKind } from '../../../../../src/service/backends/pods/api/api.ts';
import type { Observation } from '../../../../../src/service/backends/pods/api/informers.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { mostQuestions, mostSlowQuestions } from '../../../../../src/service/backends/pods/jobs/questions.ts';
import { RunLogs } from '../../../../../src/service/backends/pods/jobs/run-logs.ts';
import { programContainer } from '../../../../../src/service/backends/pods/jobs/run-manifests.ts';
import { RunWatch } from '../../../../../src/service/backends/pods/jobs/run-watch.ts';
import { nodesOf } from '../../../../../src/service/backends/pods/manifests/layout.ts';
import type { AskJson, EngineJob, RunPlace } from '../../../../../src/service/engines/engine.ts';
import { observe } from '../../../../../src/service/engines/spark/jobs/observe.ts';
import { ManualClock, settle } from '../../../../support/clock.ts';
import { clusterOf, groupOf } from '../../../provisioning/battery.ts';
import { tinyEngine } from '../../processes/clusters/tiny-engine.ts';
import { orderOf } from '../../processes/jobs/job-scene.ts';

const metadata = { name: 'run-1', namespace: 'data' };
const job = (type?: string) => ({
  metadata,
  status: { conditions: type === undefined ? [] : [{ type, status: 'True' }] },
});
const pod = (state: object) => ({ metadata, status: { containerStatuses: [{ name: programContainer, state }] } });
const running = pod({ running: {} });
type Shown = Readonly<Record<string, readonly object[]>>;

function open({ isOutside = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'observed-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = new ManualClock();
  const state = {
    observed: { Job: [job()], Pod: [running] } as Shown,
    live: {} as Shown,
    reads: 0,
    asked: [] as (string | undefined)[],
  };
  const tenants = new Map<string, string>();
  let changed = Promise.withResolvers<void>();
  const observation: Observation = {
    problem: undefined,
    list: ({ kind }) => (state.observed[kind] ?? []) as never,
    current: async () => false,
    async next(ms, signal) {
      const late = Promise.withResolvers<void>();
      const cancel = clock.after(ms, late.resolve);
      if (signal.aborted) late.resolve();
      signal.addEventListener('abort', () => late.resolve());
      await Promise.race([changed.promise, late.promise]);
      cancel();
      return new Set();
    },
    close() {},
  };
  const listed = ({ kind }: ObjectKind) => (state.live[kind] ?? []) as readonly KubeObject[];
  const api = {
    get: async (kind: ObjectKind) => listed(kind)[0],
    list: async (kind: ObjectKind) => ((state.reads += 1), listed(kind)),
    async *log() {},
  } as unknown as KubeApi;
  const runs = new PodRuns(folder);
  const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
  const observed: NonNullable<EngineJob['observe']> = async ({ id }) => {
    state.asked.push(tenants.get(id));
    return { progress: 0.5 };
  };
  const options = {
    api,
    runs,
    clock,
    informers: { observe: () => observation },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    engines: [{ ...tiny, jobs: tiny.jobs.map((each) => ({ ...each, observe: observed })) }],
    namespaceOf: () => 'data',
    addressOf: () => '10.0.0.1',
    placeOf: async () => ({ namespace: 'data', domain: 'cluster.local', secret: 'shared-secret' }),
    ask: async (_url: string): Promise<unknown> => ({}),
    isOutside,
  };
  const watch = new RunWatch(options, new RunLogs({ ...options, logBytes: 1000 }));
  const start = (given: Partial<Pick<ExecutionOrder, 'tenant' | 'report'>> = {}) => {
    const order = { ...orderOf(), ...given };
    tenants.set(order.execution.id, order.tenant);
    mkdirSync(runs.paths(order.execution.id).folder, { recursive: true });
    runs.start(order.execution.id);
    return watch.finish(order);
  };
  const show = async (observed: Shown, live: Shown): Promise<void> => {
    Object.assign(state, { observed, live });
    const before = changed;
    changed = Promise.withResolvers<void>();
    before.resolve();
    await settle();
  };
  return { clock, state, start, show, options, tenantOf: (run: string) => tenants.get(run) };
}

test('a Job that was not observed is there as long as the API server has it', async () => {
  const { state, start, show } = open();
  const finishing = start();
  await show({}, { Job: [job()], Pod: [running] });
  expect(state.reads).toBeGreaterThan(0);
  await show({ Job: [job()], Pod: [pod({ terminated: { exitCode: 0 } })] }, {});
  expect(await finishing).toEqual({ status: 'SUCCEEDED', returnCode: 0 });
});

test('a Job that has failed does not hide the exit code of its pod, which was not observed yet', async () => {
  const { start, show } = open();
  const finishing = start();
  const live = { Job: [job('Failed')], Pod: [pod({ terminated: { exitCode: 3 } })] };
  await show({ Job: [job('Failed')], Pod: [running] }, live);
  expect(await finishing).toMatchObject({ status: 'FAILED', returnCode: 3 });
});

test('a run goes on although its engine is not known any more', async () => {
  const { options, clock, start, show } = open();
  options.engines.length = 0;
  const finishing = start();
  await clock.advance(60_000);
  await show({ Job: [job()], Pod: [pod({ terminated: { exitCode: 0 } })] }, {});
  expect(await finishing).toEqual({ status: 'SUCCEEDED', returnCode: 0 });
});

test('a run without progress reports what it waits for', async () => {
  const { options, clock, start, show } = open();
  const observe = async () => ({ progress: 0, waiting: 'waiting for a larger worker' });
  options.engines = options.engines.map((engine) => ({
    ...engine,
    jobs: engine.jobs.map((each) => ({ ...each, observe })),
  }));
  const reports: RunReport[] = [];
  const finishing = start({ report: (report) => void reports.push(report) });
  await clock.advance(10_000);
  expect(reports).toEqual([{ progress: 0 }, { message: 'waiting for a larger worker' }]);
  await show({ Job: [job()], Pod: [pod({ terminated: { exitCode: 0 } })] }, {});
  await finishing;
});

test('the API server is asked nothing while a run goes on', async () => {
  const { state, clock, start } = open();
  void start().catch(() => undefined);
  await clock.advance(60_000);
  expect(state.reads).toBe(0);
});

test.each([
  [1, 30],
  [100, 120],
])('%i runs are asked for their progress %i times a minute', async (count, most) => {
  const { state, clock, start } = open();
  for (let each = 0; each < count; each += 1) void start().catch(() => undefined);
  // Each run is asked for the first time after two seconds.
  await clock.advance(60_000);
  state.asked = [];
  await clock.advance(60_000);
  expect(state.asked.length).toBeGreaterThan(most / 4);
  expect(state.asked.length).toBeLessThanOrEqual(most);
});

test('from outside of the cluster, the questions to 100 jobs of Spark are at most five requests a second', async () => {
  const { options, clock, start } = open({ isOutside: true });
  const running = { id: 'app-1', state: 'RUNNING', starttime: 1, duration: 600_000, cores: 1 };
  const jobs = [{ status: 'RUNNING', numTasks: 4, numCompletedTasks: 1, submissionTime: '1970-01-01T00:00:00.000GMT' }];
  let requests = 0;
  options.ask = async (url) => {
    requests += 1;
    if (url.endsWith('/applications')) return [{ id: 'app-1' }];
    if (url.endsWith('/jobs')) return jobs;
    return url.endsWith('/allexecutors') ? [] : { status: 'ALIVE', activeapps: [running] };
  };
  const [master] = nodesOf(
    clusterOf([groupOf('master', [{ instance_id: 'm', instance_name: 'm', internal_ip: '1', management_ip: '1' }])]),
    await options.placeOf(),
  );
  const observeSpark = (place: RunPlace, ask: AskJson) => observe({ ...place, nodes: master ? [master] : [] }, ask);
  options.engines = options.engines.map((engine) => ({
    ...engine,
    jobs: engine.jobs.map((each) => ({ ...each, observe: observeSpark })),
  }));
  for (let each = 0; each < 100; each += 1) void start().catch(() => undefined);
  await clock.advance(60_000);
  requests = 0;
  await clock.advance(60_000);
  expect(requests).toBeGreaterThan(3 * 40);
  expect(requests).toBeLessThanOrEqual(5 * 60);
});

test('how many runs a tenant has does not make the progress of those of others older', async () => {
  const { state, clock, start } = open();
  for (let each = 0; each < 200; each += 1) void start({ tenant: 'large' }).catch(() => undefined);
  for (let each = 0; each < 2; each += 1) void start({ tenant: 'small' }).catch(() => undefined);
  await clock.advance(60_000);
  state.asked = [];
  await clock.advance(400_000);
  const ofSmall = state.asked.filter((tenant) => tenant === 'small').length;
  expect(ofSmall).toBeGreaterThanOrEqual(2 * 199);
  const ofLarge = state.asked.length - ofSmall;
  // Its share is one a second.
  expect(ofLarge).toBeGreaterThanOrEqual(200);
  expect(ofLarge).toBeLessThanOrEqual(400);
});

test('a Job that seems suspended was admitted since if the API server says so, and its program runs', async () => {
  const { clock, start, show } = open();
  const finishing = start();
  const suspended = { ...job(), spec: { suspend: true } };
  await show({ Job: [suspended] }, { Job: [job()], Pod: [running] });
  await clock.advance(60_000);
  await show({ Job: [job()], Pod: [pod({ terminated: { exitCode: 0 } })] }, {});
  expect(await finishing).toEqual({ status: 'SUCCEEDED', returnCode: 0 });
});

/** Pods of these tenants do not answer. */
function withSilent(silent: readonly string[]) {
  const opened = open();
  const { options, state } = opened;
  const asking = new Map<string, number>();
  const startOf = (tenant: string, report: ExecutionOrder['report'] = () => undefined) =>
    opened.start({ tenant, report });
  let most = 0;
  const observe = async ({ id }: RunPlace) => {
    const tenant = opened.tenantOf(id) ?? '';
    state.asked.push(tenant);
    if (!silent.includes(tenant)) return { progress: 0.5 };
    asking.set(tenant, (asking.get(tenant) ?? 0) + 1);
    most = Math.max(
      most,
      [...asking.values()].reduce((sum, each) => sum + each, 0),
    );
    await new Promise<void>((resolve) => void options.clock.after(20_000, resolve));
    asking.set(tenant, (asking.get(tenant) ?? 0) - 1);
    throw new Error('it does not answer');
  };
  options.engines = options.engines.map((engine) => ({
    ...engine,
    jobs: engine.jobs.map((each) => ({ ...each, observe })),
  }));
  return { ...opened, startOf, asking, most: () => most };
}

test('few runs that do not answer are asked at a time, of one tenant half as many, and those of others go on', async () => {
  const { clock, startOf, most, asking, state } = withSilent(['silent', 'mute', 'dumb']);
  for (let each = 0; each < 100; each += 1) void startOf('silent').catch(() => undefined);
  await clock.advance(60_000);
  expect([asking.get('silent'), most()]).toEqual([mostQuestions / 2, mostQuestions / 2]);
  for (const tenant of ['mute', 'dumb'])
    for (let each = 0; each < 100; each += 1) void startOf(tenant).catch(() => undefined);
  const reports: RunReport[] = [];
  void startOf('quick', (report) => void reports.push(report)).catch(() => undefined);
  await clock.advance(300_000);
  expect(most()).toBeLessThanOrEqual(mostQuestions + mostSlowQuestions);
  expect(reports).toEqual([{ progress: 0.5 }]);
  expect(state.asked.filter((tenant) => tenant === 'quick').length).toBeGreaterThan(10);
});

test('the end of a run is noticed although it does not answer, and although it waits for its question', async () => {
  const { clock, startOf, show } = withSilent(['silent']);
  const finishing = Array.from({ length: 20 }, () => startOf('silent'));
  await clock.advance(15_000);
  await show({ Job: [job()], Pod: [pod({ terminated: { exitCode: 0 } })] }, {});
  const ends = await Promise.all(finishing);
  expect(ends.filter(({ status }) => status === 'SUCCEEDED')).toHaveLength(20);
});

test('after a restart, runs are not asked all at once, and a single run is asked after two seconds', async () => {
  const { clock, state, start } = open();
  for (let each = 0; each < 100; each += 1) void start({ tenant: 'large' }).catch(() => undefined);
  void start({ tenant: 'small' }).catch(() => undefined);
  await clock.advance(2500);
  expect(state.asked.length).toBeLessThanOrEqual(7);
  expect(state.asked).toContain('small');
  await clock.advance(60_000);
  expect(new Set(state.asked).size).toBe(2);
});
