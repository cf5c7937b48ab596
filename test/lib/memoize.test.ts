// Reads that are not repeated: once a part, for as many parts as are worked on, and nothing is remembered for ever.
import { expect, test } from 'vitest';
import { memoize } from '../../src/lib/memoize.ts';
import { clusterKind } from '../../src/operator/kinds/cluster/index.ts';
import { nodeGroupTemplateKind } from '../../src/operator/kinds/node-group-template/index.ts';
import { readResource, specOf } from '../../src/operator/reconcile/resource/facts.ts';
import { ledgerOf } from '../../src/operator/reconcile/resource/references.ts';

test('a part is read once, another one that looks the same is another', () => {
  const seen: object[] = [];
  const read = memoize((part: object) => seen.push(part));
  const [one, other] = [{ a: 1 }, { a: 1 }];
  expect([read(one), read(one), read(other), read(one)]).toEqual([1, 1, 2, 1]);
  expect(seen).toEqual([one, other]);
});

test('what was asked for long ago is forgotten', () => {
  let reads = 0;
  const read = memoize((_part: object) => {
    reads += 1;
    return reads;
  });
  const first = {};
  expect(read(first)).toBe(1);
  for (let n = 0; n < 512; n += 1) read({});
  expect(read(first)).toBe(514);
});

test('what is asked for again and again is never forgotten', () => {
  const first = {};
  let reads = 0;
  const read = memoize((part: object) => (reads += part === first ? 1 : 0));
  for (let n = 0; n < 3_000; n += 1) read(n % 100 === 0 ? first : {});
  expect(reads).toBe(1);
});

const resource = {
  apiVersion: 'dataprocessing.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1', generation: 1 },
  spec: { flavorID: '2' },
};

test('one spec is read by each kind in its own way', () => {
  expect(specOf(clusterKind, resource)).toMatchObject({ ok: true });
  expect(specOf(nodeGroupTemplateKind, resource)).toMatchObject({ ok: false });
  expect(specOf(clusterKind, resource)).toBe(specOf(clusterKind, resource));
  expect(specOf(clusterKind, { ...resource, spec: undefined })).toMatchObject({ ok: true });
});

test('a ledger is read for the installation that asks', () => {
  const ledger = { v: 1, installation: 'here', uid: 'c', endpoint: 'http://s', tenant: 't', base: 'a', claims: [] };
  const annotations = { 'dataprocessing.dev/ledger': JSON.stringify(ledger) };
  const claimed = { ...resource, metadata: { ...resource.metadata, annotations } };
  const states = ['here', 'there', 'here'].map((installation) => ledgerOf(claimed, installation).state);
  expect(states).toEqual(['ours', 'unconfirmed', 'ours']);
  expect(readResource(clusterKind, claimed, 'there').ledger.state).toBe('unconfirmed');
});
