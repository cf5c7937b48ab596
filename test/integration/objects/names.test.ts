// Clusters whose name the user has fixed: made under exactly that name, proven to be theirs, and strangers left alone.
import { describe, expect, inject, test } from 'vitest';
import { fastClock } from '../../support/fast-clock.ts';
import { type FaultProxy, isWrite, openFront } from '../../support/service-proxy.ts';
import { applyTemplates, conditionOf, type Remote, type Resource, specs, World } from '../support/world.ts';

const named = { ...specs.cluster, name: 'Nightly.etl' } as const;
/** Groups of its own, and no template. */
const bare = {
  name: 'nightly',
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  defaultImageID: specs.small.defaultImageID,
  userKeypairID: 'demo',
  nodeGroups: [
    { name: 'master', count: 1, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] },
    { name: 'worker', count: 2, flavorID: '2', nodeProcesses: ['datanode', 'tasktracker'] },
  ],
};

const refusedFor = (reason: string) => (one: Resource) => conditionOf(one, 'Stalled')?.reason === reason;
const conflict = refusedFor('NameConflict');

/** Somebody starts a cluster without the operator. */
async function startStranger(world: World, name: string): Promise<Remote> {
  const { nodeGroups } = bare;
  const body = {
    name,
    plugin_name: bare.pluginName,
    bigdata_version: bare.bigdataVersion,
    default_image_id: bare.defaultImageID,
    user_keypair_id: bare.userKeypairID,
    node_groups: nodeGroups.map(({ flavorID, nodeProcesses, ...group }) => ({
      ...group,
      flavor_id: flavorID,
      node_processes: nodeProcesses,
    })),
  };
  const headers = { 'content-type': 'application/json' };
  const url = `${world.service.url}/v1.0/demo/clusters`;
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { readonly cluster: Remote }).cluster;
}

async function removeStranger(world: World, { id }: Remote): Promise<void> {
  const answer = await fetch(`${world.service.url}/v1.0/demo/clusters/${id}`, { method: 'DELETE' });
  expect(answer.status).toBe(204);
}

const writesOf = (proxy: Pick<FaultProxy, 'sent'>): readonly string[] =>
  proxy.sent
    .filter(isWrite)
    .map(({ method, collection, id }) => `${method} ${collection}${id === undefined ? '' : ` ${id}`}`);

async function open() {
  const world = await World.create();
  const proxy = await openFront(world.service.url);
  await world.apply('Connection', 'default', { endpoint: proxy.url, tenantID: 'demo', pollSeconds: 1 });
  await world.operate(fastClock(30));
  const close = async () => {
    await world[Symbol.asyncDispose]();
    await proxy.close();
  };
  return { world, proxy, [Symbol.asyncDispose]: close };
}

