// The index of dependents against a plain account, and its size.
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Dependents, externalText } from '../../../src/operator/controller/dependents.ts';

const key = fc.constantFrom<string>('k1', 'k2', 'k3', 'k4');
const dependency = fc.constantFrom<string>('d1', 'd2', 'd3', 'd4', 'd5');

describe('dependents', () => {
  test('are found by what they depend on, until they do not any more', () => {
    const index = new Dependents();
    const template = 'NodeGroupTemplate/team/workers';
    expect(index.set('Cluster/team/a', [template, 'Connection/team/main'])).toEqual([]);
    index.set('Cluster/team/b', [template]);
    expect(index.dependentsOf(template)).toEqual(['Cluster/team/a', 'Cluster/team/b']);
    expect(index.set('Cluster/team/a', ['Connection/team/main'])).toEqual([template]);
    expect(index.dependentsOf(template)).toEqual(['Cluster/team/b']);
    expect(index.remove('Cluster/team/b')).toEqual([template]);
    expect(index.has(template)).toBe(false);
    expect(index.dependentsOf(template)).toEqual([]);
    expect(index.size).toBe(1);
  });

  test('nothing is dropped by a change of order or a repetition', () => {
    const index = new Dependents();
    index.set('k', ['a', 'b']);
    expect(index.set('k', ['b', 'a'])).toEqual([]);
    expect(index.set('k', ['a', 'a', 'b'])).toEqual([]);
    expect(index.dependentsOf('a')).toEqual(['k']);
    expect(index.remove('k')).toEqual(['a', 'a', 'b']);
    expect([index.has('a'), index.has('b'), index.size]).toEqual([false, false, 0]);
  });

  test('the answer stays the same while the index changes', () => {
    const index = new Dependents();
    for (const name of ['x', 'y', 'z']) index.set(name, ['d']);
    const seen: string[] = [];
    for (const name of index.dependentsOf('d')) {
      seen.push(name);
      index.remove(name);
    }
    expect(seen).toEqual(['x', 'y', 'z']);
    expect(index.has('d')).toBe(false);
  });

  test('agree with a plain account whatever happens', () => {
    const sets = fc.array(fc.tuple(key, fc.array(dependency, { maxLength: 4 })), { maxLength: 50, size: 'max' });
    const property = fc.property(sets, (steps) => {
      const index = new Dependents();
      const account = new Map<string, readonly string[]>();
      for (const [name, dependencies] of steps) {
        const before = account.get(name) ?? [];
        expect(new Set(index.set(name, dependencies))).toEqual(
          new Set(before.filter((one) => !dependencies.includes(one))),
        );
        account.set(name, dependencies);
        for (const one of ['d1', 'd2', 'd3', 'd4', 'd5']) {
          const expected = [...account].filter(([, all]) => all.includes(one)).map(([holder]) => holder);
          expect(index.dependentsOf(one).toSorted()).toEqual(expected.toSorted());
          expect(index.has(one)).toBe(expected.length > 0);
        }
      }
      for (const name of account.keys()) index.remove(name);
      expect(index.size).toBe(0);
    });
    fc.assert(property);
  });

  test('10,000 keys that share one dependency come and go without a look at the others', () => {
    const index = new Dependents();
    const walks = [Set, Map].flatMap(({ prototype }) => [
      vi.spyOn(prototype, Symbol.iterator),
      vi.spyOn(prototype, 'forEach'),
      vi.spyOn(prototype, 'keys'),
      vi.spyOn(prototype, 'values'),
      vi.spyOn(prototype, 'entries'),
    ]);
    onTestFinished(() => void vi.restoreAllMocks());
    for (let n = 0; n < 10_000; n += 1) index.set(`k${n}`, ['shared', `own${n}`]);
    for (let n = 0; n < 10_000; n += 1) index.remove(`k${n}`);
    const walked = walks.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    vi.restoreAllMocks();
    expect(walked).toBe(0);
    expect([index.size, index.has('shared')]).toEqual([0, false]);
  });

  test('objects of the service are named by connection, collection and id', () => {
    expect(externalText('team/main', 'clusters', '42')).toBe('team/main/clusters/42');
  });
});
