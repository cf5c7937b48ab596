// Many resources that come and go with one command: everything ends clean, and few words are made of it.
import { expect, inject, test, vi } from 'vitest';
import { inParallel } from '../../../dev/bench/client.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { limitMs } from '../../support/patience.ts';
import { applyTemplates, conditionOf, type Resource, specs, World } from './world.ts';

const patience = { timeout: limitMs, interval: 250 };

async function itemsOf(world: World, path: string): Promise<readonly Resource[]> {
  const { body } = await world.api.send({ path });
  return (body as { readonly items: readonly Resource[] }).items;
}

const clusters = (world: World) => itemsOf(world, world.path('Cluster'));
const events = async (world: World) =>
  (await itemsOf(world, `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`)).length;

async function allReady(world: World, many: number): Promise<void> {
  await vi.waitFor(async () => {
    const ready = (await clusters(world)).filter((one) => conditionOf(one, 'Ready')?.status === 'True');
    expect(ready.length).toBe(many);
  }, patience);
}

async function allGone(world: World): Promise<void> {
  await vi.waitFor(async () => expect((await clusters(world)).length).toBe(0), patience);
  expect(await world.remote('clusters')).toEqual([]);
}

/** What follows from what was seen is written, too: two looks find the same. */
async function quiet(look: () => number | Promise<number>): Promise<void> {
  let before = -1;
  await vi.waitFor(
    async () => {
      const [now, then] = [await look(), before];
      before = now;
      expect(now).toBe(then);
    },
    { ...patience, interval: 500 },
  );
}

/** So many Clusters. */
export function masses(many: number): void {
  const names = Array.from({ length: many }, (_, n) => `mass-${n}`);
  /** With no more requests at once than a command has. */
  const each = (act: (name: string) => Promise<unknown>) => inParallel(names, 8, act);

  test.skipIf(inject('kubeconfig') === '')(
    `${many} Clusters are made and deleted with two events each, what is begun and what came of it, the second apply is for nothing, and nothing is left`,
    async () => {
      await using world = await World.create({ stageMs: 300 });
      await world.operate(systemClock);
      await world.connectService();
      await applyTemplates(world);
      await world.ready('ClusterTemplate', 'small');
      await quiet(() => events(world));
      const before = await events(world);
      await each((name) => world.apply('Cluster', name, specs.cluster));
      await allReady(world, many);
      expect((await world.remote('clusters')).length).toBe(many);
      // What the Connection counts is written when things are quiet: three templates, too.
      const isCounted = ({ status }: Resource) => status?.managedCount === many + 3 && status.unclaimedCount === 0;
      await world.until('Connection', 'default', isCounted);
      await quiet(() => world.writes().length);
      world.forget();
      await each((name) => world.apply('Cluster', name, specs.cluster));
      expect(world.writes()).toEqual([]);
      await vi.waitFor(async () => expect(await events(world)).toBeGreaterThanOrEqual(before + 2 * many), patience);
      const made = await events(world);
      expect(made - before).toBeLessThan(2.2 * many);
      world.forget();
      await each((name) => world.delete('Cluster', name));
      await allGone(world);
      // One DELETE each; that they are gone is seen in lists, which serve all of them.
      const ofOne = world.external.filter((line) => /\/clusters\/[^/]+$/.test(line));
      expect(ofOne.map((line) => line.replace(/ .*/, ''))).toEqual(names.map(() => 'DELETE'));
      await vi.waitFor(async () => expect(await events(world)).toBeGreaterThanOrEqual(made + 2 * many), patience);
      expect((await events(world)) - made).toBeLessThan(2.2 * many);
    },
    300_000,
  );

  test.skipIf(inject('kubeconfig') === '')(
    'what is deleted while it is still being made, templates, Connection and all, leaves nothing behind',
    async () => {
      await using world = await World.create({ stageMs: 300, quarantineMs: 1_000 });
      await world.operate(systemClock);
      await world.connectService();
      await applyTemplates(world);
      const applying = each((name) => world.apply('Cluster', name, specs.cluster));
      await vi.waitFor(async () => expect((await world.remote('clusters')).length).toBeGreaterThan(many / 3), patience);
      await world.delete('Connection', 'default');
      await world.delete('NodeGroupTemplate', 'worker');
      await world.delete('ClusterTemplate', 'small');
      await world.delete('NodeGroupTemplate', 'master');
      await applying;
      await each((name) => world.delete('Cluster', name));
      await allGone(world);
      for (const [kind, name] of [
        ['ClusterTemplate', 'small'],
        ['NodeGroupTemplate', 'worker'],
        ['NodeGroupTemplate', 'master'],
        ['Connection', 'default'],
      ] as const)
        await world.gone(kind, name, patience.timeout);
      expect(await world.remote('cluster-templates')).toEqual([]);
      expect(await world.remote('node-group-templates')).toEqual([]);
    },
    300_000,
  );
}
