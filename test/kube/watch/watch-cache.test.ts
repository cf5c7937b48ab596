// The cache: what each arrival changes, and how own writes and watch events meet.
import { describe, expect, it } from 'vitest';
import { placeOf } from '../../../src/kube/resource.ts';
import { Cache } from '../../../src/kube/watch/watch-cache.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { type Sketch, widget } from '../../operator/kube/support/objects.ts';

const place = 'team-a/one';

function holding(...objects: readonly RawResource[]): Cache {
  const cache = new Cache();
  for (const object of objects) cache.put(object);
  return cache;
}

function listed(...sketches: readonly Sketch[]): Map<string, RawResource> {
  return new Map(sketches.map((sketch) => [placeOf(widget(sketch).metadata), widget(sketch)]));
}

describe('put', () => {
  it('reports a new object', () => {
    const cache = new Cache();
    expect(cache.put(widget({ version: 1 }))).toEqual([{ previous: undefined, current: widget({ version: 1 }) }]);
    expect(cache.get(place)).toEqual(widget({ version: 1 }));
    expect([...cache.values()]).toHaveLength(1);
    expect(cache.size).toBe(1);
  });

  it('reports a newer version', () => {
    const cache = holding(widget({ version: 9 }));
    expect(cache.put(widget({ version: 10 }))).toEqual([
      { previous: widget({ version: 9 }), current: widget({ version: 10 }) },
    ]);
  });

  it.each([9, 10])('ignores version %i when it holds 10', (version) => {
    const cache = holding(widget({ version: 10, spec: 'kept' }));
    expect(cache.put(widget({ version, spec: 'late' }))).toEqual([]);
    expect(cache.get(place)?.spec).toBe('kept');
  });

  it('reports another uid as delete and add', () => {
    const cache = holding(widget({ uid: 'old', version: 1 }));
    expect(cache.put(widget({ uid: 'new', version: 5 }))).toEqual([
      { previous: widget({ uid: 'old', version: 1 }), current: undefined },
      { previous: undefined, current: widget({ uid: 'new', version: 5 }) },
    ]);
  });
});

describe('remove', () => {
  it('reports the object as it was known', () => {
    const cache = holding(widget({ version: 3 }));
    expect(cache.remove(widget({ version: 7 }))).toEqual([{ previous: widget({ version: 3 }), current: undefined }]);
    expect(cache.get(place)).toBeUndefined();
  });

  it('says nothing about what is not known', () => {
    expect(new Cache().remove(widget())).toEqual([]);
  });

  it('leaves a newer object of the same name alone', () => {
    const cache = holding(widget({ uid: 'new', version: 9 }));
    expect(cache.remove(widget({ uid: 'old', version: 8 }))).toEqual([]);
    expect(cache.get(place)?.metadata.uid).toBe('new');
  });

  it('takes an object that left the selection, even when our own write is newer', () => {
    const cache = holding(widget({ version: 1 }));
    cache.beginWrite(place);
    cache.endWrite(place, { base: widget({ version: 1 }), answer: widget({ version: 9 }) });
    expect(cache.remove(widget({ version: 8 }))).toHaveLength(1);
  });
});

