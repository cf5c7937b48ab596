// The outline of an object that is too large: what JSON.parse would find of it, in whatever pieces it comes, and at no cost for the rest.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRow } from '../../../../src/operator/client/http/answer.ts';
import { outlineIn } from '../../../../src/operator/client/json/outline.ts';
import { ListReading } from '../../../../src/operator/client/list/listing.ts';
import { viewOfList } from '../../../../src/operator/client/list/view.ts';
import type { Cluster } from '../../../../src/wire/cluster.ts';
import type { Outline } from '../../../../src/wire/common.ts';
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
  test.each([571, 5_000])('is read with all that anybody asks for: %i', async (machines) => {
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
    const { snapshot } = await listed([clusterOf(21_000, { cluster_template_id: 'template-1' })]);
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
    ['beside what is read', { notes: Array.from({ length: 300_000 }, () => []) }],
    ['in place of a text', { status_description: Array.from({ length: 9_000 }, () => []) }],
    ['of addresses', { info: { UI: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [n, 'http://h'])) } }],
  ])('is read in spite of any amount of other values: %s', async (_name, more) => {
    const { snapshot, view } = await listed([clusterOf(1, more)]);
    expect(snapshot.unreadable).toEqual([]);
    expect(view.byId('id-1')).toMatchObject({ id: 'id-1', name: 'etl', status: 'Active' });
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

const wanted: Outline = {
  a: 'word',
  b: 'part',
  c: { most: 100, each: { d: 'word', e: { most: 100, each: { f: 'part' } } } },
};

/** What `wanted` leaves of a value, without regard to sizes. */
function projected(value: unknown, of: Outline[string] | Outline): unknown {
  if (typeof of === 'string') return value;
  if ('each' in of && 'most' in of) {
    const { each } = of as Exclude<Outline[string], string>;
    return Array.isArray(value) ? value.map((one) => (isObject(one) ? projected(one, each) : null)) : value;
  }
  const entries = Object.entries(of).filter(([key]) => Object.hasOwn(value as object, key));
  return Object.fromEntries(entries.map(([key, one]) => [key, projected(Reflect.get(value as object, key), one)]));
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

test('what it has is what JSON.parse finds there', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'x', 'é', '"');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<unknown>(null, true, 7, 'text', '"\\', ''),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
    ),
  }));
  const word = fc.constantFrom<unknown>(null, true, 7, 'text', '');
  const object = fc.record(
    { x: tree, a: word, b: tree, c: tree, y: tree },
    { requiredKeys: [], noNullPrototype: true },
  );
  fc.assert(
    fc.property(object, fc.constantFrom(0, 2), (value, indent) => {
      const body = Buffer.from(JSON.stringify({ other: value, row: value }, undefined, indent));
      const outlined = outlineIn(body, 'row', wanted);
      const found = JSON.parse(outlined?.bytes.toString() ?? '') as Record<string, unknown>;
      const expected = projected(value, wanted) as Record<string, unknown>;
      expect(wordsOut(found)).toEqual(wordsOut(expected));
    }),
  );
});

/** `d` is read as a word: of a structure in its place nothing is kept. */
function wordsOut(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wordsOut);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value as object).map(([key, one]) => [
      key,
      key === 'd' && typeof one === 'object' ? null : key === 'b' || key === 'f' ? one : wordsOut(one),
    ]),
  );
}
