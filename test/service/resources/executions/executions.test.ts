// Job executions when runs fail or hang, and when personalities get in between.
import { describe, expect, test } from 'vitest';
import { Injector } from '../../../../dev/personality/injector.ts';
import type { Personality } from '../../../../dev/personality/personality.ts';
import { createSimulatedEngine, type JobEngine, type RunEnd } from '../../../../src/service/backends/job-engine.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import { createMemoryStore } from '../../../../src/service/model/store/store.ts';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import {
  base,
  createCluster,
  created,
  createJob,
  statusOf,
  watch,
} from '../../../contract/sections/jobs/section-4-6-support.ts';
import { type Json, type Peer, serve } from '../../../contract/support.ts';
import { ManualClock } from '../../../support/clock.ts';

const list = `${base}/job-executions`;
const one = async (peer: Peer, id: string): Promise<Json> => (await peer.get(`${list}/${id}`)).body.job_execution;
const simulated = createSimulatedEngine(createSeededRandom(3));

async function prepare(peer: Peer, clock: ManualClock, dialect: 'neutral' | 'sahara' = 'neutral') {
  const [job, cluster] = [await createJob(peer, dialect), await createCluster(peer, dialect)];
  await clock.advance(1000);
  const execute = async (of: string = job.id): Promise<string> =>
    created(await peer.post(`${base}/jobs/${of}/execute`, { cluster_id: cluster.id })).id;
  return { job, cluster, execute };
}

/** A run on a cluster that is Active; every status lasts 100 ms. */
async function run(options: Partial<ServerOptions> = {}, clock = new ManualClock()) {
  const peer = await serve({ clock, stageMs: 100, ...options });
  const { execute, ...rest } = await prepare(peer, clock, options.dialect === 'sahara' ? 'sahara' : 'neutral');
  return { clock, peer, ...rest, execute, id: await execute() };
}

const misbehaving = async (personality: Personality) => {
  const clock = new ManualClock();
  const injector = new Injector(clock, personality);
  return { injector, ...(await run({ hooks: injector }, clock)) };
};

test.each(['SUCCEEDED', 'FAILED'] as const)(
  'a run that ended as %s is released once its end is stored',
  async (status) => {
    const store = createMemoryStore();
    const released: (string | undefined)[] = [];
    const release: JobEngine['release'] = ({ execution: { id } }) =>
      void released.push(store.get('jobExecutions', 't', id)?.info.status);
    const engine: JobEngine = { ...simulated, finish: async () => ({ status }), release };
    const { clock, peer, id } = await run({ engine, store });
    expect(released).toEqual([]);
    await watch(peer, clock, id);
    expect(new Set(released)).toEqual(new Set([status]));
  },
);