describe('replace', () => {
  it('reports additions, changes and deletions, and nothing else', () => {
    const cache = holding(
      widget({ name: 'gone' }),
      widget({ name: 'same', version: 2 }),
      widget({ name: 'new', version: 3 }),
    );
    const objects = listed({ name: 'same', version: 2 }, { name: 'new', version: 4 }, { name: 'first', version: 5 });
    expect(cache.replace({ objects, namespace: undefined, mark: cache.mark() })).toEqual([
      { previous: widget({ name: 'gone' }), current: undefined },
      { previous: widget({ name: 'new', version: 3 }), current: widget({ name: 'new', version: 4 }) },
      { previous: undefined, current: widget({ name: 'first', version: 5 }) },
    ]);
  });

  it('touches only its own namespace', () => {
    const cache = holding(widget({ namespace: 'a' }), widget({ namespace: 'b' }));
    const changes = cache.replace({ objects: new Map(), namespace: 'a', mark: cache.mark() });
    expect(changes).toEqual([{ previous: widget({ namespace: 'a' }), current: undefined }]);
    expect(cache.get('b/one')).toBeDefined();
  });

  it('reports another uid as delete and add', () => {
    const cache = holding(widget({ uid: 'old', version: 1 }));
    const changes = cache.replace({ objects: listed({ uid: 'new', version: 4 }), namespace: undefined, mark: 0 });
    expect(changes.map(({ current }) => current?.metadata.uid)).toEqual([undefined, 'new']);
  });

  it('goes back to older versions: the API server may have been restored from a backup', () => {
    const cache = holding(widget({ version: 1000 }));
    const changes = cache.replace({ objects: listed({ version: 500 }), namespace: undefined, mark: cache.mark() });
    expect(changes).toHaveLength(1);
    expect(cache.get(place)?.metadata.resourceVersion).toBe('500');
  });

  it('keeps the answer of a write that came after the list was asked for', () => {
    const cache = holding(widget({ version: 5 }));
    const mark = cache.mark();
    cache.beginWrite(place);
    cache.endWrite(place, { base: widget({ version: 5 }), answer: widget({ version: 8 }) });
    expect(cache.replace({ objects: listed({ version: 5 }), namespace: undefined, mark })).toEqual([]);
    expect(cache.get(place)?.metadata.resourceVersion).toBe('8');
  });

  it('keeps it only until the watch has told of it: no list is under way while a watch is', () => {
    const cache = holding(widget({ version: 5 }));
    cache.beginWrite(place);
    cache.endWrite(place, { base: widget({ version: 5 }), answer: widget({ version: 8 }) });
    expect(cache.put(widget({ version: 8 }))).toEqual([]);
    cache.replace({ objects: listed({ version: 6 }), namespace: undefined, mark: 0 });
    expect(cache.get(place)?.metadata.resourceVersion).toBe('6');
  });

  it('does not keep the answer of a write from before', () => {
    const cache = holding(widget({ version: 5 }));
    cache.beginWrite(place);
    cache.endWrite(place, { base: widget({ version: 5 }), answer: widget({ version: 800 }) });
    const changes = cache.replace({ objects: listed({ version: 6 }), namespace: undefined, mark: cache.mark() });
    expect(changes).toHaveLength(1);
    expect(cache.get(place)?.metadata.resourceVersion).toBe('6');
  });
});

describe('an own write', () => {
  const base = widget({ version: 10 });
  const answer = widget({ version: 12, status: 'ours' });

  it('is seen by the next read and is no change', () => {
    const cache = holding(base);
    cache.beginWrite(place);
    expect(cache.endWrite(place, { base, answer })).toEqual({ changes: [], own: { previous: base, current: answer } });
    expect(cache.get(place)).toBe(answer);
  });

  it('has an echo that is no change when it comes later', () => {
    const cache = holding(base);
    cache.beginWrite(place);
    cache.endWrite(place, { base, answer });
    expect(cache.put(answer)).toEqual([]);
  });

  it('has an echo that is no change when it comes first', () => {
    const cache = holding(base);
    cache.beginWrite(place);
    expect(cache.put(answer)).toEqual([]);
    expect(cache.get(place)).toBe(answer);
    expect(cache.endWrite(place, { base, answer })).toEqual({ changes: [], own: { previous: base, current: answer } });
  });

  it('is not undone by a late older event', () => {
    const cache = holding(base);
    cache.beginWrite(place);
    cache.endWrite(place, { base, answer });
    expect(cache.put(widget({ version: 11 }))).toEqual([]);
    expect(cache.get(place)).toBe(answer);
  });

  it('is followed by what others do', () => {
    const cache = holding(base);
    cache.beginWrite(place);
    cache.put(answer);
    const next = widget({ version: 13, spec: 'theirs' });
    cache.put(next);
    expect(cache.endWrite(place, { base, answer }).changes).toEqual([{ previous: answer, current: next }]);
    expect(cache.get(place)).toBe(next);
  });

  it('that changed nothing changes nothing', () => {
    const cache = holding(base);
    cache.beginWrite(place);
    expect(cache.endWrite(place, { base, answer: base })).toEqual({ changes: [], own: undefined });
  });

  it('made from something newer than the cache is a change: nobody has heard of that yet', () => {
    const cache = holding(base);
    const fresh = widget({ version: 11, spec: 'theirs' });
    cache.beginWrite(place);
    expect(cache.endWrite(place, { base: fresh, answer })).toEqual({
      changes: [{ previous: base, current: answer }],
      own: undefined,
    });
  });

  it('that failed hands over what was held back', () => {
    const cache = holding(base);
    cache.beginWrite(place);
    cache.put(answer);
    expect(cache.endWrite(place)).toEqual({ changes: [{ previous: base, current: answer }], own: undefined });
  });

  it('never brings back what was deleted meanwhile', () => {
    const cache = holding(base);
    cache.beginWrite(place);
    cache.remove(widget({ version: 13 }));
    expect(cache.endWrite(place, { base, answer })).toEqual({
      changes: [{ previous: base, current: undefined }],
      own: undefined,
    });
    expect(cache.get(place)).toBeUndefined();
  });

  it('never takes the place of a new object of the same name', () => {
    const cache = holding(base);
    const reborn = widget({ uid: 'new', version: 20 });
    cache.beginWrite(place);
    cache.remove(widget({ version: 13 }));
    cache.put(reborn);
    expect(cache.endWrite(place, { base, answer }).own).toBeUndefined();
    expect(cache.get(place)).toBe(reborn);
  });

  it('of an object that the cache does not hold is left to the watch', () => {
    const cache = new Cache();
    cache.beginWrite(place);
    expect(cache.endWrite(place, { base, answer })).toEqual({ changes: [], own: undefined });
    expect(cache.size).toBe(0);
  });

  it('does not hold back other objects', () => {
    const cache = holding(base);
    cache.beginWrite(place);
    expect(cache.put(widget({ name: 'other' }))).toHaveLength(1);
  });

  it('may overlap with another one', () => {
    const cache = holding(base);
    cache.beginWrite(place);
    cache.beginWrite(place);
    cache.put(answer);
    expect(cache.endWrite(place).changes).toHaveLength(1);
    const later = widget({ version: 14 });
    cache.put(later);
    expect(cache.endWrite(place, { base: answer, answer: later }).changes).toEqual([]);
    expect(cache.put(widget({ version: 15 }))).toHaveLength(1);
  });
});

