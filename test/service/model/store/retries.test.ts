// What fails for a while is done in the end: writes to a full disk, machines that do not go, runs that do not end.

import { describe, expect, onTestFinished, test } from 'vitest';
import { createSimulatedEngine, type JobEngine } from '../../../../src/service/backends/job-engine.ts';
import type { Provisioner } from '../../../../src/service/backends/provisioner.ts';
import { createSimulatedProvisioner } from '../../../../src/service/backends/simulated-provisioner.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import { createMemoryStore, type Store } from '../../../../src/service/model/store/store.ts';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { base, createCluster, createJob, statusOf } from '../../../contract/sections/jobs/section-4-6-support.ts';
import { connect, type Json, type Peer, startBody } from '../../../contract/support.ts';
import { ManualClock } from '../../../support/clock.ts';

const path = '/v1.0/t/clusters';
const node_groups = [{ name: 'g', count: 2, flavor_id: '1', node_processes: ['namenode'] }];
const random = createSeededRandom(3);
const [machines, engine] = [createSimulatedProvisioner(random), createSimulatedEngine(random)];

/** A store on a disk that can be full. */
function createDisk() {
  const memory = createMemoryStore();
  const disk = { full: false, refused: 0 };
  const check = () => {
    if (!disk.full) return;
    disk.refused += 1;
    throw new Error('database or disk is full');
  };
  const store: Store = {
    ...memory,
    put(...args) {
      check();
      memory.put(...args);
    },
    putAll(...args) {
      check();
      memory.putAll(...args);
    },
    remove(...args) {
      check();
      memory.remove(...args);
    },
  };
  return { disk, store };
}

function createLog() {
  const errors: string[] = [];
  const error = ({ externalId, err }: { externalId?: string; err?: unknown }) =>
    void errors.push(`${externalId} ${err instanceof Error ? err.message : ''}`);
  return { errors, log: { debug() {}, info() {}, warn() {}, error } };
}

/** One life of a service; each status lasts 100 ms. */
async function live(options: Partial<ServerOptions> & { readonly store: Store }) {
  const clock = new ManualClock();
  const server = createServer({ clock, random: createSeededRandom(1), stageMs: 100, ...options });
  onTestFinished(() => server.close());
  return { clock, server, peer: connect(await server.start()) };
}

async function start(peer: Peer): Promise<string> {
  return (await peer.post(path, { ...startBody, node_groups })).body.cluster.id;
}

const read = async (peer: Peer, id: string): Promise<Json> => (await peer.get(`${path}/${id}`)).body.cluster;

/** Rejects as long as it is broken. */
function createFlaky() {
  const state = { broken: true, calls: 0 };
  const refuse = async () => {
    state.calls += 1;
    if (state.broken) throw new Error('the rack is on fire');
  };
  return { state, refuse };
}

describe('a disk that is full for a while', () => {
  test.each([50, 150, 250, 350])('%d ms after its begin, a start goes on once there is room', async (ms) => {
    const { disk, store } = createDisk();
    const { log, errors } = createLog();
    const { clock, peer } = await live({ store, log });
    const id = await start(peer);
    await clock.advance(ms);
    disk.full = true;
    await clock.advance(300_000);
    expect((await read(peer, id))?.['status']).not.toBe('Active');
    // 1, 2, 4, 8, 16, 32 s, and then once a minute.
    expect(disk.refused).toBeGreaterThan(5);
    expect(disk.refused).toBeLessThan(15);
    expect(errors[0]).toBe(`${id} database or disk is full`);
    disk.full = false;
    await clock.advance(61_000);
    expect((await read(peer, id))?.['status']).toBe('Active');
  });

  test('a deletion, too, and what runs on the cluster is ended with it', async () => {
    const { disk, store } = createDisk();
    const { clock, peer } = await live({ store });
    const [job, cluster] = [await createJob(peer), await createCluster(peer)];
    await clock.advance(1000);
    const execute = `${base}/jobs/${job.id}/execute`;
    const run = (await peer.post(execute, { cluster_id: cluster.id })).body.job_execution.id;
    await peer.remove(`${path}/${cluster.id}`);
    disk.full = true;
    await clock.advance(10_000);
    expect(await read(peer, cluster.id)).toBeDefined();
    disk.full = false;
    await clock.advance(61_000);
    expect(await read(peer, cluster.id)).toBeUndefined();
    expect(await statusOf(peer, run)).toMatch(/KILLED|SUCCEEDED/);
  });

  test('runs that wait for a cluster begin, although nothing could be written as it became Active', async () => {
    const { disk, store } = createDisk();
    const { clock, peer } = await live({ store });
    const [job, cluster] = [await createJob(peer), await createCluster(peer)];
    const run = (await peer.post(`${base}/jobs/${job.id}/execute`, { cluster_id: cluster.id })).body.job_execution.id;
    await clock.advance(350);
    disk.full = true;
    await clock.advance(5000);
    disk.full = false;
    await clock.advance(120_000);
    expect(await statusOf(peer, run)).toBe('SUCCEEDED');
  });
});

