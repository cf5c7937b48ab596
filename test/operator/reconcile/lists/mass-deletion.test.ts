// When so many objects are gone at once that nothing is made again: the threshold, what counts, and whose word ends it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  detectMassDeletions,
  massDeletionText,
  type Recorded,
} from '../../../../src/operator/reconcile/lists/mass-deletion.ts';
import { viewOf } from '../support.ts';

const recorded = (count: number, collection = 'clusters'): readonly Recorded[] =>
  Array.from({ length: count }, (_, index) => ({ collection, id: `id-${index}` }));
const listing = (from: number, to: number) =>
  viewOf(Array.from({ length: to - from }, (_, index) => ({ id: `id-${from + index}`, name: 'x' })));
const clusters = (view: ReturnType<typeof listing>) => new Map([['clusters', view]]);

/** Of the only namespace. */
const detectMassDeletion = (of: Iterable<Recorded>, views: Parameters<typeof detectMassDeletions>[1]) =>
  detectMassDeletions(new Map([['team-a', of]]), views).get('team-a');

describe('the threshold', () => {
  test.each([
    ['nothing', 10, 0, false],
    ['two of two', 2, 2, false],
    ['three of three', 3, 3, true],
    ['two of ten, which is the fifth', 10, 2, false],
    ['three of ten', 10, 3, true],
    ['the fifth of a hundred', 100, 20, false],
    ['more than the fifth of a hundred', 100, 21, true],
  ])('%s', (_name, all, gone, expected) => {
    const loss = detectMassDeletion(recorded(all), clusters(listing(gone, all)));
    expect(loss !== undefined).toBe(expected);
    if (loss) expect(loss).toMatchObject({ of: all, gone: expect.objectContaining({ length: gone }) });
  });
});

describe('what counts', () => {
  test('a collection without a list says nothing, nor does one that was read in part', () => {
    expect(detectMassDeletion(recorded(9), new Map())).toBeUndefined();
    expect(detectMassDeletion(recorded(9), clusters(viewOf([], { complete: false })))).toBeUndefined();
  });

  test('what may be an entry that cannot be read does not count, and all else does', () => {
    const unreadable = [
      { id: 'id-0', problem: 'no status' },
      { id: 'other', problem: 'no status' },
    ];
    expect(detectMassDeletion(recorded(9), clusters(viewOf([], { unreadable })))).toMatchObject({
      of: 8,
      gone: expect.objectContaining({ length: 8 }),
    });
  });

  test('what is gone of one collection counts against the objects of all', () => {
    const both = [...recorded(3, 'clusters'), ...recorded(20, 'images')];
    const views = new Map([
      ['clusters', listing(0, 0)],
      ['images', listing(0, 20)],
    ]);
    expect(detectMassDeletion(both, views)).toBeUndefined();
    expect(detectMassDeletion(both.slice(0, 12), views)).toMatchObject({
      of: 12,
      gone: ['clusters id-0', 'clusters id-1', 'clusters id-2'],
    });
  });
});

describe('the hash', () => {
  test('names exactly what is gone, in whatever order it was recorded', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...recorded(9)], { minLength: 3 }), (some) => {
        const [one, other] = [some, [...some].reverse()].map((each) =>
          detectMassDeletion(each, clusters(listing(0, 0))),
        );
        expect(one).toEqual(other);
        const fewer = detectMassDeletion(some.slice(1), clusters(listing(0, 0)));
        expect(fewer?.hash).not.toBe(one?.hash);
      }),
    );
  });

  test('is told with both ways out', () => {
    const loss = detectMassDeletion(recorded(3), clusters(listing(0, 0)));
    expect(
      loss &&
        massDeletionText(loss, {
          annotation: 'x/accept-loss',
          connection: { namespace: 'team-a', name: 'main' },
        }),
    ).toMatch(
      /^3 of 3 objects disappeared from the service at once, so the operator recreates none of them\. It continues when they are back\. If they are lost, run: kubectl annotate dpconn main -n team-a --overwrite x\/accept-loss=[a-z2-7]{8}$/,
    );
  });
});
