// Which NodeGroup owns a count, what it does to its Cluster, and what is left when it is deleted.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { finalizer, scaledByAnnotation } from '../../../src/operator/api/shared-api.ts';
import { StoreError } from '../../../src/operator/reconcile/pass-ports.ts';
import { ownedCounts } from '../../../src/operator/reconcile/resource/scalers.ts';
import { Crash, clusterOf, entries, FakeStore, nodeGroupOf } from './support.ts';

const worker = (count: number, more: object = {}) => ({ name: 'worker', desired: count, ready: count, ...more });
const settled = clusterOf({ groups: [worker(5, { scaledBy: 'workers' })] });
const held = (resource: RawResource | undefined) => resource?.metadata.finalizers?.includes(finalizer) ?? false;
const readyOf = (store: FakeStore, name: string) => {
  const { conditions } = store.status(name) as { readonly conditions: readonly { type: string; reason: string }[] };
  return conditions.find(({ type }) => type === 'Ready');
};

test.each<readonly [string, readonly RawResource[], Readonly<Record<string, object>>]>([
  ['one with the finalizer', [nodeGroupOf('a')], { worker: { name: 'a', count: 5 } }],
  ['one without it has no effect yet', [nodeGroupOf('a', { held: false })], {}],
  [
    'the older of two',
    [nodeGroupOf('a', { born: 2 }), nodeGroupOf('b', { born: 1 })],
    { worker: { name: 'b', count: 5 } },
  ],
  ['of the same age, the lower uid', [nodeGroupOf('b'), nodeGroupOf('a')], { worker: { name: 'a', count: 5 } }],
  [
    'the one with the finalizer before an older one',
    [nodeGroupOf('old', { held: false }), nodeGroupOf('new', { born: 1, count: 3 })],
    { worker: { name: 'new', count: 3 } },
  ],
  [
    'one that is being deleted, until it has left its count',
    [nodeGroupOf('a', { deleting: true })],
    { worker: { name: 'a', count: 5 } },
  ],
  [
    'one for each group',
    [nodeGroupOf('a'), nodeGroupOf('b', { group: 'head', count: 1 })],
    { worker: { name: 'a', count: 5 }, head: { name: 'b', count: 1 } },
  ],
  ['none of another Cluster', [nodeGroupOf('a', { cluster: 'other' })], {}],
  ['none that cannot be read', [{ ...nodeGroupOf('a'), spec: null }], {}],
])('whose count has effect: %s', (_, nodeGroups, owned) => {
  expect(Object.fromEntries(ownedCounts(nodeGroups, clusterOf()))).toEqual(owned);
});

test('it takes the finalizer, reports the count and the pods of its group, and writes nothing more', async () => {
  const store = new FakeStore(settled, nodeGroupOf('workers', { held: false }));
  expect(await store.pass('workers')).toEqual({ next: 'watch' });
  expect(held(store.get('NodeGroup', 'workers'))).toBe(true);
  expect(store.status('workers')).toMatchObject({
    observedGeneration: 1,
    count: 5,
    selector: 'dataprocessing.dev/cluster-id=c-1,dataprocessing.dev/node-group=worker',
  });
  expect(readyOf(store, 'workers')).toMatchObject({ status: 'True', reason: 'Available' });
  await store.pass('workers');
  expect(store.writes).toEqual(['claim NodeGroup/workers', 'status NodeGroup/workers']);
});

test.each([
  ['no Cluster', [], 'dataprocessing.dev/node-group-uid=uid-workers'],
  ['an identifier that is no label', [clusterOf({ id: 'a b' })], 'dataprocessing.dev/node-group-uid=uid-workers'],
])('the selector is never empty: %s', async (_, clusters, selector) => {
  const store = new FakeStore(...clusters, nodeGroupOf('workers'));
  await store.pass('workers');
  expect(store.status('workers')['selector']).toBe(selector);
});

test('a second one has no effect, and takes over when the first one goes', async () => {
  const store = new FakeStore(settled, nodeGroupOf('workers'), nodeGroupOf('more', { held: false, born: 1, count: 9 }));
  await store.pass('more');
  expect(readyOf(store, 'more')).toMatchObject({ status: 'False', reason: 'DuplicateClaim' });
  expect(held(store.get('NodeGroup', 'more'))).toBe(false);
  store.put({ ...nodeGroupOf('workers', { deleting: true }) });
  await store.pass('workers');
  await store.pass('more');
  expect(held(store.get('NodeGroup', 'more'))).toBe(true);
});