describe('machines that do not go', () => {
  const stubborn = () => {
    const { state, refuse } = createFlaky();
    const provisioner: Provisioner = { ...machines, remove: refuse };
    return { state, provisioner };
  };

  test('a deletion says why, in the description and the log, and is tried again', async () => {
    const { state, provisioner } = stubborn();
    const { log, errors } = createLog();
    const { clock, peer } = await live({ store: createMemoryStore(), provisioner, log });
    const id = await start(peer);
    await clock.advance(1000);
    await peer.remove(`${path}/${id}`);
    await clock.advance(30_000);
    expect(await read(peer, id)).toMatchObject({
      status: 'Deleting',
      status_description: 'cannot remove machines: the rack is on fire; trying again',
    });
    expect(errors[0]).toBe(`${id} cannot remove machines: the rack is on fire`);
    expect(state.calls).toBe(5);
    state.broken = false;
    await clock.advance(61_000);
    expect(await read(peer, id)).toBeUndefined();
  });

  test('a deletion is tried again after a restart, too', async () => {
    const { state, provisioner } = stubborn();
    const store = createMemoryStore();
    const first = await live({ store, provisioner });
    const id = await start(first.peer);
    await first.clock.advance(1000);
    await first.peer.remove(`${path}/${id}`);
    await first.clock.advance(30_000);
    await first.server.close();
    state.broken = false;
    const second = await live({ store, provisioner });
    await second.clock.advance(1000);
    expect(await read(second.peer, id)).toBeUndefined();
  });

  test('a scale waits until they are gone', async () => {
    const { state, provisioner } = stubborn();
    const { clock, peer } = await live({ store: createMemoryStore(), provisioner });
    const id = await start(peer);
    await clock.advance(1000);
    await peer.put(`${path}/${id}`, { resize_node_groups: [{ name: 'g', count: 1 }] });
    await clock.advance(30_000);
    const waiting = await read(peer, id);
    expect(waiting).toMatchObject({
      status: 'Decommissioning',
      status_description: 'cannot remove machines: the rack is on fire; trying again',
    });
    expect(waiting?.['node_groups'][0].instances).toHaveLength(2);
    state.broken = false;
    await clock.advance(61_000);
    const scaled = await read(peer, id);
    expect(scaled).toMatchObject({ status: 'Active' });
    expect(scaled).not.toHaveProperty('status_description');
    expect(scaled?.['node_groups'][0].instances).toHaveLength(1);
  });

  test('those of a failed start are on record in Error until they are gone, also after a restart', async () => {
    const { state, provisioner } = stubborn();
    const launch: Provisioner['launch'] = () => Promise.reject(new Error('no room'));
    const store = createMemoryStore();
    const first = await live({ store, provisioner: { ...provisioner, launch } });
    const id = await start(first.peer);
    await first.clock.advance(30_000);
    const failed = await read(first.peer, id);
    expect(failed).toMatchObject({
      status: 'Error',
      status_description:
        'cannot create cluster: no room; cannot remove its machines: the rack is on fire; trying again',
    });
    expect(failed?.['node_groups'][0].instances).toHaveLength(2);
    expect(state.calls).toBeGreaterThan(3);
    await first.server.close();
    state.broken = false;
    const second = await live({ store, provisioner });
    await second.clock.advance(1000);
    const left = await read(second.peer, id);
    expect(left).toMatchObject({ status: 'Error', status_description: 'cannot create cluster: no room' });
    expect(left?.['node_groups'][0]).toMatchObject({ count: 0, instances: [] });
  });

  test('a failed start whose machines stay can be deleted', async () => {
    const { state, provisioner } = stubborn();
    const launch: Provisioner['launch'] = () => Promise.reject(new Error('no room'));
    const { clock, peer } = await live({ store: createMemoryStore(), provisioner: { ...provisioner, launch } });
    const id = await start(peer);
    await clock.advance(10_000);
    await peer.remove(`${path}/${id}`);
    state.broken = false;
    await clock.advance(1000);
    expect(await read(peer, id)).toBeUndefined();
  });
});

describe('runs that do not end', () => {
  const one = async (peer: Peer, id: string): Promise<Json> =>
    (await peer.get(`${base}/job-executions/${id}`)).body.job_execution;

  async function run(peer: Peer, clock: ManualClock): Promise<string> {
    const [job, cluster] = [await createJob(peer), await createCluster(peer)];
    await clock.advance(1000);
    return (await peer.post(`${base}/jobs/${job.id}/execute`, { cluster_id: cluster.id })).body.job_execution.id;
  }

  test.each(['cancel', 'delete'] as const)('a %s says why, and is tried again, also after a restart', async (how) => {
    const { state, refuse } = createFlaky();
    const kill: JobEngine['kill'] = refuse;
    const { log, errors } = createLog();
    const options = { store: createMemoryStore(), engine: { ...engine, kill }, log };
    const first = await live(options);
    const id = await run(first.peer, first.clock);
    if (how === 'cancel') await first.peer.get(`${base}/job-executions/${id}/cancel`);
    else await first.peer.remove(`${base}/job-executions/${id}`);
    await first.clock.advance(30_000);
    expect(await one(first.peer, id)).toMatchObject({
      info: { status: 'TOBEKILLED', message: 'cannot kill job execution: the rack is on fire; trying again' },
    });
    expect(errors).toContain(`${id} cannot kill job execution: the rack is on fire`);
    expect(state.calls).toBe(5);
    await first.server.close();
    state.broken = false;
    const second = await live(options);
    await second.clock.advance(1000);
    expect(await statusOf(second.peer, id)).toBe(how === 'cancel' ? 'KILLED' : undefined);
  });
});
