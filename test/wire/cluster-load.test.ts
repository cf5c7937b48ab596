// The load of a cluster, as a service tells it, or somebody in its place.
import { expect, test } from 'vitest';
import { cluster } from '../../src/wire/cluster.ts';
import { readLoad } from '../../src/wire/cluster-load.ts';

const observedAt = '2026-11-29T12:00:00.000Z';
const group = { wantedNodes: 5, busyNodes: 3, observedAt };

test('is read from info, and nowhere else', () => {
  const row = { id: 'c-1', name: 'etl', info: { Load: { worker: group }, HDFS: { 'Web UI': 'http://a:1' } } };
  const read = cluster.parse(row);
  expect(read).toMatchObject({ load: { worker: group }, info: { HDFS: { 'Web UI': 'http://a:1' } } });
  expect(read.info).not.toHaveProperty('Load');
  expect(cluster.parse({ id: 'c-1', name: 'etl', load: { worker: group } })).not.toHaveProperty('load');
  expect(cluster.parse({ ...row, info: { Load: null } })).not.toHaveProperty('load');
});

test('with other fields, is the same', () => {
  expect(readLoad({ worker: { ...group, more: 1 }, 'worker.2': { ...group, wantedNodes: 0 } })).toEqual({
    worker: group,
    'worker.2': { ...group, wantedNodes: 0 },
  });
});

test.each([
  undefined,
  null,
  5,
  'much',
  [],
  {},
  { worker: null },
  { worker: [5, 3] },
  { worker: { ...group, wantedNodes: undefined } },
  { worker: { ...group, wantedNodes: -1 } },
  { worker: { ...group, wantedNodes: 10_001 } },
  { worker: { ...group, busyNodes: 1.5 } },
  { worker: { ...group, busyNodes: '3' } },
  { worker: { ...group, observedAt: undefined } },
  { worker: { ...group, observedAt: 'now' } },
  { worker: { ...group, observedAt: '2026-13-29T12:00:00Z' } },
  { worker: { ...group, observedAt: '2026-11-29T12:00:00+01:00' } },
  { ['w'.repeat(129)]: group },
])('%j is none', (load) => expect(readLoad(load)).toBeUndefined());

test('one that is malformed does not hide the others, and there are not too many', () => {
  expect(readLoad({ head: { ...group, wantedNodes: null }, worker: group })).toEqual({ worker: group });
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`g${index}`, group]));
  expect(Object.keys(readLoad(many) ?? {})).toHaveLength(50);
});