test('of two that are made at the same time, the second one has no effect, whichever counts as older', async () => {
  const store = new FakeStore(settled, nodeGroupOf('workers', { held: false }));
  const claim = store.claim.bind(store);
  const answer = Promise.withResolvers<void>();
  store.claim = async (resource) => {
    await answer.promise;
    return claim(resource);
  };
  const first = store.pass('workers');
  store.put(nodeGroupOf('more', { held: false, count: 9 }));
  expect(await store.pass('more')).toEqual({ next: 'retry', maxMs: 1_000 });
  answer.resolve();
  await first;
  await store.pass('more');
  expect(readyOf(store, 'more')).toMatchObject({ status: 'False', reason: 'DuplicateClaim' });
  expect(store.writes).not.toContain('claim NodeGroup/more');
});

test('where two have the finalizer, the younger one gives it up, and leaves no count', async () => {
  const store = new FakeStore(settled, nodeGroupOf('workers'), nodeGroupOf('more', { born: 1, count: 9 }));
  expect(await store.pass('more')).toEqual({ next: 'again' });
  expect(held(store.get('NodeGroup', 'more'))).toBe(false);
  store.put(nodeGroupOf('more', { born: 1, count: 9, deleting: true }));
  await store.pass('more');
  expect(store.writes).toEqual(['release NodeGroup/more', 'release NodeGroup/more']);
});

test('a deleted one leaves its count in the Cluster by one write, and only then goes', async () => {
  const store = new FakeStore(clusterOf(), nodeGroupOf('workers', { deleting: true }));
  await store.pass('workers');
  expect(store.writes).toEqual(['counts Cluster/etl', 'release NodeGroup/workers']);
  expect(store.get('Cluster', 'etl')).toMatchObject({
    metadata: { annotations: { [scaledByAnnotation]: 'workers' } },
    spec: { nodeGroups: [entries[0], { ...entries[1], count: 5 }] },
  });
});

test('a process that dies between the two writes: the next one only removes the finalizer', async () => {
  const store = new FakeStore(clusterOf(), nodeGroupOf('workers', { deleting: true }));
  store.crashAt = 1;
  await expect(store.pass('workers')).rejects.toThrow(Crash);
  store.crashAt = undefined;
  await store.pass('workers');
  expect(store.writes).toEqual(['counts Cluster/etl', 'release NodeGroup/workers']);
});

test.each([
  ['there is no Cluster', []],
  ['the Cluster is being deleted', [clusterOf({ deleting: true })]],
  ['the Cluster has no such group', [clusterOf({ entries: [{ name: 'head', count: 1 }] })]],
  ['the Cluster has the count already', [clusterOf({ entries: [{ name: 'worker', count: 5 }] })]],
])('a deleted one just goes where %s', async (_, clusters) => {
  const store = new FakeStore(...clusters, nodeGroupOf('workers', { deleting: true }));
  await store.pass('workers');
  expect(store.writes).toEqual(['release NodeGroup/workers']);
});

test('a write that the API server refuses is reported with a way out, and tried again', async () => {
  const store = new FakeStore(clusterOf(), nodeGroupOf('workers', { deleting: true }));
  store.refusal = new StoreError('forbidden', 'a policy denies it');
  expect(await store.pass('workers')).toEqual({ next: 'at', afterMs: 60_000 });
  const { message } = readyOf(store, 'workers') as unknown as { readonly message: string };
  expect(message).toMatch(/a policy denies it.*remove the finalizer/);
  store.refusal = undefined;
  await store.pass('workers');
  expect(store.get('NodeGroup', 'workers')).toBeUndefined();
});

test('an edit of the Cluster in between: it starts over', async () => {
  const store = new FakeStore(clusterOf(), nodeGroupOf('workers', { deleting: true }));
  store.refusal = new StoreError('conflict', 'another version');
  expect(await store.pass('workers')).toMatchObject({ next: 'retry' });
});
