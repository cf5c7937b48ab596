// The figures of resources: what they count, change by change, and that their number does not grow with that of the resources.
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import type { Resource } from '../../../src/operator/controller/resource-change.ts';
import {
  measureExpired,
  measureLeft,
  measureMissed,
  measureResources,
  measureScaled,
} from '../../../src/operator/metrics/resource-metrics.ts';
import { ManualClock } from '../../support/clock.ts';
import { linesOf } from './figures.ts';

const lists = {
  kinds: ['Cluster', 'Image'],
  reasons: { Ready: ['Available', 'Provisioning'], Stalled: ['InvalidSpec'] },
};

interface Shape {
  readonly kind?: string;
  readonly generation?: number;
  readonly ready?: readonly [status: string, reason: string, observedGeneration?: number];
  readonly id?: string;
  readonly created?: string;
  readonly deleted?: string;
}

function resource(name: string, shape: Shape = {}): Resource {
  const { kind = 'Cluster', generation = 1, ready, id, created, deleted } = shape;
  const [status, reason, observedGeneration = generation] = ready ?? [];
  const conditions = ready === undefined ? [] : [{ type: 'Ready', status, reason, observedGeneration }];
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name,
      namespace: 'team-a',
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation,
      ...(created === undefined ? {} : { creationTimestamp: created }),
      ...(deleted === undefined ? {} : { deletionTimestamp: deleted }),
    },
    status: { conditions, ...(id === undefined ? {} : { id }) },
  };
}

function start(leading = () => true) {
  const registry = new Registry();
  const clock = new ManualClock();
  const standings = measureResources(registry, { ...lists, clock, leading });
  const cache = new Map<string, Resource>();
  const put = (current: Resource, initial = false) => {
    const { kind, metadata } = current;
    const previous = cache.get(metadata.name);
    cache.set(metadata.name, current);
    standings.changed({ key: { kind, namespace: 'team-a', name: metadata.name }, previous, current, initial });
  };
  const remove = (name: string) => {
    const previous = cache.get(name);
    cache.delete(name);
    const key = { kind: 'Cluster', namespace: 'team-a', name };
    standings.changed({ key, previous, current: undefined, initial: false });
  };
  return { registry, clock, standings, put, remove, conditions: () => linesOf(registry, 'conditions') };
}

const available: Shape = { ready: ['True', 'Available'] };
const provisioning: Shape = { ready: ['False', 'Provisioning'] };

describe('conditions', () => {
  test('are counted by kind, type, status and reason, as they change', async () => {
    const { put, remove, conditions, registry } = start();
    put(resource('a', provisioning));
    put(resource('b', provisioning));
    put(resource('c', { ...available, kind: 'Image' }));
    expect(await conditions()).toEqual([
      'conditions{kind="Cluster",type="Ready",status="False",reason="Provisioning"} 2',
      'conditions{kind="Image",type="Ready",status="True",reason="Available"} 1',
    ]);
    put(resource('a', available));
    remove('b');
    expect(await conditions()).toEqual([
      'conditions{kind="Cluster",type="Ready",status="False",reason="Provisioning"} 0',
      'conditions{kind="Image",type="Ready",status="True",reason="Available"} 1',
      'conditions{kind="Cluster",type="Ready",status="True",reason="Available"} 1',
    ]);
    expect(await linesOf(registry, 'resources')).toEqual(['resources{kind="Cluster"} 1', 'resources{kind="Image"} 1']);
  });

  test('that nobody listed are counted as other, and other kinds not at all', async () => {
    const { put, conditions } = start();
    put(resource('a', { ready: ['Maybe', 'Whim'] }));
    put(resource('s', { ...available, kind: 'Secret' }));
    expect(await conditions()).toEqual(['conditions{kind="Cluster",type="Ready",status="other",reason="other"} 1']);
  });

  test('are those of the leader only: together the replicas say everything once', async () => {
    let leads = false;
    const { put, conditions, registry } = start(() => leads);
    put(resource('a', provisioning));
    put(resource('a', available));
    const figures = async () => [...(await conditions()), ...(await linesOf(registry, 'resources'))];
    const readyCount = () => linesOf(registry, 'time_to_ready_seconds_count');
    expect([await figures(), await readyCount()]).toEqual([[], []]);
    leads = true;
    expect(await figures()).toContain('resources{kind="Cluster"} 1');
    put(resource('b', provisioning));
    put(resource('b', available));
    expect(await readyCount()).toEqual(['time_to_ready_seconds_count{kind="Cluster"} 1']);
    leads = false;
    expect(await figures()).toEqual([]);
  });

  test('that are no list do no harm', async () => {
    const { put, conditions } = start();
    put({ ...resource('a'), status: { conditions: 'none' } });
    put({ ...resource('b'), status: undefined });
    expect(await conditions()).toEqual([]);
  });
});

