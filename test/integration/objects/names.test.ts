// Clusters whose name the user has fixed: made under exactly that name, proven to be theirs, and strangers left alone.
import { describe, expect, inject, test } from 'vitest';
import { fastClock } from '../../support/fast-clock.ts';
import { type FaultProxy, isWrite, openFront } from '../../support/service-proxy.ts';
import { conditionOf, type Remote, type Resource, specs, World } from '../support/world.ts';

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
});
