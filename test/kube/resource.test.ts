// What is kept of a received object.
import { describe, expect, it } from 'vitest';
import { placeOf, toResource } from '../../src/kube/resource.ts';
import { widget, widgets } from '../operator/kube/support/objects.ts';

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
      'cannot read widgets: the answer contains something that is not a Widget',
    );
  });
});

describe('the status of a received object', () => {
  it.each([[{ id: 'x', nested: { list: [1, null] } }], [undefined], [null], ['text']])(
    '%j stays as it came',
    (status) => {
      expect(toResource(widgets, { ...received({}), status }).status).toBe(status);
    },
  );
});

describe('the place of an object', () => {
  it('is its namespace and name', () => {
    expect(placeOf(widget({ namespace: 'a', name: 'b' }).metadata)).toBe('a/b');
  });
});
