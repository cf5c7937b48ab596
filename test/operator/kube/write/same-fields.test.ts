// When two statuses say the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstDifference } from '../../../../src/operator/kube/write/writes.ts';

describe('no difference', () => {
  it.each([
    ['equal scalars', 1, 1],
    ['another order of fields', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['undefined instead of absent', { a: 1, b: undefined }, { a: 1 }],
    ['another order of objects in a list', [{ type: 'A' }, { type: 'B', x: 1 }], [{ x: 1, type: 'B' }, { type: 'A' }]],
    ['empty lists', { a: [] }, { a: [] }],
  ])('%s', (_name, wanted, found) => {
    expect(firstDifference(wanted, found)).toBeUndefined();
  });
});

describe('a difference', () => {
  it.each([
    ['a value', { a: { b: 1 } }, { a: { b: 2 } }, 'a.b'],
    ['a field too many', { a: 1 }, { a: 1, b: 2 }, 'b'],
    ['a field too few', { a: 1, b: 2 }, { a: 1 }, 'b'],
    [
      'an item too many',
      { conditions: [{ type: 'A' }] },
      { conditions: [{ type: 'A' }, { type: 'B' }] },
      'conditions[]',
    ],
    [
      'a field of an item',
      { conditions: [{ type: 'A', s: 1 }] },
      { conditions: [{ type: 'A', s: 2 }] },
      'conditions[]',
    ],
    ['the order of scalars', { a: [1, 2] }, { a: [2, 1] }, 'a[]'],
    ['the number of equal items', [{ a: 1 }, { a: 1 }, { b: 1 }], [{ a: 1 }, { b: 1 }, { b: 1 }], '[]'],
    ['another type', { a: [] }, { a: {} }, 'a'],
    ['nothing at all', { a: 1 }, undefined, ''],
  ])('in %s', (_name, wanted, found, path) => {
    expect(firstDifference(wanted, found)).toBe(path);
  });
});

describe('for any JSON', () => {
  it('a value never differs from its copy, and the answer is symmetric', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        expect(firstDifference(left, structuredClone(left))).toBeUndefined();
        expect(firstDifference(left, right) === undefined).toBe(firstDifference(right, left) === undefined);
      }),
    );
  });

  it('a list of objects is a set', () => {
    const items = fc.array(fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(items, (list) => {
        expect(firstDifference(list, list.toReversed())).toBeUndefined();
      }),
    );
  });
});
