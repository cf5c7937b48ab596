// A Lease at the real API server, and at the fake one of the election's tests: the same scenes with the same result.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ApiError } from '../../../src/kube/api-error.ts';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { type ApiTransport, createTransport } from '../../../src/kube/http/transport.ts';
import { systemClock, systemRandom } from '../../../src/lib/system.ts';
import { Election } from '../../../src/operator/kube/election/election.ts';
import {
  claimed,
  createLeaseStore,
  freed,
  type Lease,
  type LeaseStore,
} from '../../../src/operator/kube/election/lease.ts';
import { type ApiServer, connect, createNamespace } from '../../support/kubernetes/api-server.ts';
import { FakeLeases, FakeLine } from './support/fake-leases.ts';
import { noPlane } from './support/plane-bench.ts';
import { recordingLog, until } from './support/ports.ts';

const namespace = `leases-${Math.random().toString(36).slice(2, 8)}`;
const limits = { timeoutMs: 20_000 };
const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** What another client does to a Lease, by its name. */
interface Side {
  readonly transport: ApiTransport;
  label(name: string): Promise<void>;
  remove(name: string): Promise<void>;
}

let server: ApiServer | undefined;
let real: ApiTransport | undefined;

beforeAll(async () => {
  if (noPlane) return;
  const kubeconfig = inject('kubeconfig');
  server = await connect(kubeconfig);
  await createNamespace(server, namespace);
  const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
  real = createTransport({ config, clock: systemClock });
});
afterAll(async () => {
  await real?.close();
  await server?.close();
});

const pathOf = (name: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
const labels = { team: 'a' };

function fakeSide(): Side {
  const leases = new FakeLeases();
  leases.namespaces.add(namespace);
  return {
    transport: new FakeLine(leases, systemClock),
    label: async (name) => leases.put(pathOf(name), { metadata: { labels } }),
    remove: async (name) => leases.delete(pathOf(name)),
  };
}

function realSide(): Side {
  if (server === undefined || real === undefined) throw new Error('there is no API server');
  const api = server;
  return {
    transport: real,
    async label(name) {
      const { status } = await api.send({ method: 'PATCH', path: pathOf(name), body: { metadata: { labels } } });
      expect(status).toBe(200);
    },
    async remove(name) {
      expect((await api.send({ method: 'DELETE', path: pathOf(name) })).status).toBe(200);
    },
  };
}

interface Scene extends Side {
  readonly name: string;
  readonly store: LeaseStore;
}

let scenes = 0;
function sceneOf(side: Side): Scene {
  scenes += 1;
  const name = `scene-${scenes}`;
  return { ...side, name, store: createLeaseStore({ transport: side.transport, namespace, name }) };
}

const by = (holder: string, at = now) => ({ holder, durationMs: 15_000, now: at });
const take = async ({ store }: Scene, previous: Lease | undefined, holder: string, at = now) =>
  store.write(previous, claimed(previous, by(holder, at)), limits);
const refusal = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof ApiError ? [error.status, error.category] : error;
};

const sides: readonly (readonly [string, () => Side])[] = [
  ['the fake', fakeSide],
  ...(noPlane ? [] : [['the API server', realSide] as const]),
];

