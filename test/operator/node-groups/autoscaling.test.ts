// What a NodeGroup with autoscaling reports, and what it leaves behind.
import { describe, expect, test } from 'vitest';
import { type AutoscalingReason, autoscalingReasons } from '../../../src/operator/api/autoscaling.ts';
import { ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { serialiseLedger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { ledgerOf } from '../reconcile/support.ts';
import { clusterOf, FakeStore, nodeGroupOf } from './support.ts';

const autoscaling = { minCount: 2, maxCount: 10 };
const workers = nodeGroupOf('workers', { count: 3, autoscaling });
const row = (desired: number, reason?: string, wanted?: number, scaledBy = 'workers') => ({
  name: 'worker',
  desired,
  ready: desired,
  scaledBy,
  ...(reason && { autoscaling: { reason, wanted } }),
});

async function report(store: FakeStore) {
  await store.pass('workers');
  const { conditions, ...status } = store.status('workers') as { conditions: readonly Record<string, unknown>[] };
  return { ...status, ...Object.fromEntries(conditions.map((one) => [one['type'], one])) };
}

test.each<readonly [AutoscalingReason, string, RegExp]>([
  ['WithinRange', 'True', /^the work fills 4 nodes$/],
  ['AtMinimum', 'True', /fewer than 2 nodes, which is spec.autoscaling.minCount/],
  ['AtMaximum', 'True', /more than 10 nodes, which is spec.autoscaling.maxCount: raise it/],
  ['ScalingDown', 'True', /only 4 nodes: each time that it has done so for 300 s, one node is removed/],
  ['NoSignal', 'False', /reports no load.*HorizontalPodAutoscaler or kubectl scale/],
  ['TooOld', 'False', /too old.*check that the engine/],
  ['ClusterNotReady', 'False', /as soon as the Cluster runs/],
])('%s', async (reason, status, message) => {
  const store = new FakeStore(workers, clusterOf({ groups: [row(6, reason, 4)] }));
  const reported = await report(store);
  expect(reported).toMatchObject({
    count: 6,
    wanted: 6,
    Ready: { status: 'True' },
    ScalingActive: { status, reason, message: expect.stringMatching(message) },
  });
  const { length } = store.writes;
  await store.pass('workers');
  expect(store.writes).toHaveLength(length);
});

test.each<readonly [AutoscalingReason, RegExp]>([
  ['AtMinimum', /^the work fills no node, and one stays, because the service reports no load of another group/],
  ['NoSignal', /if it has no nodes, and no other group has a load, set spec.autoscaling.minCount to 1;/],
])('%s where no node is the smallest number', async (reason, message) => {
  const none = nodeGroupOf('workers', { count: 3, autoscaling: { ...autoscaling, minCount: 0 } });
  const reported = await report(new FakeStore(none, clusterOf({ groups: [row(1, reason, 1)] })));
  expect(reported).toMatchObject({ ScalingActive: { reason, message: expect.stringMatching(message) } });
});

test('every reason is in the table above', () => expect(autoscalingReasons).toHaveLength(7));

describe('what nobody has chosen yet', () => {
  test.each<readonly [string, readonly object[] | undefined]>([
    ['there is no Cluster', undefined],
    ['the Cluster does not report it yet', []],
    ['another one owned it', [row(6, 'WithinRange', 6, 'others')]],
    ['the Cluster reports an unknown reason', [row(3, 'Odd')]],
  ])('%s', async (_, groups) => {
    const store = new FakeStore(workers, ...(groups ? [clusterOf({ groups })] : []));
    expect(await report(store)).toMatchObject({ wanted: 3, ScalingActive: { reason: 'ClusterNotReady' } });
  });

  test('without autoscaling there is no such condition', async () => {
    const store = new FakeStore(nodeGroupOf('workers'), clusterOf({ groups: [row(5)] }));
    expect(await report(store)).not.toHaveProperty('ScalingActive');
  });
});

test('each other number that was chosen is an event, once', async () => {
  const store = new FakeStore(workers, clusterOf({ groups: [row(3, 'WithinRange', 3)] }));
  await store.pass('workers');
  const choose = async (desired: number, reason: string, wanted: number) => {
    store.put(clusterOf({ groups: [row(desired, reason, wanted)] }));
    store.events.length = 0;
    await store.pass('workers');
    await store.pass('workers');
    return store.events.filter((one) => one.reason.startsWith('Scaled')).map(({ reason: of, note }) => [of, note]);
  };
  expect(await choose(7, 'WithinRange', 7)).toEqual([['ScaledUp', 'from 3 to 7 nodes: the work fills 7 nodes']]);
  expect(await choose(7, 'ScalingDown', 2)).toEqual([]);
  expect(await choose(6, 'ScalingDown', 2)).toEqual([
    ['ScaledDown', expect.stringContaining('from 7 to 6 nodes: the work fills only 2 nodes')],
  ]);
});

test('a group that a NodeGroup takes over as it is was not scaled', async () => {
  const store = new FakeStore(workers, clusterOf({ groups: [{ name: 'worker', desired: 5, ready: 5 }] }));
  await store.pass('workers');
  store.put(clusterOf({ groups: [row(5, 'ScalingDown', 4)] }));
  await store.pass('workers');
  expect(await report(store)).toMatchObject({ wanted: 5, ScalingActive: { reason: 'ScalingDown' } });
  store.put(clusterOf({ groups: [row(4, 'WithinRange', 4)] }));
  await store.pass('workers');
  const scaled = store.events.filter((one) => one.reason.startsWith('Scaled'));
  expect(scaled.map(({ reason, note }) => [reason, note])).toEqual([
    ['ScaledDown', 'from 5 to 4 nodes: the work fills 4 nodes'],
  ]);
});

describe('it leaves what was chosen last', () => {
  const change = { generation: 1, target: { worker: 8 }, sentAt: '2026-01-01T10:00:00Z', tries: 1 };
  const scaling = { [ledgerAnnotation]: serialiseLedger(ledgerOf([], { change })) };
  test.each<readonly [string, Parameters<typeof clusterOf>[0], number]>([
    ['the number that the Cluster reports', { groups: [row(6, 'WithinRange', 6)] }, 6],
    ['none', { groups: [row(0, 'AtMinimum', 0)] }, 0],
    ['the target of a scale that no status reports yet', { groups: [row(6)], annotations: scaling }, 8],
    ['the count of the Cluster, if nothing was chosen', { groups: [] }, 2],
    ['the same, before the Cluster was reconciled', {}, 2],
  ])('%s', async (_, cluster, count) => {
    const store = new FakeStore(clusterOf(cluster), nodeGroupOf('workers', { count: 3, autoscaling, deleting: true }));
    await store.pass('workers');
    expect(store.get('NodeGroup', 'workers')).toBeUndefined();
    expect(store.get('Cluster', 'etl')?.spec).toMatchObject({ nodeGroups: [{}, { name: 'worker', count }] });
  });
});
