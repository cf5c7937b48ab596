// Groups that get much from their templates: no small request makes a large row.
import { expect, test, vi } from 'vitest';
import { imageId, type Json, type Peer, serve, workers } from '../../../contract/support.ts';
import { limitMs } from '../../../support/patience.ts';

const { bigdata_version: hadoop_version, ...unversioned } = workers;
const late = { ...unversioned, hadoop_version };
const length = 300_000;
const configs = (size: number) => ({ HDFS: { 'dfs.replication': 'x'.repeat(size) } });
const groups = (template: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `g${index}`, count: 1, node_group_template_id: template }));

async function makeTemplate(peer: Peer, size: number): Promise<string> {
  const answer = await peer.post('/v1.1/t/node-group-templates', { ...late, node_configs: configs(size) });
  expect(answer.status).toBe(202);
  return answer.body.node_group_template.id;
}

const { plugin_name } = workers;
const clusterOf = (name: string, node_groups: readonly Json[]) => ({
  name,
  plugin_name,
  hadoop_version,
  default_image_id: imageId,
  user_keypair_id: 'key',
  neutron_management_network: imageId,
  node_groups,
});
const templateOf = (name: string, node_groups: readonly Json[]) => ({ name, plugin_name, hadoop_version, node_groups });

function expectTooLong({ status, body }: { readonly status: number; readonly body: Json }): void {
  expect([status, body.error_name]).toEqual([400, 'INVALID_DATA']);
  expect(body.error_message).toContain(
    'cannot use node_groups: with what they have from their templates, they are longer than 1048576 characters',
  );
}

test('clusters and cluster templates are refused when their groups are longer than a request can be', async () => {
  const peer = await serve({ dialect: 'sahara' });
  const id = await makeTemplate(peer, length);
  for (const [path, make] of [
    ['/v1.1/t/cluster-templates', templateOf],
    ['/v1.1/t/clusters', clusterOf],
  ] as const) {
    expectTooLong(await peer.post(path, make('large', groups(id, 200))));
    expect((await peer.post(path, make('small', groups(id, 3)))).status).toBe(202);
  }
});

test('a cluster cannot grow beyond it with one scale after the other', async () => {
  const peer = await serve({ dialect: 'sahara', stageMs: 0 });
  const id = await makeTemplate(peer, length);
  const created = await peer.post('/v1.1/t/clusters', clusterOf('c', groups(id, 2)));
  const path = `/v1.1/t/clusters/${created.body.cluster.id}`;
  const isActive = () =>
    vi.waitFor(async () => expect((await peer.get(path)).body.cluster.status).toBe('Active'), limitMs);
  const scale = (name: string) => peer.put(path, { add_node_groups: [{ name, count: 1, node_group_template_id: id }] });
  await isActive();
  expect((await scale('h')).status).toBe(202);
  await isActive();
  expectTooLong(await scale('i'));
  expect((await peer.put(path, { resize_node_groups: [{ name: 'g0', count: 2 }] })).status).toBe(202);
});
