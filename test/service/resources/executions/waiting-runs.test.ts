// Many runs that have waited for the same thing: they do not begin, or end, all at once. What is counted does not depend on the time.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSimulatedEngine, type JobEngine } from '../../../../src/service/backends/job-engine.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import type { JobExecutionRecord } from '../../../../src/service/model/records/records.ts';
import { createMemoryStore, type Store } from '../../../../src/service/model/store/store.ts';
import { assemble } from '../../../../src/service/program/assembly.ts';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import { mostPreparations } from '../../../../src/service/resources/executions/preparations.ts';
import { ManualClock } from '../../../support/clock.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const simulated = createSimulatedEngine(createSeededRandom(3));
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

/** Runs of two tenants on a cluster of each, as another life of the service has left them. */
function scene(count: number, change: Partial<JobExecutionRecord>, options: Partial<ServerOptions> = {}) {
  const clock = new ManualClock();
  const memory = createMemoryStore();
  let lists = 0;
  const list: Store['list'] = (kind, tenant) => {
    if (kind === 'jobExecutions') lists += 1;
    return memory.list(kind, tenant);
  };
  const dated = { created_at: 'now', updated_at: 'now' };
  for (const tenant of ['a', 'b']) {
    memory.put('clusters', tenant, {
      ...dated,
      id: `${tenant}-cluster`,
      name: 'c',
      status: 'Active',
      plugin_name: 'vanilla',
      info: {},
      bigdata_version: '1.2.1',
      node_groups: [],
      cluster_configs: {},
      anti_affinity: [],
    });
    const job = { ...dated, id: `${tenant}-job`, name: 'job', type: 'Shell', mains: [], libs: [], interface: [] };
    memory.put('jobs', tenant, job as never);
    for (let run = 0; run < count; run += 1)
      memory.put('jobExecutions', tenant, {
        ...dated,
        id: `${tenant}-${run}`,
        name: `${tenant}-${run}`,
        job_id: `${tenant}-job`,
        cluster_id: `${tenant}-cluster`,
        job_configs: {},
        interface: {},
        data_source_urls: {},
        info: { status: 'PENDING' },
        work: { operation: 'run', stage: 'PENDING' },
        ...change,
      });
  }
  const store = { ...memory, list };
  const service = assemble({ clock, random: createSeededRandom(1), store, ...options }, log);
  return { clock, service, store, lists: () => lists };
}

test('of runs that wait for a place, those of each tenant have their turns, and a deleted one leaves the queue at once', async () => {
  const submitted: string[] = [];
  const ends: (() => void)[] = [];
  let [underWay, most] = [0, 0];
  const engine: JobEngine = {
    ...simulated,
    async submit({ execution: { id } }) {
      submitted.push(id);
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise<void>((resolve) => void ends.push(resolve));
      underWay -= 1;
      return id;
    },
    finish: ({ signal }) => untilAborted(signal),
  };
  const { clock, service, store } = scene(30, {}, { engine });
  service.executions.resume();
  await clock.advance(1);
  expect(submitted.toSorted()).toEqual(
    [...Array.from({ length: 8 }, (_, run) => `a-${run}`), 'b-0', 'b-1', 'b-2', 'b-3'].toSorted(),
  );
  const deleted = store.get('jobExecutions', 'a', 'a-8');
  if (deleted !== undefined) service.executions.delete('a', deleted);
  await clock.advance(1);
  expect(store.get('jobExecutions', 'a', 'a-8')).toBeUndefined();
  for (let ended = 0; ended < 70; ended += 1) {
    ends.shift()?.();
    await clock.advance(1);
  }
  expect([submitted.length, submitted.includes('a-8'), most <= mostPreparations]).toEqual([59, false, true]);
  expect(submitted.indexOf('b-29')).toBeGreaterThan(submitted.indexOf('a-15'));
  expect(submitted.indexOf('a-29')).toBeGreaterThan(submitted.indexOf('b-15'));
});

test('runs that wait for nothing else still begin in several turns of the event loop', async () => {
  let [turn, isOpen] = [0, true];
  const turns: number[] = [];
  const engine: JobEngine = {
    ...simulated,
    async submit({ execution: { id } }) {
      turns.push(turn);
      return id;
    },
    finish: ({ signal }) => untilAborted(signal),
  };
  const { clock, service } = scene(40, {}, { engine });
  service.executions.resume();
  const counting = (async () => {
    for (; isOpen; turn += 1) await setImmediate();
  })();
  clock.leap(1);
  while (turns.length < 80) await setImmediate();
  isOpen = false;
  await counting;
  const inTurn = new Map<number, number>();
  for (const each of turns) inTurn.set(each, (inTurn.get(each) ?? 0) + 1);
  expect(Math.max(...inTurn.values())).toBeLessThanOrEqual(mostPreparations);
});

test('one whose cluster is not Active any more when it has a place waits for it again', async () => {
  const submitted: string[] = [];
  const gates: (() => void)[] = [];
  const engine: JobEngine = {
    ...simulated,
    async submit({ execution: { id } }) {
      submitted.push(id);
      await new Promise<void>((resolve) => void gates.push(resolve));
      return id;
    },
    finish: ({ signal }) => untilAborted(signal),
  };
  const { clock, service, store } = scene(9, {}, { engine });
  service.executions.resume();
  await clock.advance(1);
  const cluster = store.get('clusters', 'a', 'a-cluster');
  if (cluster === undefined) throw new Error('there is no cluster');
  service.lifecycle.amend('a', { ...cluster, status: 'Configuring' });
  for (let gate = 0; gate < 30; gate += 1) {
    gates.shift()?.();
    await clock.advance(1);
  }
  expect(submitted).not.toContain('a-8');
  service.lifecycle.keep('a', cluster);
  await clock.advance(1);
  expect(submitted).toContain('a-8');
});

test('with --max-concurrent, the runs are counted once, and not for each that waits or ends', async () => {
  const running = new Set<string>();
  let most = 0;
  const engine: JobEngine = {
    ...simulated,
    async submit({ execution: { id } }) {
      running.add(id);
      most = Math.max(most, running.size);
      return id;
    },
    async finish({ execution: { id } }) {
      running.delete(id);
      return { status: 'SUCCEEDED' };
    },
  };
  const { clock, service, store, lists } = scene(100, {}, { engine, maxConcurrent: 3 });
  service.executions.resume();
  for (let step = 0; step < 300; step += 1) await clock.advance(10);
  const ended = ['a', 'b'].flatMap((tenant) => store.list('jobExecutions', tenant)).filter((run) => run.end_time);
  expect([ended.length, most]).toEqual([200, 3]);
  // Once to go on after the start, and once to count.
  expect(lists()).toBeLessThan(10);
});

test('the runs of a cluster that is deleted begin to be killed in slices', async () => {
  let [turn, isOpen] = [0, true];
  const turns = new Map<number, number>();
  const engine: JobEngine = {
    ...simulated,
    async kill() {
      turns.set(turn, (turns.get(turn) ?? 0) + 1);
    },
  };
  const change = { prepared: { mains: [], libs: [] }, work: undefined, engine_job_id: 'job' };
  const { service, store } = scene(60, change, { engine });
  const record = store.get('clusters', 'a', 'a-cluster');
  if (record === undefined) throw new Error('there is no cluster');
  const counting = (async () => {
    for (; isOpen; turn += 1) await setImmediate();
  })();
  await service.executions.clusterLeaving({ tenant: 'a', record, signal: new AbortController().signal });
  isOpen = false;
  await counting;
  expect([...turns.values()]).toEqual([8, 8, 8, 8, 8, 8, 8, 4]);
});
