// What is kept of a received object.
import { describe, expect, it } from 'vitest';
import { finalizer, ledgerAnnotation } from '../../../src/operator/api/common.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { placeOf, sharing, toResource } from '../../../src/operator/kube/resource.ts';
import { widget, widgets } from './support/objects.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function received(metadata: object): object {
  const plain = widget({ version: 5, spec: { size: 1 } });
  return { ...plain, metadata: { ...plain.metadata, ...metadata } };
}

describe('a received object', () => {
  it('loses managedFields', () => {
    const kept = toResource(widgets, received({ managedFields: [{ manager: 'x' }] }));
    expect(kept).toEqual(widget({ version: 5, spec: { size: 1 } }));
  });

  it("loses kubectl's copy and keeps the other annotations", () => {
    const kept = toResource(widgets, received({ annotations: { [lastApplied]: '{"huge":1}', other: 'kept' } }));
    expect(kept.metadata.annotations).toEqual({ other: 'kept' });
  });

  it('that is known in this very version is the known one', () => {
    const known = widget({ uid: 'u1', version: 5 });
    const at = (place: string) => (place === placeOf(known.metadata) ? known : undefined);
    const read = (change: object) => toResource(widgets, { ...known, metadata: { ...known.metadata, ...change } }, at);
    expect(read({})).toBe(known);
    for (const change of [{ resourceVersion: '6' }, { uid: 'u2' }, { name: 'another' }])
      expect(read(change).metadata).toEqual({ ...known.metadata, ...change });
  });

  it('shares the list of finalizers where that is ours alone, and keeps any other', () => {
    const [one, other, more] = [[finalizer], [finalizer], [finalizer, 'theirs']].map(
      (finalizers) => toResource(widgets, received({ finalizers })).metadata.finalizers,
    );
    expect(one).toEqual([finalizer]);
    expect(other).toBe(one);
    expect(more).toEqual([finalizer, 'theirs']);
  });

  it('does not change what was received', () => {
    const annotations = { [lastApplied]: '{}', other: 'kept' };
    toResource(widgets, received({ annotations }));
    expect(Object.keys(annotations)).toHaveLength(2);
  });

  it('gets its kind, which items of built-in lists lack, and a generation, which Secrets lack', () => {
    const secrets = { kind: 'Secret', apiVersion: 'v1', plural: 'secrets' };
    const metadata = { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1' };
    expect(toResource(secrets, { metadata, data: { token: 'eA==' } })).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { ...metadata, generation: 0 },
      data: { token: 'eA==' },
    });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 5],
    ['an empty object', {}],
    ['no uid', { metadata: { name: 'a', resourceVersion: '1' } }],
    ['no version', { metadata: { name: 'a', uid: 'b' } }],
    ['an empty name', { metadata: { name: '', uid: 'b', resourceVersion: '1' } }],
  ])('that is %s is an error', (_name, value) => {
    expect(() => toResource(widgets, value)).toThrow(
      'cannot read widgets: the answer contains something that is not a Widget',
    );
  });
});

describe('the status of a received object', () => {
  const ledger = '{"v":1}';
  const statuses = [
    ['is what came', {}, { id: 'x', nested: { list: [1, null] } }],
    ['has the ledger that the annotation has', { [ledgerAnnotation]: ledger }, { id: 'x', ledger }],
    ['has a ledger of its own', { [ledgerAnnotation]: ledger }, { id: 'x', ledger: '{"v":2}' }],
    ['has none beside an annotation', { [ledgerAnnotation]: ledger }, { id: 'x' }],
    ['has one without an annotation', {}, { ledger }],
  ] as const;

  it.each(statuses)('%s', (_name, annotations, status) => {
    const kept = toResource(widgets, { ...received({ annotations }), status });
    expect(kept.status).toEqual(status);
    expect(kept).toEqual({ ...toResource(widgets, received({ annotations })), status });
    expect(JSON.parse(JSON.stringify(kept))).toMatchObject({ status });
  });

  it('is the same at the next look, and goes into a copy', () => {
    const kept = toResource(widgets, { ...received({}), status: { id: 'x' } });
    expect(kept.status).toBe(kept.status);
    expect({ ...kept }.status).toEqual({ id: 'x' });
  });

  it('stays with the spec of an earlier version', () => {
    const [earlier, later] = ['5', '6'].map((resourceVersion) =>
      toResource(widgets, { ...received({ generation: 1, resourceVersion }), status: { resourceVersion } }),
    );
    const shared = sharing(later as RawResource, earlier);
    expect(shared).toEqual(later);
    expect(shared.spec).toBe(earlier?.spec);
  });

  it.each([undefined, null, 'text'])('that is %s stays so', (status) => {
    expect(toResource(widgets, { ...received({}), status }).status).toBe(status);
  });
});

describe('a later version', () => {
  const version = (metadata: object) => {
    const plain = widget({ spec: { size: 1 } });
    return toResource(widgets, { ...plain, metadata: { ...plain.metadata, generation: 3, ...metadata } });
  };
  const earlier = version({ resourceVersion: '5' });

  it('of the same generation has the very spec of the earlier one', () => {
    const later = sharing(version({ resourceVersion: '6' }), earlier);
    expect(later).toEqual(version({ resourceVersion: '6' }));
    expect(later.spec).toBe(earlier.spec);
  });

  it.each([
    ['another generation', earlier, { generation: 4 }],
    ['another object of its name', earlier, { uid: 'other' }],
    ['a kind without generations', version({ generation: 0 }), { generation: 0 }],
    ['what was never seen', undefined, {}],
  ])('of %s has its own', (_name, before, changed) => {
    const later = version({ resourceVersion: '6', ...changed });
    expect(sharing(later, before)).toBe(later);
  });
});

describe('the place of an object', () => {
  it('is its namespace and name', () => {
    expect(placeOf(widget({ namespace: 'a', name: 'b' }).metadata)).toBe('a/b');
  });
});
