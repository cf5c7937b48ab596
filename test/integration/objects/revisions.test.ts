// Edits of templates: they flow on to what refers to them, running clusters keep what they have, and nothing referred to is ever missing.
import { describe, expect, inject, test } from 'vitest';
import { fastClock } from '../../support/fast-clock.ts';
import { flavorOf, larger, revised } from '../support/revisions.ts';
import { applyTemplates, conditionOf, type Remote, specs, World } from '../support/world.ts';

/** What two looks at users of templates, with a look at the templates between them, show to be missing. */
async function missing(world: World): Promise<readonly string[]> {
  const users = async () => [...(await world.remote('clusters')), ...(await world.remote('cluster-templates'))];
  const before = new Set((await users()).map(({ id }) => id));
  const templates = [...(await world.remote('node-group-templates')), ...(await world.remote('cluster-templates'))];
  const there = new Set(templates.map(({ id }) => id));
  const still = (await users()).filter(({ id }) => before.has(id));
  return still.flatMap((user) =>
    referredTo(user)
      .filter((id) => !there.has(id))
      .map((id) => `${user.name} refers to ${id}`),
  );
}

function referredTo({ cluster_template_id: template, node_groups: groups = [] }: Remote): readonly string[] {
  return [template, ...groups.map((group) => group.node_group_template_id)].flatMap((id) => id ?? []);
}

/** Looks again and again until it is stopped, and then tells what was missing at any time. */
function watchService(world: World): { stop(): Promise<readonly string[]> } {
  const seen = new Set<string>();
  let stopped = false;
  const watching = (async () => {
    while (!stopped) for (const one of await missing(world)) seen.add(one);
  })();
  return {
    async stop() {
      stopped = true;
      await watching;
      return [...seen];
    },
  };
}

describe.skipIf(inject('kubeconfig') === '')('an edited NodeGroupTemplate', () => {
  test('makes new revisions of itself and of what refers to it; running clusters keep theirs and say so', async () => {
    await using world = await World.create();
    await world.connectService({ pollSeconds: 1 });
    await world.operate(fastClock(30));
    await applyTemplates(world);
    await world.apply('Cluster', 'etl', specs.cluster);
    const cluster = await world.ready('Cluster', 'etl');
    const [master, worker, small] = await Promise.all([
      world.ready('NodeGroupTemplate', 'master'),
      world.ready('NodeGroupTemplate', 'worker'),
      world.ready('ClusterTemplate', 'small'),
    ]);
    expect(cluster.status?.templateRevision).toBe(small.status?.revision);
    expect(conditionOf(cluster, 'TemplateOutdated')).toBeUndefined();
    const watching = watchService(world);
    world.forget();

    await world.apply('NodeGroupTemplate', 'worker', larger);
    const newWorker = await world.until('NodeGroupTemplate', 'worker', revised(worker));
    const newSmall = await world.until('ClusterTemplate', 'small', revised(small));
    const outdated = await world.until('Cluster', 'etl', (one) => conditionOf(one, 'TemplateOutdated') !== undefined);
    expect(conditionOf(outdated, 'TemplateOutdated')).toMatchObject({
      status: 'True',
      reason: 'NewerRevision',
      message: expect.stringContaining(`ClusterTemplate small has revision ${newSmall.status?.revision} now`),
    });
    expect(conditionOf(outdated, 'Ready')?.status).toBe('True');
    expect(outdated.status?.templateRevision).toBe(small.status?.revision);
    expect((await world.get('NodeGroupTemplate', 'master'))?.status?.id).toBe(master.status?.id);
    expect(newWorker.status?.revisions).toEqual([worker.status?.revision, newWorker.status?.revision]);

    // A new cluster is made of the new revision; a group that is added to the running one is, too, and scaling needs none.
    await world.apply('Cluster', 'new', specs.cluster);
    const another = await world.ready('Cluster', 'new');
    expect(another.status?.templateRevision).toBe(newSmall.status?.revision);
    expect(await flavorOf(world, another, 'worker')).toBe('4');
    const extra = { name: 'extra', count: 1, nodeGroupTemplateRef: { name: 'worker' } };
    await world.apply('Cluster', 'etl', { ...specs.cluster, nodeGroups: [{ name: 'worker', count: 3 }, extra] });
    const scaled = await world.ready('Cluster', 'etl');
    expect(scaled.status?.nodes).toBe('5/5');
    expect([await flavorOf(world, scaled, 'worker'), await flavorOf(world, scaled, 'extra')]).toEqual(['2', '4']);
    expect((await world.remote('cluster-templates')).length).toBe(2);

    // With the last cluster that uses them the former revisions go.
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    await world.until('NodeGroupTemplate', 'worker', (one) => one.status?.revisions?.length === 1);
    expect((await world.remote('cluster-templates')).map(({ id }) => id)).toEqual([newSmall.status?.id]);
    const left = (await world.remote('node-group-templates')).map(({ id }) => id);
    expect(new Set(left)).toEqual(new Set([master.status?.id, newWorker.status?.id]));
    expect(await watching.stop()).toEqual([]);
    // The service refuses to delete what is in use: it was never asked to.
    expect(world.failures.filter((category) => category === 'rejected' || category === 'conflict')).toEqual([]);
  });

  test('that is applied together with a cluster: the cluster has the new revision, or says that there is one', async () => {
    await using world = await World.create();
    await world.connectService({ pollSeconds: 1 });
    await world.operate(fastClock(30));
    await applyTemplates(world);
    const small = await world.ready('ClusterTemplate', 'small');
    await Promise.all([
      world.apply('Cluster', 'etl', specs.cluster),
      world.apply('NodeGroupTemplate', 'worker', larger),
      world.apply('Cluster', 'etl-2', specs.cluster),
    ]);
    const newSmall = await world.until('ClusterTemplate', 'small', revised(small));
    for (const name of ['etl', 'etl-2']) {
      await world.ready('Cluster', name);
      const told = await world.until('Cluster', name, (one) => {
        const outdated = conditionOf(one, 'TemplateOutdated') !== undefined;
        return outdated !== (one.status?.templateRevision === newSmall.status?.revision);
      });
      const isNew = conditionOf(told, 'TemplateOutdated') === undefined;
      expect(await flavorOf(world, told, 'worker')).toBe(isNew ? '4' : '2');
    }
  });
});
