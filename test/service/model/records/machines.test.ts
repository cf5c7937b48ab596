// The machines of groups: numbers go up, the highest go first, and counts follow.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findPages } from '../../../../src/service/backends/simulated-provisioner.ts';
import { createId, createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import {
  countMade,
  dropEmptied,
  forgetMachines,
  isUp,
  machinesOf,
  nameMachines,
  surplusMachines,
  targetOf,
  updateMachines,
} from '../../../../src/service/model/records/machines.ts';
import type { ClusterGroupRecord, ClusterRecord } from '../../../../src/service/model/records/records.ts';

const random = createSeededRandom(1);
const group = (name: string, count: number, node_processes: readonly string[] = ['datanode']): ClusterGroupRecord => ({
  id: name,
  name,
  count,
  flavor_id: '1',
  node_processes,
  node_configs: {},
  volumes_per_node: 0,
  volumes_size: 10,
  volume_mount_prefix: '/volumes/disk',
  created: 'before',
  updated: 'before',
  instances: [],
});
const cluster = (...node_groups: readonly ClusterGroupRecord[]): ClusterRecord => ({
  id: 'c',
  name: 'C1',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  created_at: 'before',
  updated_at: 'before',
  cluster_configs: {},
  anti_affinity: [],
  status: 'Active',
  info: {},
  node_groups,
});
const named = (...groups: readonly ClusterGroupRecord[]) =>
  nameMachines(cluster(...groups), 'now', () => createId(random));
const scaled = (from: ClusterRecord, targets: Readonly<Record<string, number>>): ClusterRecord => ({
  ...from,
  work: { operation: 'scale', stage: 'Validating', targets, grows: true, shrinks: true },
});

describe('naming', () => {
  test('by cluster, group and number, in small letters', () => {
    const names = machinesOf(named(group('Data', 2), group('m', 1))).map((machine) => machine.instance_name);
    expect(names).toEqual(['c1-data-001', 'c1-data-002', 'c1-m-001']);
  });

  test('a second time changes nothing', () => {
    const once = named(group('g', 3));
    expect(nameMachines(once, 'later', () => 'x')).toEqual(once);
  });

  test.each([0, -1])('a count of %d needs none', (count) => {
    expect(named(group('g', count)).node_groups[0]).toMatchObject({ count, instances: [], updated: 'before' });
  });
});

describe('scaling', () => {
  test.each(['constructor', 'toString', '__proto__'])('leaves a group called %s as it is', (name) => {
    const from = scaled(named(group(name, 2), group('g', 1)), { g: 3 });
    expect(from.node_groups.map((each) => targetOf(from, each))).toEqual([2, 3]);
  });

  test('takes away the highest, adds above, and keeps the rest', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.nat({ max: 20 }), (before, after) => {
        const from = named(group('g', before), group('other', 2));
        const wanted = scaled(from, { g: after });
        const shrunk = forgetMachines(wanted, 'now', surplusMachines(wanted));
        const grown = nameMachines(shrunk, 'now', () => createId(random));
        const [have, other] = grown.node_groups;
        expect(have?.instances).toHaveLength(after);
        expect(have?.count).toBe(after);
        const kept = Math.min(before, after);
        expect(have?.instances.slice(0, kept)).toEqual(from.node_groups[0]?.instances.slice(0, kept));
        expect(new Set(have?.instances.map((machine) => machine.instance_name)).size).toBe(after);
        expect(other).toEqual(from.node_groups[1]);
      }),
    );
  });

  test('only what changes is stamped', () => {
    const from = scaled(named(group('g', 2), group('h', 2)), { g: 1 });
    const [g, h] = forgetMachines(from, 'later', surplusMachines(from)).node_groups;
    expect([g?.updated, h?.updated]).toEqual(['later', 'now']);
  });

  test('targets are those of the scale, else the counts, and never below none', () => {
    const from = cluster(group('g', 2), group('h', -1));
    const targets = (of: ClusterRecord) => of.node_groups.map((each) => targetOf(of, each));
    expect(targets(from)).toEqual([2, 0]);
    expect(targets(scaled(from, { g: 5 }))).toEqual([5, 0]);
  });

  test('groups without machines are dropped, whoever emptied them', () => {
    const from = named(group('g', 0), group('h', 1), group('i', -1));
    expect(dropEmptied(from).node_groups.map(({ name }) => name)).toEqual(['h']);
  });

  test('machines about to be made: no group counts any, and the work knows how many', () => {
    const work = { operation: 'start', stage: 'Spawning' } as const;
    const from = countMade(cluster(group('g', 2), group('h', -1), group('i', 0)), 'now', work);
    expect(from.node_groups.map(({ count, updated }) => [count, updated])).toEqual([
      [0, 'now'],
      [0, 'now'],
      [0, 'before'],
    ]);
    expect(from.work).toEqual({ ...work, targets: { g: 2, h: 0, i: 0 } });
    expect(nameMachines(from, 'now', () => createId(random)).node_groups.map(({ count }) => count)).toEqual([2, 0, 0]);
  });
});

describe('addresses', () => {
  const up = (from: ClusterRecord) =>
    updateMachines(
      from,
      'later',
      machinesOf(from).map((machine) => ({ ...machine, internal_ip: '10.0.0.1', management_ip: '172.18.0.1' })),
    );

  test('come to the machines they are for', () => {
    const from = named(group('g', 2));
    const [first] = machinesOf(from);
    const updated = updateMachines(from, 'later', first === undefined ? [] : [{ ...first, internal_ip: '10.0.0.9' }]);
    expect(machinesOf(updated).map(isUp)).toEqual([true, false]);
  });

  test('lead to the pages of the processes', () => {
    const { node_groups } = up(named(group('m', 1, ['namenode', 'jobtracker']), group('w', 2)));
    expect(findPages(node_groups)).toEqual({
      HDFS: { 'Web UI': 'http://172.18.0.1:50070', NameNode: 'hdfs://172.18.0.1:8020' },
      MapReduce: { 'Web UI': 'http://172.18.0.1:50030' },
    });
  });

  test('without them, or without such processes, there are no pages', () => {
    expect(findPages(named(group('m', 1, ['namenode'])).node_groups)).toEqual({});
    expect(findPages(up(named(group('w', 1))).node_groups)).toEqual({});
  });
});
