// Refusals that name what else is there: who uses what is to be deleted, the groups of a cluster, and the machines of a tenant.
import { expect, test } from 'vitest';
import { createActive, createWorkers, serve, workers } from '../../../contract/support.ts';

const base = '/v1.0/t';

test('what is in use names its users, each by its kind', async () => {
  const peer = await serve();
  const id = await createWorkers(peer);
  const node_groups = [{ name: 'g', count: 1, node_group_template_id: id }];
  const { plugin_name, bigdata_version } = workers;
  const template = await peer.post(`${base}/cluster-templates`, {
    name: 'small',
    plugin_name,
    bigdata_version,
    node_groups,
  });
  expect(template.status).toBe(202);
  await createActive(peer, { name: 'analytics', node_groups });
  expect((await peer.remove(`${base}/node-group-templates/${id}`)).body.error_message).toBe(
    `cannot delete node group template ${id}: it is in use by cluster template small, cluster analytics`,
  );
});

test('of many users, ten are named', async () => {
  const peer = await serve();
  const id = await createWorkers(peer);
  const { plugin_name, bigdata_version } = workers;
  const node_groups = [{ name: 'g', count: 1, node_group_template_id: id }];
  const names = Array.from({ length: 13 }, (_, index) => `users-${index}`);
  for (const name of names)
    await peer.post(`${base}/cluster-templates`, { name, plugin_name, bigdata_version, node_groups });
  const named = names.slice(0, 10).map((name) => `cluster template ${name}`);
  expect((await peer.remove(`${base}/node-group-templates/${id}`)).body.error_message).toBe(
    `cannot delete node group template ${id}: it is in use by ${named.join(', ')} and 3 more`,
  );
});

test('a refusal tells no more than anybody reads', async () => {
  const peer = await serve();
  const { status, body } = await peer.post(`${base}/clusters`, { ['x'.repeat(500_000)]: 1 });
  expect([status, body.error_message.length, body.error_message.at(-1)]).toEqual([400, 16 * 1024, '…']);
});

test('a group that is not there: those that are', async () => {
  const peer = await serve();
  const { id, name } = await createActive(peer);
  const { body } = await peer.put(`${base}/clusters/${id}`, { resize_node_groups: [{ name: 'gg', count: 2 }] });
  expect(body.error_message).toBe(
    `cannot resize node group gg of cluster ${name}: there is no such group; its groups are workers, master`,
  );
});

test('machines beyond the quota: how many are in use, and what to do', async () => {
  const peer = await serve({ catalog: { quota: 4 } });
  const { id } = await createActive(peer);
  const { body } = await peer.put(`${base}/clusters/${id}`, { resize_node_groups: [{ name: 'workers', count: 5 }] });
  expect(body.error_message).toBe(
    'cannot place 6 machines: 0 of 4 are in use; ask for fewer, delete clusters, or start the service with a larger --quota',
  );
});
