// What wakes a Cluster and its NodeGroups.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { keyOf, keyText } from '../../../src/operator/reconcile/pass-ports.ts';
import { createNodeGroupWaker } from '../../../src/operator/wiring/node-groups.ts';
import { clusterOf, nodeGroupOf } from '../node-groups/support.ts';

const workers = nodeGroupOf('workers');
const others = [workers, nodeGroupOf('head', { group: 'head' }), nodeGroupOf('away', { cluster: 'other' })];
const ofCluster = ['NodeGroup/team-a/head', 'NodeGroup/team-a/workers'];
const all = ['Cluster/team-a/etl', ...ofCluster];
const ready = clusterOf({ groups: [{ name: 'worker', desired: 2, ready: 2 }] });
const group = (desired: number, now: number) => clusterOf({ groups: [{ name: 'worker', desired, ready: now }] });

test.each<readonly [string, RawResource | undefined, RawResource | undefined, readonly string[]]>([
  ['a NodeGroup that appears', undefined, workers, all],
  ['one that goes', workers, undefined, all],
  ['another count', workers, nodeGroupOf('workers', { count: 6 }), all],
  ['its finalizer', nodeGroupOf('workers', { held: false }), workers, all],
  ['its deletion', workers, nodeGroupOf('workers', { deleting: true }), all],
  ['its status', workers, { ...workers, status: { observedGeneration: 1 } }, []],
  ['another number of nodes', ready, group(2, 1), ofCluster],
  ['another reason of the Cluster', ready, clusterOf({ ready: ['False', 'Scaling'] }), ofCluster],
  ['a deleted Cluster', ready, undefined, ofCluster],
  ['a status of the Cluster with the same groups', ready, group(2, 2), []],
])('%s', (_, previous, current, expected) => {
  const woken = new Set<string>();
  const waker = createNodeGroupWaker(
    () => others,
    (key) => woken.add(keyText(key)),
  );
  const key = keyOf((current ?? previous) as RawResource);
  waker({ key, previous, current, initial: false });
  expect([...woken].sort()).toEqual(expected);
});

test('a Cluster without NodeGroups is not looked at', () => {
  const waker = createNodeGroupWaker(
    () => [],
    () => expect.unreachable('nothing is to be woken'),
  );
  const current = { ...ready };
  Object.defineProperty(current, 'status', { get: () => expect.unreachable('its status was read') });
  waker({ key: keyOf(ready), previous: ready, current, initial: false });
});