describe('the time to Ready', () => {
  const sumOf = async (registry: Registry) =>
    linesOf(registry, 'time_to_ready_seconds_sum').then(([line]) => line?.split(' ')[1]);

  test('counts from the moment in which a resource came', async () => {
    const { put, clock, registry } = start();
    put(resource('a'));
    await clock.advance(2_000);
    put(resource('a', provisioning));
    await clock.advance(3_000);
    put(resource('a', available));
    await clock.advance(3_000);
    put(resource('a', available));
    expect(await sumOf(registry)).toBe('5');
  });

  test('counts again from the last change of the spec, and not for what was Ready for the one before', async () => {
    const { put, clock, registry } = start();
    put(resource('a', available));
    await clock.advance(60_000);
    put(resource('a', { generation: 2, ready: ['True', 'Available', 1] }));
    await clock.advance(1_000);
    put(resource('a', { generation: 3, ready: ['True', 'Available', 1] }));
    await clock.advance(4_000);
    put(resource('a', { ...available, generation: 3 }));
    expect(await sumOf(registry)).toBe('4');
  });

  test('counts from the creation where the resource was there before us', async () => {
    const { put, clock, registry } = start();
    const created = new Date(clock.wall() - 7_000).toISOString();
    put(resource('a', { ...provisioning, created }), true);
    await clock.advance(1_000);
    put(resource('a', { ...available, created }));
    expect(await sumOf(registry)).toBe('8');
  });

  test.each<readonly [string, Shape, Shape]>([
    ['what is Ready at the first sight', { ...available, created: '2020-01-01T00:00:00Z' }, available],
    ['a change whose begin nobody saw', { ...provisioning, generation: 2 }, { ...available, generation: 2 }],
    [
      'what is being deleted',
      { ...provisioning, deleted: '2026-01-01T00:00:00Z' },
      { ...available, deleted: '2026-01-01T00:00:00Z' },
    ],
  ])('does not count %s', async (_name, before, after) => {
    const { put, clock, registry } = start();
    put(resource('a', before), true);
    await clock.advance(1_000);
    put(resource('a', after));
    expect(await sumOf(registry)).toBeUndefined();
  });
});

describe('what a Connection has in its service', () => {
  test('is known by kind, until the last of it is gone', () => {
    const { put, remove, standings } = start();
    const holds = () => standings.hasManaged('team-a/default', 'Cluster');
    put(resource('a'));
    expect(holds()).toBe(false);
    put(resource('a', { id: '1' }));
    put(resource('b', { id: '2' }));
    remove('a');
    expect([holds(), standings.hasManaged('team-a/default', 'Image')]).toEqual([true, false]);
    put(resource('b'));
    expect(holds()).toBe(false);
  });
});

test('ten thousand resources have as many series as ten', async () => {
  const few = start();
  const many = start();
  for (const [bench, count] of [
    [few, 10],
    [many, 10_000],
  ] as const) {
    for (let n = 0; n < count; n++) {
      bench.put(resource(`r${n}`, n % 2 === 0 ? available : { ...provisioning, id: `${n}` }));
      bench.put(resource(`r${n}`, { ready: ['False', `Reason${n}`] }));
      bench.put(resource(`r${n}`, available));
    }
  }
  const series = async (registry: Registry) =>
    (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'));
  expect((await series(many.registry)).length).toBe((await series(few.registry)).length);
  expect((await series(many.registry)).length).toBeLessThan(100);
});

test('resources that leave something in the service are counted by kind and reason', async () => {
  const registry = new Registry();
  const left = measureLeft(registry);
  for (const reason of ['Orphaned', 'Deleted', 'Orphaned', 'Released']) left({ kind: 'Cluster', reason });
  expect(await linesOf(registry, 'left_in_service')).toEqual([
    'left_in_service_total{kind="Cluster",reason="Orphaned"} 2',
    'left_in_service_total{kind="Cluster",reason="Released"} 1',
  ]);
});

test('what autoscaling decides is counted by direction', async () => {
  const registry = new Registry();
  const scaled = measureScaled(registry);
  for (const reason of ['ScaledUp', 'Available', 'ScaledDown', 'ScaledUp']) scaled({ kind: 'NodeGroup', reason });
  expect(await linesOf(registry, 'autoscaling_decisions')).toEqual([
    'autoscaling_decisions_total{direction="up"} 2',
    'autoscaling_decisions_total{direction="down"} 1',
  ]);
});

test('scheduled times without an execution are counted', async () => {
  const registry = new Registry();
  const missed = measureMissed(registry);
  for (const count of [1, 3]) missed(count);
  expect(await linesOf(registry, 'schedule_missed')).toEqual(['schedule_missed_total 4']);
});

test('counts Clusters that expired, and those that were held back', async () => {
  const registry = new Registry();
  const expired = measureExpired(registry);
  for (const reason of ['Expired', 'ExpiryHeld', 'Expired', 'Expiring']) expired({ kind: 'Cluster', reason });
  expect(await linesOf(registry, 'lifecycle_expiries')).toEqual([
    'lifecycle_expiries_total{result="expired"} 2',
    'lifecycle_expiries_total{result="held"} 1',
  ]);
});