describe.skipIf(inject('kubeconfig') === '')('a Cluster with a fixed name', () => {
  test('is started under it from a template of its own, scales, and leaves nothing', async () => {
    await using stage = await open();
    const { world, proxy } = stage;
    await applyTemplates(world);
    const small = await world.ready('ClusterTemplate', 'small');
    const before = proxy.sent.length;
    await world.apply('Cluster', 'etl', { ...named, nodeGroups: [{ name: 'worker', count: 1 }] });
    const cluster = await world.ready('Cluster', 'etl');
    expect(cluster.status).toMatchObject({ externalName: 'Nightly.etl', nodes: '2/2' });
    expect(cluster.status?.templateRevision).toBe(small.status?.revision);
    expect(writesOf({ sent: proxy.sent.slice(before) })).toEqual(['POST cluster-templates', 'POST clusters']);

    const [started] = await world.remote('clusters');
    expect(started).toMatchObject({ id: cluster.status?.id, name: 'Nightly.etl' });
    const own = (await world.remote('cluster-templates')).find(({ id }) => id === started?.cluster_template_id);
    expect(own?.name).toMatch(/^nightly-etl-[a-z2-7]{20}$/);
    expect(own?.node_groups?.map(({ name, count }) => [name, count])).toEqual([
      ['master', 1],
      ['worker', 1],
    ]);

    await world.apply('Cluster', 'etl', { ...named, nodeGroups: [{ name: 'worker', count: 3 }] });
    expect((await world.ready('Cluster', 'etl')).status?.nodes).toBe('4/4');
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    expect(await world.remote('clusters')).toEqual([]);
    expect((await world.remote('cluster-templates')).map(({ id }) => id)).toEqual([small.status?.id]);
  });

  test('leaves a stranger of the name alone, says so, and goes on by itself when that is gone', async () => {
    await using stage = await open();
    const { world, proxy } = stage;
    const stranger = await startStranger(world, 'nightly');
    await world.apply('Cluster', 'etl', bare);
    const refused = await world.until('Cluster', 'etl', conflict);
    const { message } = conditionOf(refused, 'Ready') ?? {};
    expect(message).toContain(`the service already has another object with this name (${stranger.id})`);
    expect(message).toContain('with another spec.name');
    const looks = () => proxy.sent.filter(({ collection }) => collection === 'clusters').length;
    const seen = looks();
    await expect.poll(() => looks() - seen, { timeout: 30_000 }).toBeGreaterThan(2);
    expect(writesOf(proxy)).toEqual([]);
    expect((await world.get('Cluster', 'etl'))?.metadata.finalizers ?? []).toEqual([]);

    await removeStranger(world, stranger);
    const { status } = await world.ready('Cluster', 'etl');
    expect((await world.remote('clusters')).map(({ id }) => id)).toEqual([status?.id]);
  });

  test('is deleted beside a stranger of its name without touching that', async () => {
    await using stage = await open();
    const { world, proxy } = stage;
    const stranger = await startStranger(world, 'nightly');
    await world.apply('Cluster', 'etl', bare);
    await world.until('Cluster', 'etl', conflict);
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    expect(writesOf(proxy)).toEqual([]);
    expect((await world.remote('clusters')).map(({ id }) => id)).toEqual([stranger.id]);
  });

  test('is found again by its proof when the answer to its start was lost', async () => {
    await using stage = await open();
    const { world, proxy } = stage;
    proxy.on({ method: 'POST', collection: 'cluster-templates' }, { act: 'lose', after: 'commit' }, 1);
    proxy.on({ method: 'POST', collection: 'clusters' }, { act: 'lose', after: 'commit' }, 1);
    await world.apply('Cluster', 'etl', bare);
    const { status } = await world.ready('Cluster', 'etl');
    expect((await world.remote('clusters')).map(({ id }) => id)).toEqual([status?.id]);
    expect(writesOf(proxy)).toEqual(['POST cluster-templates', 'POST clusters']);
  });

  test('yields to a stranger that takes the name in the last moment, and is deleted at once then', async () => {
    const taken: Remote[] = [];
    await using stage = await open();
    const { world, proxy } = stage;
    proxy.listen({
      before: async ({ method, collection }) => {
        if (method === 'POST' && collection === 'clusters') taken.push(await startStranger(world, 'nightly'));
      },
    });
    await world.apply('Cluster', 'etl', bare);
    await world.until('Cluster', 'etl', conflict);
    expect(writesOf(proxy)).toEqual(['POST cluster-templates', 'POST clusters']);
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    expect((await world.remote('clusters')).map(({ id }) => id)).toEqual(taken.map(({ id }) => id));
    expect(await world.remote('cluster-templates')).toEqual([]);
    expect(writesOf(proxy).slice(2)).toEqual([expect.stringMatching(/^DELETE cluster-templates /)]);
  });

  test('that two resources want is that of the first, and of the second once the first is gone', async () => {
    await using stage = await open();
    const { world } = stage;
    await world.apply('Cluster', 'one', bare);
    const first = await world.ready('Cluster', 'one');
    await world.apply('Cluster', 'two', bare);
    const refused = await world.until('Cluster', 'two', conflict);
    expect(conditionOf(refused, 'Ready')?.message).toContain(
      `(${first.status?.id}, of Cluster/${world.namespace}/one)`,
    );
    await world.delete('Cluster', 'one');
    await world.gone('Cluster', 'one');
    const second = await world.ready('Cluster', 'two');
    expect((await world.remote('clusters')).map(({ id }) => id)).toEqual([second.status?.id]);
  });

  test('is not refused for ever: an edit after a refusal makes another template, and the first goes', async () => {
    await using stage = await open();
    const { world, proxy } = stage;
    const body = { error_code: 400, error_name: 'QUOTA_EXCEEDED', error_message: 'not that many' };
    const refusal = proxy.on(
      { method: 'POST', collection: 'clusters' },
      { act: 'answer', reply: { status: 400, body: JSON.stringify(body) } },
    );
    await world.apply('Cluster', 'etl', bare);
    await world.until('Cluster', 'etl', (one) => conditionOf(one, 'Ready')?.reason === 'ExternalRejected');
    refusal.lift();
    const [master, worker] = bare.nodeGroups;
    await world.apply('Cluster', 'etl', { ...bare, nodeGroups: [master, { ...worker, count: 1 }] });
    const { status } = await world.ready('Cluster', 'etl');
    expect(status?.nodes).toBe('2/2');
    const [started] = await world.remote('clusters');
    await expect
      .poll(async () => (await world.remote('cluster-templates')).map(({ id }) => id), { timeout: 30_000 })
      .toEqual([started?.cluster_template_id]);
  });
});
