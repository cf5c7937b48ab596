// Clusters of thousands of machines are read, in LISTs and alone. Of larger ones, only what identifies them is read.
import { describe, expect, test } from 'vitest';
import { readRow } from '../../../../src/operator/client/http/answer.ts';
import { ListReading } from '../../../../src/operator/client/list/list-reading.ts';
import { viewOfList } from '../../../../src/operator/client/list/list-view.ts';
import type { Cluster } from '../../../../src/wire/cluster.ts';
import { routes } from '../../../../src/wire/routes.ts';
import { chunksOf } from '../support/chunks.ts';

const machine = (n: number) => ({
  instance_name: `etl-worker-${n}`,
  instance_id: `vm-${n}`,
  internal_ip: '10.0.0.1',
  management_ip: '172.0.0.1',
  created_at: '2026-01-01T00:00:00',
  updated_at: null,
  volumes: [{ id: 'v', size: 10 }],
  storage_devices_number: 1,
});
const clusterOf = (machines: number, more: object = {}) => ({
  id: 'id-1',
  name: 'etl',
  status: 'Active',
  info: { HDFS: { NameNode: 'hdfs://n' } },
  cluster_configs: { target: { key: 'value' } },
  node_groups: [
    {
      name: 'worker',
      count: machines,
      volumes_per_node: 1,
      instances: Array.from({ length: machines }, (_, n) => machine(n)),
    },
  ],
  ...more,
});

async function listed(rows: readonly unknown[]) {
  const reading = new ListReading({ route: routes.clusters, dialect: 'neutral', previous: undefined });
  for (const chunk of chunksOf(JSON.stringify({ clusters: rows }), 60_000)) await reading.take(chunk);
  const { snapshot } = await reading.finish({ at: 1, order: 1 });
  return { snapshot, view: viewOfList(snapshot, new Map()) };
}

describe('a cluster of thousands of machines', () => {
  test.each([571, 5_000, 15_000])('is read with all that anybody asks for: %i', async (machines) => {
    const row = clusterOf(machines);
    const { snapshot, view } = await listed([row, clusterOf(1, { id: 'id-2' })]);
    expect(snapshot.unreadable).toEqual([]);
    const alone = readRow(routes.clusters, 'neutral', Buffer.from(JSON.stringify({ cluster: row })));
    for (const one of [view.byId('id-1') as Cluster, alone]) {
      const { node_groups: groups, ...rest } = one;
      expect(rest).toMatchObject({
        id: 'id-1',
        name: 'etl',
        status: 'Active',
        info: { HDFS: { NameNode: 'hdfs://n' } },
      });
      expect(groups?.[0]).toMatchObject({ name: 'worker', count: machines });
      expect(groups?.[0]?.instances).toHaveLength(machines);
      expect(groups?.[0]?.instances?.at(-1)).toEqual({
        instance_name: `etl-worker-${machines - 1}`,
        instance_id: `vm-${machines - 1}`,
        internal_ip: '10.0.0.1',
        management_ip: '172.0.0.1',
      });
    }
    expect(view.byId('id-2')).toBeDefined();
  });

  test('that is more than anybody can have still tells which it is', async () => {
    const { snapshot } = await listed([clusterOf(40_000, { cluster_template_id: 'template-1' })]);
    expect(snapshot.unreadable).toEqual([
      {
        id: 'id-1',
        name: 'etl',
        status: 'Active',
        cluster_template_id: 'template-1',
        problem: expect.stringContaining('too large to be read'),
      },
    ]);
  });

  test.each([
    ['beside what is read', { notes: Array.from({ length: 100_000 }, () => []) }],
    ['of addresses', { info: { UI: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [n, 'http://h'])) } }],
  ])('is read in spite of many other values: %s', async (_name, more) => {
    const { snapshot, view } = await listed([clusterOf(1, more)]);
    expect(snapshot.unreadable).toEqual([]);
    expect(view.byId('id-1')).toMatchObject({ id: 'id-1', name: 'etl', status: 'Active' });
  });

  test('is identified in spite of any number of other values', async () => {
    const body = clusterOf(1, { notes: Array.from({ length: 300_000 }, () => []) });
    const { snapshot } = await listed([body, clusterOf(1, { id: 'id-2' })]);
    expect(snapshot.unreadable).toMatchObject([{ id: 'id-1', name: 'etl', status: 'Active' }]);
    expect([...snapshot.rows.keys()]).toEqual(['id-2']);
    const alone = () => readRow(routes.clusters, 'neutral', Buffer.from(JSON.stringify({ cluster: body })));
    expect(alone).toThrow('the limits are 8192 KiB, 250000 values and 64 levels');
  });

  test('is not read with a hundred thousand objects, which take more memory than anything else', async () => {
    const body = clusterOf(1, { notes: Array.from({ length: 100_000 }, (_, n) => ({ [n]: n })) });
    const { snapshot } = await listed([body]);
    expect(snapshot.unreadable).toMatchObject([{ id: 'id-1', name: 'etl', status: 'Active' }]);
  });

  test.each([
    ['no list of machines', { node_groups: [{ name: 'worker', count: 1, instances: 'many' }] }],
    ['machines that are none', { node_groups: [{ name: 'worker', count: 1, instances: [7] }] }],
    ['no list of groups', { node_groups: 'none' }],
    ['groups that are none', { node_groups: [7] }],
  ])('is as unreadable as a small one: %s', async (_name, more) => {
    const big = { notes: Array.from({ length: 9_000 }, () => 1) };
    const { snapshot } = await listed([clusterOf(1, more), clusterOf(1, { ...more, ...big })]);
    expect(snapshot.unreadable).toHaveLength(2);
    expect(snapshot.unreadable.map(({ id, name, status }) => [id, name, status])).toEqual([
      ['id-1', 'etl', 'Active'],
      ['id-1', 'etl', 'Active'],
    ]);
  });
});
