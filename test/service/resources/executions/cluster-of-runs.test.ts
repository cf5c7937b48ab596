// What becomes of many executions when their cluster is gone, or has failed: nobody waits meanwhile, and a crash in between loses none.
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSimulatedEngine } from '../../../../src/service/backends/job-engine.ts';
import type { Loss } from '../../../../src/service/backends/provisioner.ts';
import { createSimulatedProvisioner } from '../../../../src/service/backends/simulated-provisioner.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import type { JobExecutionRecord } from '../../../../src/service/model/records/records.ts';
import { createMemoryStore, type Store } from '../../../../src/service/model/store/store.ts';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { base, createCluster, created, createJob, watch } from '../../../contract/sections/jobs/section-4-6-support.ts';
import { connect } from '../../../contract/support.ts';
import { ManualClock } from '../../../support/clock.ts';
import { limitMs } from '../../../support/patience.ts';

const many = 120;
const deletion = { operation: 'delete', stage: 'TOBEKILLED' } as const;
const patience = { timeout: limitMs, interval: 10 };

async function live(options: Partial<ServerOptions> & { readonly store: Store }) {
  const clock = new ManualClock();
  const server = createServer({ clock, random: createSeededRandom(1), stageMs: 100, ...options });
  onTestFinished(() => server.close());
  return { clock, server, peer: connect(await server.start()) };
}

/** A store that notes in which turn of the event loop it gets how many executions. `failing`: the number of the transaction that fails once. */
function createNoting(failing = Number.NaN) {
  const memory = createMemoryStore();
  const slices: { readonly size: number; readonly turn: number }[] = [];
  let turn = 0;
  let isOpen = true;
  const count = async () => {
    while (isOpen) {
      await setImmediate();
      turn += 1;
    }
  };
  void count();
  onTestFinished(() => {
    isOpen = false;
  });
  const store: Store = {
    ...memory,
    putAll(kind, records) {
      slices.push({ size: records.length, turn });
      if (slices.length === failing) throw new Error('the disk is away');
      memory.putAll(kind, records);
    },
  };
  return { store, slices };
}

/** A cluster with many executions like one that has ended. */
async function withMany(store: Store, options: Partial<ServerOptions> = {}, change?: Partial<JobExecutionRecord>) {
  const service = await live({ ...options, store });
  const { clock, peer } = service;
  const [job, cluster] = [await createJob(peer, 'neutral'), await createCluster(peer, 'neutral')];
  await clock.advance(1000);
  const { id } = created(await peer.post(`${base}/jobs/${job.id}/execute`, { cluster_id: cluster.id }));
  await watch(peer, clock, id);
  const ended = store.get('jobExecutions', 't', id) as JobExecutionRecord;
  for (let n = 1; n < many; n += 1) store.put('jobExecutions', 't', { ...ended, id: `run-${n}`, ...change });
  return { ...service, cluster };
}

const engine = createSimulatedEngine(createSeededRandom(3));
const untilAborted = ({ signal }: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

const on = (store: Store, cluster: string) =>
  store.list('jobExecutions', 't').filter((record) => record.cluster_id === cluster);

test('a cluster with many finished runs is deleted in transactions, with a turn of the event loop between them', async () => {
  const { store, slices } = createNoting();
  const { clock, peer, cluster } = await withMany(store);
  await peer.remove(`${base}/clusters/${cluster.id}`);
  await clock.advance(5000);
  await vi.waitFor(() => expect(store.get('clusters', 't', cluster.id)).toBeUndefined(), patience);
  expect([on(store, cluster.id), store.count('jobExecutions', 't')]).toEqual([[], many]);
  expect(slices.map(({ size }) => size)).toEqual([50, 50, 20]);
  expect(new Set(slices.map(({ turn }) => turn)).size).toBe(3);
});

test('of a cluster that is gone, deleted runs are removed a few at a time, because each of them waits for the disk', async () => {
  const { store } = createNoting();
  let isInTurn = false;
  let inTurn = 0;
  const most: number[] = [];
  const forget = () => {
    inTurn += 1;
    if (isInTurn) return;
    isInTurn = true;
    void setImmediate().then(() => {
      most.push(inTurn);
      [isInTurn, inTurn] = [false, 0];
    });
  };
  const { clock, peer, cluster } = await withMany(store, {
    engine: { ...createSimulatedEngine(createSeededRandom(3)), forget },
  });
  for (const record of on(store, cluster.id))
    if (record.id.startsWith('run-')) store.put('jobExecutions', 't', { ...record, work: deletion });
  await peer.remove(`${base}/clusters/${cluster.id}`);
  await clock.advance(5000);
  await vi.waitFor(() => expect(store.get('clusters', 't', cluster.id)).toBeUndefined(), patience);
  expect([store.count('jobExecutions', 't'), Math.max(...most)]).toEqual([1, 8]);
});

test('a cluster whose runs could not all be stored stays until they are', async () => {
  const { store } = createNoting(2);
  const { clock, peer, cluster } = await withMany(store);
  await peer.remove(`${base}/clusters/${cluster.id}`);
  await clock.advance(500);
  expect([store.get('clusters', 't', cluster.id)?.status, on(store, cluster.id).length]).toEqual([
    'Deleting',
    many - 50,
  ]);
  // The next life of the service goes on.
  const next = await live({ store });
  await next.clock.advance(5000);
  await vi.waitFor(() => expect(store.get('clusters', 't', cluster.id)).toBeUndefined(), patience);
  expect(on(store, cluster.id)).toEqual([]);
});

test.each(['the same life', 'the next life'])(
  'all runs of a cluster that has failed end, in %s of the service',
  async (life) => {
    const { store, slices } = createNoting(life === 'the next life' ? 2 : undefined);
    let lose = (_loss: Loss): unknown => undefined;
    const simulated = createSimulatedProvisioner(createSeededRandom(3));
    const provisioner = {
      ...simulated,
      watch(lost: (loss: Loss) => unknown) {
        lose = lost;
        return () => undefined;
      },
    };
    let latest = await withMany(
      store,
      { provisioner },
      {
        end_time: undefined,
        prepared: {} as never,
        work: { operation: 'run', stage: 'RUNNING' },
      },
    );
    const { clock, cluster, server } = latest;
    for (let losses = 0; losses < 20; losses += 1)
      lose({ tenant: 't', cluster: cluster.id, machines: [], message: 'a machine is lost' });
    await clock.advance(1);
    await vi.waitFor(() => expect(slices.length).toBeGreaterThan(1), patience);
    if (life === 'the next life') {
      await server.close();
      expect(store.list('jobExecutions', 't').filter(({ work }) => work?.operation === 'run')).toHaveLength(many - 50);
      latest = { ...latest, ...(await live({ store, provisioner, engine: { ...engine, finish: untilAborted } })) };
    }
    const failed = () => store.list('jobExecutions', 't').filter(({ info }) => info.status === 'FAILED');
    await vi.waitFor(async () => {
      await latest.clock.advance(1000);
      expect(failed()).toHaveLength(many - 1);
    });
    expect(slices.slice(0, 2).map(({ size }) => size)).toEqual([49, 50]);
  },
);
