// What is kept of a received object.
import { describe, expect, it } from 'vitest';
import { placeOf, sharing, toResource } from '../../src/kube/resource.ts';
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
      'cannot read widgets: the answer holds something that is no Widget',
    );
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