describe('an index', () => {
  it('has the objects under each text, after lists and deletions, too', () => {
    const cache = new Cache(({ spec }) => spec as string | undefined);
    const names = (text: string) => cache.indexed(text).map(({ metadata }) => metadata.name);
    cache.put(widget({ name: 'a', spec: 'x' }));
    cache.put(widget({ name: 'b', spec: 'x' }));
    cache.put(widget({ name: 'c' }));
    expect([names('x'), names('y')]).toEqual([['a', 'b'], []]);
    const objects = listed({ name: 'a', spec: 'y', version: 2 }, { name: 'b', spec: 'x' }, { name: 'd', spec: 'x' });
    cache.replace({ objects, namespace: undefined, mark: cache.mark() });
    expect([names('x'), names('y')]).toEqual([['b', 'd'], ['a']]);
    cache.remove(widget({ name: 'b', version: 3 }));
    expect(names('x')).toEqual(['d']);
  });
});

describe('the last release', () => {
  const marks = (finalizers: readonly string[]) => ({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers });
  const object = (version: number, finalizers: readonly string[]): RawResource => {
    const plain = widget({ version });
    return { ...plain, metadata: { ...plain.metadata, ...marks(finalizers) } };
  };

  // The API server answers it with the version that the object had before.
  it('counts although its version is not newer, so that nobody releases again', () => {
    const cache = holding(object(5, ['a/b']));
    cache.beginWrite(place);
    cache.endWrite(place, { base: object(5, ['a/b']), answer: object(5, []) });
    expect(cache.get(place)?.metadata.finalizers).toEqual([]);
    expect(cache.put(object(4, ['a/b']))).toEqual([]);
    expect(cache.get(place)?.metadata.finalizers).toEqual([]);
    expect(cache.remove(object(6, []))).toHaveLength(1);
    expect(cache.get(place)).toBeUndefined();
  });

  it('of one finalizer among several is a write like any other', () => {
    const cache = holding(object(5, ['a/b', 'c/d']));
    cache.beginWrite(place);
    cache.endWrite(place, { base: object(5, ['a/b', 'c/d']), answer: object(5, ['c/d']) });
    expect(cache.get(place)?.metadata.finalizers).toEqual(['a/b', 'c/d']);
  });
});
