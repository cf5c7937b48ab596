// The store's writes on a real API server: what they leave behind, and what becomes of them when others write, too.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultStatus } from '../../../dev/generate/crd.ts';
import type { ApiTransport } from '../../../src/kube/http/transport.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import type { KubernetesStore } from '../../../src/operator/kube/kubernetes-store.ts';
import { type Follower, inParallel, noPlane, PlaneBench } from './support/plane-bench.ts';
import { until } from './support/ports.ts';

const finalizer = 'dataprocessing.dev/external';
const ledger = 'dataprocessing.dev/ledger';

describe.skipIf(noPlane)('on a real API server', () => {
  let bench: PlaneBench;
  let follower: Follower;
  let store: KubernetesStore;
  let number = 0;
  let name = '';

  beforeAll(async () => {
    bench = await PlaneBench.open('kube-writes');
  });
  afterAll(() => bench?.close());

  beforeEach(async () => {
    number += 1;
    name = `one-${number}`;
    await bench.apply(name, { size: 1 });
    follower = bench.follow();
    ({ store } = follower);
    await follower.synced();
    follower.changes.length = 0;
  });
  afterEach(() => follower?.stop());

  function cached(): RawResource {
    const object = store.read({ kind: 'Widget', namespace: bench.namespace, name });
    if (object === undefined) throw new Error(`${name} is not in the cache`);
    return object;
  }

  /** Waits until everything that happened so far has come by the watch: a later change has. */
  async function watchHasCaughtUp(): Promise<void> {
    const marker = `marker-${(number += 1)}`;
    await bench.apply(marker, {});
    await until(
      'the marker is seen',
      () => store.read({ kind: 'Widget', namespace: bench.namespace, name: marker }) !== undefined,
    );
    follower.changes.splice(0, Infinity, ...follower.changes.filter(({ key }) => key.name !== marker));
  }

  describe('claim', () => {
    it('of an object that is being deleted at the same time fails, or the finalizer keeps the object', async () => {
      await follower.stop();
      /** Objects whose deletion was answered, and those of them that the store asked for after that. */
      const deleted = new Set<string>();
      const asked = new Set<string>();
      const transport: ApiTransport = {
        request: (call) => {
          if (call.method === 'GET' && deleted.has(call.path)) asked.add(call.path);
          return bench.transport.request(call);
        },
        stream: (call) => bench.transport.stream(call),
        close: () => bench.transport.close(),
      };
      follower = bench.follow({ transport, lateDeletion: { leastMs: 100, withinMs: 1_500 } });
      ({ store } = follower);
      await follower.synced();
      const ends = { refused: 0, late: 0, kept: 0, outlasted: 0, missed: 0 };
      /** Begins to delete so many ms before or after it claims. */
      const race = async (ms: number): Promise<void> => {
        const one = `late-${(number += 1)}`;
        await bench.apply(one, {});
        const key = { kind: 'Widget', namespace: bench.namespace, name: one };
        await until('it is in the cache', () => store.read(key) !== undefined);
        const known = store.read(key) as RawResource;
        const deletion = pause(Math.max(0, ms))
          .then(() => bench.delete(one))
          .then(() => deleted.add(bench.path(one)));
        await pause(Math.max(0, -ms));
        const end = await store.claim(known, '{}').then(
          () => 'kept' as const,
          (error: Error) => (error.message.includes('was deleted while') ? 'late' : 'refused'),
        );
        await deletion;
        const lost = asked.has(bench.path(one)) ? 'missed' : 'outlasted';
        ends[end === 'kept' && (await bench.get(one)) === undefined ? lost : end] += 1;
      };
      const around = Array.from({ length: 200 }, (_, at) => (at % 20) - 10);
      // How long a server takes tells when the two meet.
      do await inParallel(around, 8, race);
      while (ends.late + ends.outlasted + ends.missed < 20 || ends.kept === 0);
      expect(ends.missed, JSON.stringify(ends)).toBe(0);
      // A deletion that takes effect after the store asked: nothing that a client can do rules that out.
      expect(ends.outlasted, JSON.stringify(ends)).toBeLessThan(ends.late);
    });

    it('sets finalizer and ledger, which the next read sees, and wakes nobody', async () => {
      await store.claim(cached(), '{"v":1}');
      expect(cached().metadata).toMatchObject({ finalizers: [finalizer], annotations: { [ledger]: '{"v":1}' } });
      await watchHasCaughtUp();
      expect(follower.changes).toEqual([]);
      expect(follower.own).toHaveLength(1);
      expect((await bench.get(name))?.metadata).toMatchObject({ annotations: { [ledger]: '{"v":1}' }, generation: 1 });
    });

    it('is a compare-and-set: of two from the same version one wins', async () => {
      const base = cached();
      const outcomes = await Promise.allSettled([store.claim(base, '"a"'), store.claim(base, '"b"')]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { category: 'conflict' } });
    });

    it('from an old version is a conflict', async () => {
      const base = cached();
      await bench.apply(name, { size: 2 });
      await expect(store.claim(base, '{}')).rejects.toMatchObject({ category: 'conflict', status: 409 });
    });

    it('of another uid is a conflict, and so is one of an object that is gone: it makes none', async () => {
      const base = cached();
      const other = { ...base, metadata: { ...base.metadata, uid: '00000000-0000-0000-0000-000000000000' } };
      await expect(store.claim(other, '{}')).rejects.toMatchObject({ category: 'conflict' });
      await bench.delete(name);
      await expect(store.claim(base, '{}')).rejects.toMatchObject({ category: 'conflict' });
      expect(await bench.get(name)).toBeUndefined();
    });

    it('takes over what a backup restored with the fields of another manager', async () => {
      const theirs = { finalizers: [finalizer, 'others/one'], annotations: { [ledger]: 'old', mine: 'kept' } };
      await bench.apply(name, { size: 1 }, theirs);
      await watchHasCaughtUp();
      const claimed = await store.claim(cached(), 'new');
      expect(claimed.metadata.annotations).toEqual({ [ledger]: 'new', mine: 'kept' });
      expect(claimed.metadata.finalizers?.toSorted()).toEqual([finalizer, 'others/one']);
    });

    it('again with the same ledger changes nothing, not even the version', async () => {
      const first = await store.claim(cached(), '{}');
      const second = await store.claim(cached(), '{}');
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    it('of a terminating object without the finalizer is refused for good', async () => {
      await bench.apply(name, { size: 1 }, { finalizers: ['others/one'] });
      await bench.delete(name);
      await watchHasCaughtUp();
      expect(cached().metadata.deletionTimestamp).toBeDefined();
      await expect(store.claim(cached(), '{}')).rejects.toMatchObject({ category: 'invalid', status: 422 });
      await bench.apply(name, { size: 1 }, { finalizers: [] });
    });
  });

  describe('release', () => {
    it('takes off our finalizer and leaves the annotation and the others', async () => {
      await bench.apply(name, { size: 1 }, { finalizers: ['others/one'] });
      await watchHasCaughtUp();
      await store.claim(cached(), '{}');
      await store.release(cached());
      expect(cached().metadata).toMatchObject({ finalizers: ['others/one'], annotations: { [ledger]: '{}' } });
      expect((await bench.get(name))?.metadata.finalizers).toEqual(['others/one']);
    });

    it('takes it off also when somebody else owns it as well', async () => {
      await store.claim(cached(), '{}');
      await bench.apply(name, { size: 1 }, { finalizers: [finalizer] });
      await watchHasCaughtUp();
      await store.release(cached());
      expect((await bench.get(name))?.metadata.finalizers).toBeUndefined();
    });

    it('lets a terminating object go, which is told', async () => {
      await store.claim(cached(), '{}');
      await bench.delete(name);
      await watchHasCaughtUp();
      follower.changes.length = 0;
      await store.release(cached());
      await until('the deletion is told', () => follower.changes.length === 1);
      expect(follower.changes[0]).toMatchObject({ key: { name }, current: undefined });
      expect(store.read({ kind: 'Widget', namespace: bench.namespace, name })).toBeUndefined();
      expect(await bench.get(name)).toBeUndefined();
    });

    it('of what is gone is done; from an old version or of another uid it is a conflict', async () => {
      const base = await store.claim(cached(), '{}');
      const other = { ...base, metadata: { ...base.metadata, uid: '00000000-0000-0000-0000-000000000000' } };
      await expect(store.release(other)).rejects.toMatchObject({ category: 'conflict' });
      await bench.apply(name, { size: 2 });
      await expect(store.release(base)).rejects.toMatchObject({ category: 'conflict' });
      await store.release((await store.readFresh({ kind: 'Widget', namespace: bench.namespace, name })) ?? base);
      await bench.delete(name);
      await store.release(base);
    });
  });

  describe('writeStatus', () => {
    const ready = { observedGeneration: 1, phase: 'Ready', conditions: [{ type: 'Ready', status: 'True' }] };

    it('is seen by the next read, wakes nobody and does not touch the spec', async () => {
      const written = await store.writeStatus(cached(), ready);
      expect(written.status).toEqual(ready);
      expect(cached().status).toEqual(ready);
      await watchHasCaughtUp();
      expect(follower.changes).toEqual([]);
      expect(follower.own.map(({ previous }) => previous?.status)).toEqual([defaultStatus]);
      expect(await bench.get(name)).toMatchObject({ spec: { size: 1 }, metadata: { generation: 1 } });
    });

    it('is complete: what is left out goes', async () => {
      await store.writeStatus(cached(), ready);
      await store.writeStatus(cached(), { observedGeneration: 2 });
      expect((await bench.get(name))?.status).toEqual({ observedGeneration: 2 });
    });

    it('does not mind the order of conditions', async () => {
      const conditions = ['C', 'A', 'B'].map((type) => ({ type, status: 'True' }));
      await store.writeStatus(cached(), { observedGeneration: 1, conditions });
      await store.writeStatus(cached(), { observedGeneration: 1, conditions: conditions.toReversed() });
    });

    it('takes out a condition that was added by hand, with the same request', async () => {
      await store.writeStatus(cached(), ready);
      const path = `${bench.path(name)}/status`;
      const conditions = [...ready.conditions, { type: 'Handmade', status: 'True' }];
      await bench.server.send({ method: 'PATCH', path, body: { status: { conditions } } });
      await watchHasCaughtUp();
      expect((cached().status as typeof ready).conditions).toHaveLength(2);
      const before = bench.reports.length;
      const written = await store.writeStatus(cached(), { ...ready, phase: 'Busy' });
      expect(written.status).toEqual({ ...ready, phase: 'Busy' });
      expect(bench.reports.slice(before).map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
        'patch widgets/status',
      ]);
      await store.writeStatus(written, { observedGeneration: 3 });
      expect((await bench.get(name))?.status).toEqual({ observedGeneration: 3 });
    });

    it('from an old version is a conflict', async () => {
      const base = cached();
      await bench.apply(name, { size: 2 });
      await expect(store.writeStatus(base, ready)).rejects.toMatchObject({ category: 'conflict', status: 409 });
    });

    it('of an object that is gone is gone, and of a new one of that name a conflict', async () => {
      const base = cached();
      await bench.delete(name);
      await expect(store.writeStatus(base, ready)).rejects.toMatchObject({ category: 'gone' });
      await bench.apply(name, { size: 1 });
      await expect(store.writeStatus(base, ready)).rejects.toMatchObject({ category: 'conflict' });
    });

    it('that does not fit the schema is invalid, not a server error to be repeated', async () => {
      const wrong = store.writeStatus(cached(), { unheardOf: 1 });
      await expect(wrong).rejects.toMatchObject({ category: 'invalid', status: 500 });
      await expect(store.writeStatus(cached(), { phase: 7 })).rejects.toMatchObject({ category: 'invalid' });
    });

    it('tells of the change of spec that came together with it', async () => {
      const writing = store.writeStatus(cached(), ready);
      await writing;
      await bench.apply(name, { size: 5 });
      await watchHasCaughtUp();
      expect(follower.changes).toHaveLength(1);
      expect(follower.changes[0]).toMatchObject({
        previous: { status: ready },
        current: { spec: { size: 5 }, status: ready },
      });
    });
  });

  it('never wakes itself, however many statuses are written at once', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `${name}-${index}`);
    await inParallel(names, 8, (each) => bench.apply(each, { size: 1 }));
    await watchHasCaughtUp();
    follower.changes.length = 0;
    const key = { kind: 'Widget', namespace: bench.namespace };
    for (const phase of ['A', 'B', 'C']) {
      await inParallel(names, 16, async (each) => {
        const object = store.read({ ...key, name: each });
        if (object !== undefined) await store.writeStatus(object, { observedGeneration: 1, phase });
      });
    }
    await watchHasCaughtUp();
    expect(follower.changes).toEqual([]);
    expect(follower.own).toHaveLength(180);
    await follower.caughtUp(bench);
  });

  it('tells of every foreign change, however close to its own writes', async () => {
    const key = { kind: 'Widget', namespace: bench.namespace, name };
    let conflicts = 0;
    let running = true;
    const writer = (async () => {
      for (let round = 0; running; round += 1) {
        await store.writeStatus(cached(), { phase: `${round}` }).catch((error: { category: string }) => {
          if (error.category !== 'conflict') throw error;
          conflicts += 1;
        });
      }
    })();
    for (let size = 2; size < 60; size += 1) await bench.apply(name, { size });
    running = false;
    await writer;
    await watchHasCaughtUp();
    const generations = follower.changes
      .filter((change) => change.key.name === name)
      .map(({ current }) => current?.metadata.generation);
    expect(new Set(generations)).toEqual(new Set(Array.from({ length: 58 }, (_, index) => index + 2)));
    expect(store.read(key)?.spec).toEqual({ size: 59 });
    expect(conflicts).toBeGreaterThan(0);
  });
});