describe.each(sides)('a lease at %s', (_title, side) => {
  test('is not there, is made, and is read as it was made', async () => {
    const scene = sceneOf(side());
    expect(await scene.store.read(limits)).toBeUndefined();
    const made = await take(scene, undefined, 'a');
    const expected = { holder: 'a', durationMs: 15_000, acquiredAt: now, renewedAt: now, transitions: 0 };
    expect(made).toMatchObject(expected);
    const read = await scene.store.read(limits);
    expect(read).toMatchObject({ ...expected, stamp: made.stamp });
  });

  test('is renewed and taken over by the version that was read, once', async () => {
    const scene = sceneOf(side());
    const made = await take(scene, undefined, 'a');
    const renewed = await take(scene, made, 'a', now + 2_000);
    expect(renewed).toMatchObject({ holder: 'a', acquiredAt: now, renewedAt: now + 2_000, transitions: 0 });
    expect(renewed.stamp).not.toBe(made.stamp);
    expect(await refusal(take(scene, made, 'b'))).toEqual([409, 'conflict']);
    const taken = await take(scene, renewed, 'b', now + 20_000);
    expect(taken).toMatchObject({ holder: 'b', acquiredAt: now + 20_000, transitions: 1 });
    expect(await refusal(take(scene, renewed, 'a'))).toEqual([409, 'conflict']);
  });

  test('goes to one of many who want it at once', async () => {
    const scene = sceneOf(side());
    const names = ['a', 'b', 'c', 'd', 'e'];
    const made = await Promise.all(names.map((name) => refusal(take(scene, undefined, name))));
    expect(made.filter((one) => one === undefined)).toHaveLength(1);
    const found = await scene.store.read(limits);
    const taken = await Promise.all(names.map((name) => refusal(take(scene, found, name, now + 1_000))));
    expect(taken.filter((one) => one === undefined)).toHaveLength(1);
    const others = [...made, ...taken].filter((one) => one !== undefined);
    expect(others).toEqual(Array.from({ length: 8 }, () => [409, 'conflict']));
  });

  test("is given back, and is then nobody's", async () => {
    const scene = sceneOf(side());
    const made = await take(scene, undefined, 'a');
    const free = await scene.store.write(made, freed(made, now + 1), limits);
    expect(free).toMatchObject({ holder: '', durationMs: 1_000, transitions: 0 });
    expect(await scene.store.read(limits)).toMatchObject({ holder: '', stamp: free.stamp });
    expect(await take(scene, free, 'b')).toMatchObject({ holder: 'b', transitions: 1 });
  });

  test('keeps labels, which are no renewal, and refuses who has not seen them', async () => {
    const scene = sceneOf(side());
    const made = await take(scene, undefined, 'a');
    await scene.label(scene.name);
    const labelled = await scene.store.read(limits);
    expect(labelled?.stamp).toBe(made.stamp);
    expect(await refusal(take(scene, made, 'a'))).toEqual([409, 'conflict']);
    const renewed = await take(scene, labelled, 'a', now + 2_000);
    expect(renewed.object.metadata).toMatchObject({ labels });
  });

  test('that was deleted cannot be renewed, and can be made anew', async () => {
    const scene = sceneOf(side());
    const made = await take(scene, undefined, 'a');
    await scene.remove(scene.name);
    expect(await refusal(take(scene, made, 'a'))).toEqual([409, 'conflict']);
    expect(await scene.store.read(limits)).toBeUndefined();
    expect(await take(scene, undefined, 'a')).toMatchObject({ holder: 'a', transitions: 0 });
  });

  test('cannot be made in a namespace that is not there', async () => {
    const { transport } = side();
    const store = createLeaseStore({ transport, namespace: 'nowhere-at-all', name: 'x' });
    expect(await store.read(limits)).toBeUndefined();
    expect(await refusal(store.write(undefined, claimed(undefined, by('a')), limits))).toEqual([404, 'gone']);
  });

  test('is not written without a duration or a version', async () => {
    const scene = sceneOf(side());
    const made = await take(scene, undefined, 'a');
    const holding = claimed(made, { ...by('a'), durationMs: 0 });
    expect(await refusal(scene.store.write(made, holding, limits))).toEqual([422, 'invalid']);
    const { resourceVersion: _, ...metadata } = made.object.metadata;
    const body = { ...made.object, metadata };
    const call = { method: 'PUT', path: pathOf(scene.name), body } as const;
    expect(await refusal(scene.transport.request(call))).toEqual([422, 'invalid']);
  });

  test('leads one of two, and the other when that one goes, in order or not', async () => {
    const scene = sceneOf(side());
    const stand = (identity: string) => {
      const election = new Election({
        durationMs: 2_000,
        renewDeadlineMs: 1_500,
        retryMs: 200,
        lease: scene.store,
        identity,
        clock: systemClock,
        random: systemRandom,
        log: recordingLog(),
        lost: () => undefined,
      });
      const acquired = election.acquire(new AbortController().signal);
      return { election, acquired };
    };
    const first = stand('first');
    await first.acquired;
    const second = stand('second');
    await until('the second has seen the lease', () => second.election.observation.lease !== undefined);
    expect([first.election.leading(), second.election.leading()]).toEqual([true, false]);
    expect(await first.election.stop(true)).toBeUndefined();
    await second.acquired;
    const third = stand('third');
    await second.election.stop(false);
    expect(third.election.leading()).toBe(false);
    await third.acquired;
    expect(third.election.leading()).toBe(true);
    expect(await third.election.stop(true)).toBeUndefined();
    expect(await scene.store.read(limits)).toMatchObject({ holder: '', transitions: 2 });
  });
});
