// Watches under fire: however the API server, or what stands before it, fails, the operator finds back, and makes nothing twice.
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { statusBody } from '../../support/kubernetes/api-proxy.ts';
import { below, patience, Scene } from '../support/scene.ts';

const clusters = { path: below('clusters') };
const clusterWatch = { ...clusters, watch: true };
const expired = statusBody(410, 'Expired', 'too old resource version: 1 (9)');

describe.skipIf(inject('kubeconfig') === '')('an operator whose API server', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.running();
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    scene.proxy.calm();
    await scene.well();
  });

  /** How many lists of Clusters the work makes necessary. */
  async function relistsDuring(work: () => Promise<unknown>): Promise<number> {
    const before = await scene.relists('Cluster');
    await work();
    return (await scene.relists('Cluster')) - before;
  }

  test.each(['closed', 'cut'] as const)(
    'has %s all watches goes on from where they were, without a list',
    async (how) => {
      const { proxy } = scene;
      const before = proxy.passed.length;
      const relists = await relistsDuring(async () => {
        proxy.endWatches({}, how);
        await scene.rescale();
        await scene.converges();
        await scene.well();
      });
      expect(relists).toBe(0);
      const since = proxy.passed.slice(before).filter(({ watch }) => watch);
      expect(since.length).toBeGreaterThan(1);
      expect(since.filter(({ query }) => query.has('sendInitialEvents'))).toEqual([]);
    },
  );

  test.each([
    ['status', () => scene.proxy.endWatches(clusterWatch)],
    ['event', () => scene.proxy.endWatches(clusterWatch, 'closed', { type: 'ERROR', object: expired })],
  ] as const)('has forgotten a version, told by %s, lists that kind anew', async (how, end) => {
    const others = await scene.relists('Secret');
    const relists = await relistsDuring(async () => {
      if (how === 'status')
        scene.proxy.rule({ ...clusterWatch, behave: 'answer', status: 410, body: expired, times: 1 });
      end();
      await scene.rescale();
      await scene.converges();
    });
    expect(relists).toBe(1);
    expect(await scene.relists('Secret')).toBe(others);
  });

  test('has lost every connection without a word gives them up after the silence', async () => {
    const { proxy, clock } = scene;
    expect(proxy.freeze()).toBeGreaterThan(5);
    expect(proxy.watches()).toEqual([]);
    await scene.rescale();
    clock.leap(150_000);
    await scene.converges();
    await scene.well();
  });

  test('is behind a network that drops everything for long says so in its readiness, and recovers', async () => {
    const { proxy, clock, world } = scene;
    proxy.rule({ behave: 'swallow' });
    proxy.freeze();
    await scene.rescale();
    clock.leap(150_000);
    await scene.unready(/: cannot watch .*: no byte for 150000 ms$/);
    expect((await world.remote('clusters')).length).toBe(1);
    proxy.calm();
    clock.leap(150_000);
    await scene.converges();
    await scene.well();
  });

  test('refuses everything for long says so in its readiness, takes nothing for deleted, and recovers', async () => {
    const { proxy, world } = scene;
    proxy.rule({ behave: 'answer', status: 503, body: 'no healthy upstream\n' });
    proxy.endWatches({});
    await scene.rescale();
    await scene.unready(/: cannot watch .*: 503 no healthy upstream$/);
    expect((await world.remote('clusters')).length).toBe(1);
    proxy.calm();
    await scene.converges();
    await scene.well();
  });

  test('has yet to reach the version of a watch lists that kind anew after the silence', async () => {
    const { proxy, clock } = scene;
    const before = await scene.relists('Cluster');
    // A list of before the restore of an older backup.
    proxy.rule({
      path: /\/clusters$/,
      behave: 'edit',
      text: (text) => text.replaceAll(/("resourceVersion":")\d+/g, '$1999999999'),
    });
    proxy.endWatches(clusterWatch, 'closed', { type: 'ERROR', object: expired });
    await expect.poll(() => scene.relists('Cluster'), patience).toBe(before + 1);
    proxy.calm();
    proxy.endWatches(clusterWatch);
    const starts = () => proxy.watches(clusterWatch).map(({ query, status }) => [query.get('resourceVersion'), status]);
    await expect.poll(starts, patience).toEqual([['999999999', 200]]);
    await scene.rescale();
    // The proxy sees the watch begin before the operator does, which counts the silence from then on: one leap may come too early.
    const relisted = async () => {
      const relists = await scene.relists('Cluster');
      if (relists === before + 1) clock.leap(150_000);
      return relists;
    };
    await expect.poll(relisted, { ...patience, interval: 3_000 }).toBe(before + 2);
    await scene.converges();
    expect(await scene.relists('Cluster')).toBe(before + 2);
  });

  test('does not serve a kind for a while deletes nothing, and names the definition in its readiness', async () => {
    const { proxy, world } = scene;
    const before = await world.remote('clusters');
    const relists = await relistsDuring(async () => {
      proxy.rule({ ...clusters, behave: 'answer', status: 404, body: '404 page not found\n' });
      proxy.endWatches(clusterWatch);
      await scene.rescale();
      await scene.unready(/cannot (watch|list) clusters.*: 404 .*CustomResourceDefinition/);
      expect(await world.remote('clusters')).toEqual(before);
      proxy.calm();
      await scene.converges();
    });
    expect(relists).toBe(1);
    await scene.well();
  });
});

describe.skipIf(inject('kubeconfig') === '')('an operator that starts', () => {
  test('while the API server refuses everything does its work once that recovers', async () => {
    await using scene = await Scene.open();
    const { proxy } = scene;
    proxy.rule({ behave: 'answer', status: 503, body: 'no healthy upstream\n' });
    await scene.rescale();
    const started = scene.operate();
    await expect.poll(() => proxy.seen(clusterWatch).length, patience).toBeGreaterThan(2);
    proxy.calm();
    await started;
    await scene.converges();
    expect(await scene.relists('Cluster')).toBe(0);
  });
});