const untilAborted = ({ signal }: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

test.each(['neutral', 'sahara'] as const)('a run that waits in a queue has not begun: %s', async (dialect) => {
  const store = createMemoryStore();
  const leave = Promise.withResolvers<void>();
  const engine: JobEngine = {
    ...simulated,
    async submit(order) {
      order.report({ message: 'waiting in queue a', isQueued: true });
      return 'job-1';
    },
    async finish(order) {
      await leave.promise;
      order.report({ message: '', isQueued: false });
      return await untilAborted(order);
    },
  };
  const { clock, peer, id } = await run({ engine, store, dialect });
  await clock.advance(2000);
  const before = await one(peer, id);
  expect(before.info).toEqual({ status: 'PREP', message: 'waiting in queue a', queued: true });
  leave.resolve();
  await clock.advance(60_000);
  const after = await one(peer, id);
  expect(after.info).toEqual({ status: 'RUNNING' });
  // It has begun only when it has left the queue.
  expect(after.start_time > before.start_time).toBe(true);
});

test('a run that waits in a queue can be cancelled', async () => {
  const engine: JobEngine = {
    ...simulated,
    finish(order) {
      order.report({ message: 'waiting in queue a', isQueued: true });
      return untilAborted(order);
    },
  };
  const { clock, peer, id } = await run({ engine });
  await clock.advance(1000);
  expect((await one(peer, id)).info).toMatchObject({ status: 'PREP', queued: true });
  await peer.get(`${list}/${id}/cancel`);
  await clock.advance(1000);
  expect((await one(peer, id)).info).toEqual({ status: 'KILLED' });
});

test.each<readonly [what: string, end: Omit<RunEnd, 'status'>, termination: object | undefined]>([
  ['nothing that is known', {}, undefined],
  ['exit code 0', { returnCode: 0 }, { reason: 'Completed' }],
  ['exit code 3', { returnCode: 3 }, { reason: 'Error' }],
  ['exit code 128, which is no signal', { returnCode: 128 }, { reason: 'Error' }],
  ['exit code 137', { returnCode: 137 }, { reason: 'Signal', signal: 'SIGKILL' }],
  ['exit code 143', { returnCode: 143 }, { reason: 'Signal', signal: 'SIGTERM' }],
  ['exit code 255, which is no signal', { returnCode: 255 }, { reason: 'Error' }],
  ['too much memory', { returnCode: 137, cause: 'OOMKilled' }, { reason: 'OOMKilled', signal: 'SIGKILL' }],
  ['an eviction', { returnCode: 143, cause: 'Evicted' }, { reason: 'Evicted', signal: 'SIGTERM' }],
  ['a lost process', { cause: 'Lost' }, { reason: 'Lost' }],
])('a run that ended with %s says so, in every dialect', async (_what, end, termination) => {
  const status = end.returnCode === 0 ? 'SUCCEEDED' : 'FAILED';
  const engine: JobEngine = { ...simulated, finish: async () => ({ ...end, status }) };
  for (const dialect of ['neutral', 'sahara'] as const) {
    const { clock, peer, id } = await run({ engine, dialect });
    await watch(peer, clock, id);
    const { info, return_code: code = null } = await one(peer, id);
    expect(info).toEqual({ status, ...(termination && { termination }) });
    expect(code === null ? undefined : Number(code)).toBe(end.returnCode);
  }
});

describe('links', () => {
  const History = 'https://history.example';
  const pages = { 'Spark Web UI': 'http://10.0.0.1:8080', History };
  const linking: JobEngine = { ...simulated, pages: () => pages };
  const urlsOf = async (peer: Peer, id: string) => (await one(peer, id))['info'].urls;

  test('a run that was submitted has some, until its cluster is gone', async () => {
    const { clock, peer, id, cluster } = await run({ engine: linking });
    expect(await urlsOf(peer, id)).toBeUndefined();
    await watch(peer, clock, id);
    const Logs = `${list}/${id}/logs`;
    expect(await one(peer, id)).toMatchObject({ info: { status: 'SUCCEEDED', urls: { ...pages, Logs } } });
    await peer.remove(`${base}/clusters/${cluster.id}`);
    await clock.advance(5000);
    expect(await one(peer, id)).toMatchObject({ info: { status: 'SUCCEEDED', urls: { Logs, History } } });
    expect(await urlsOf(peer, id)).toEqual({ Logs, History });
  });

  test('a run that was not submitted has none, and so has a simulated one', async () => {
    const submit = () => Promise.reject(new Error('there is no memory'));
    for (const engine of [{ ...linking, submit }, simulated]) {
      const { clock, peer, id } = await run({ engine });
      await watch(peer, clock, id);
      expect(await urlsOf(peer, id)).toBeUndefined();
    }
  });
});

describe('engines that fail', () => {
  const failing = (method: keyof JobEngine): JobEngine => ({
    ...simulated,
    [method]: () => Promise.reject(new Error('there is no memory')),
  });

  test('a run that cannot be started is FAILED, with a start, an end and the reason', async () => {
    const { clock, peer, id } = await run({ engine: failing('submit') });
    expect(await watch(peer, clock, id)).toEqual(['PENDING', 'FAILED']);
    const now = '2026-01-01T00:00:02';
    expect(await one(peer, id)).toMatchObject({
      info: { status: 'FAILED', message: 'there is no memory' },
      start_time: now,
      end_time: now,
    });
  });

  test('a run whose end cannot be observed goes on, says why, and ends when it can', async () => {
    let broken = true;
    const finish: JobEngine['finish'] = async () => {
      if (broken) throw new Error('there is no memory');
      return { status: 'SUCCEEDED' };
    };
    const { clock, peer, id } = await run({ engine: { ...simulated, finish } });
    await clock.advance(60 * 60_000);
    expect((await one(peer, id)).info).toEqual({ status: 'RUNNING', message: 'there is no memory; trying again' });
    broken = false;
    await clock.advance(60_000);
    expect((await one(peer, id)).info.status).toBe('SUCCEEDED');
  });

  test('a run that cannot be killed stays TOBEKILLED until it is asked for once more', async () => {
    let broken = true;
    const kill: JobEngine['kill'] = async () => {
      if (broken) throw new Error('it does not listen');
    };
    const { clock, peer, id } = await run({ engine: { ...simulated, kill } });
    await peer.get(`${list}/${id}/cancel`);
    await clock.advance(10_000);
    expect(await one(peer, id)).toMatchObject({ info: { status: 'TOBEKILLED' } });
    expect(await one(peer, id)).not.toHaveProperty('end_time');
    broken = false;
    await peer.remove(`${list}/${id}`);
    expect(await watch(peer, clock, id)).toEqual(['TOBEKILLED', undefined]);
  });

  test('what an engine tells after the run was cancelled is void, and it is told to give up', async () => {
    let told: AbortSignal | undefined;
    const finish: JobEngine['finish'] = (order) => {
      told = order.signal;
      return new Promise((resolve) => order.signal.addEventListener('abort', () => resolve({ status: 'SUCCEEDED' })));
    };
    const { clock, peer, id } = await run({ engine: { ...simulated, finish } });
    await clock.advance(1000);
    expect(await statusOf(peer, id)).toBe('RUNNING');
    await peer.get(`${list}/${id}/cancel`);
    expect(told?.aborted).toBe(true);
    expect(await watch(peer, clock, id)).toEqual(['TOBEKILLED', 'KILLED']);
  });
});

describe('personalities', () => {
  test('stuck runs stay until the personality is another, and then go on', async () => {
    const { clock, injector, peer, id } = await misbehaving({ executions: [{ status: 'RUNNING', does: 'stuck' }] });
    await clock.advance(100_000);
    expect(await statusOf(peer, id)).toBe('RUNNING');
    expect(injector.counts()).toEqual({ 'executions[0]': { met: 1, applied: 1 } });
    injector.replace({});
    await clock.advance(0);
    expect(await statusOf(peer, id)).toBe('SUCCEEDED');
  });

  test('stuck runs can be cancelled', async () => {
    const { clock, peer, id } = await misbehaving({ executions: [{ status: 'PREP', does: 'stuck' }] });
    await clock.advance(100_000);
    await peer.get(`${list}/${id}/cancel`);
    expect(await watch(peer, clock, id)).toEqual(['TOBEKILLED', 'KILLED']);
  });

  test('runs fail where and how the rule says, every second of them', async () => {
    const rule = { status: 'RUNNING', does: 'fail', every: 2, message: 'disk full' } as const;
    const { clock, peer, id, execute } = await misbehaving({ executions: [rule] });
    await clock.advance(1000);
    const other = await execute();
    await clock.advance(1000);
    expect((await one(peer, id)).info).toEqual({ status: 'SUCCEEDED' });
    expect((await one(peer, other)).info).toEqual({ status: 'FAILED', message: 'disk full' });
  });

  test('rules for the jobs of a name leave others alone', async () => {
    const rule = { status: 'RUNNING', does: 'done-with-error', job: 'nightly' } as const;
    const { clock, peer, id, execute } = await misbehaving({ executions: [rule] });
    const nightly = await execute((await createJob(peer, 'neutral', { name: 'nightly' })).id);
    await clock.advance(1000);
    expect([await statusOf(peer, id), await statusOf(peer, nightly)]).toEqual(['SUCCEEDED', 'DONEWITHERROR']);
  });

  test('kills fail, and deletions get nowhere', async () => {
    const { clock, peer, id } = await misbehaving({ executions: [{ status: 'TOBEKILLED', does: 'fail', times: 1 }] });
    await peer.remove(`${list}/${id}`);
    await clock.advance(1000);
    expect(await statusOf(peer, id)).toBe('TOBEKILLED');
    await peer.remove(`${list}/${id}`);
    await clock.advance(1000);
    expect(await statusOf(peer, id)).toBeUndefined();
  });

  test.each([
    [{ timeZone: 'Asia/Tokyo', withoutEnd: true }, '2026-01-01T09:00:02', null],
    [{ timeZone: 'America/New_York' }, '2025-12-31T19:00:02', '2025-12-31T19:00:02'],
    [{ withoutEnd: true }, '2026-01-01T00:00:02', null],
  ])('its start and its end are those of another zone, or missing: %j', async (executionTimes, start, end) => {
    const { clock, injector, peer, id } = await misbehaving({ executionTimes });
    await clock.advance(1000);
    const times = async () => {
      const { created_at, start_time, end_time } = await one(peer, id);
      const [row] = (await peer.get(list)).body.job_executions;
      expect([row.start_time, row.end_time]).toEqual([start_time, end_time]);
      return [created_at, start_time, end_time];
    };
    const created_at = '2026-01-01T00:00:02';
    expect(await times()).toEqual([created_at, start, end]);
    injector.replace({});
    expect(await times()).toEqual([created_at, '2026-01-01T00:00:02', '2026-01-01T00:00:02']);
    injector.replace({ executionTimes });
    expect((await times())[1]).toBe(start);
  });

  test('words are shown for states, and lists lag behind', async () => {
    const { clock, peer, id } = await misbehaving({ statusWords: { RUNNING: 'HUMMING' }, listLagMs: 100 });
    await clock.advance(250);
    expect(await statusOf(peer, id)).toBe('HUMMING');
    const { body } = await peer.get(list);
    expect(body.job_executions.map(({ info }: Json) => info.status)).toEqual(['PREP']);
    await clock.advance(1000);
    expect(await statusOf(peer, id)).toBe('SUCCEEDED');
  });
});
