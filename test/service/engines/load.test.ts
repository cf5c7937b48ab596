// How many machines work needs: what runs stays, what waits fills busy machines first.
import { describe, expect, test } from 'vitest';
import {
  type Capacity,
  countIn,
  type LoadedNode,
  loadOf,
  noRoom,
  type Waiting,
} from '../../../src/service/engines/load.ts';
import { node } from './run-of-a-job.ts';

const size: Capacity = { cores: 4, memory: 4000 };
const machine = (free: Capacity | 'idle', group = 'workers'): LoadedNode => {
  const at = node(group, '127.0.0.1');
  return { node: at, size, free: free === 'idle' ? size : free, isBusy: free !== 'idle' };
};
const free = (cores: number, memory: number): Capacity => ({ cores, memory });
const waits = (count: number, cores: number, memory: number): Waiting => ({ count, cores, memory });

describe('the load of a node group', () => {
  test.each<readonly [string, readonly LoadedNode[], readonly Waiting[], number, number]>([
    ['of nothing is nothing', [machine('idle'), machine('idle')], [], 0, 0],
    ['has what runs', [machine(noRoom), machine('idle')], [], 1, 1],
    ['stays the same if what waits has a place on busy machines', [machine(free(2, 2000))], [waits(2, 1, 1000)], 1, 1],
    ['takes empty machines for the rest', [machine(free(2, 2000)), machine('idle')], [waits(3, 1, 1000)], 2, 1],
    ['takes more than there are', [machine(noRoom)], [waits(9, 1, 1000)], 4, 1],
    ['is rounded up', [machine('idle')], [waits(5, 1, 10)], 2, 0],
    ['counts memory, where it is what is short', [machine('idle')], [waits(4, 1, 3000)], 4, 0],
    ['counts memory alone, where cores do not matter', [machine('idle')], [waits(8, 0, 2000)], 4, 0],
    ['has no machine for pieces that fit on none', [machine(noRoom)], [waits(1, 1, 5000), waits(1, 5, 1)], 1, 1],
    ['puts pieces of different sizes together', [machine('idle')], [waits(1, 3, 1000), waits(1, 1, 3000)], 1, 0],
    ['leaves room that is too small', [machine(free(1, 4000))], [waits(2, 2, 100)], 2, 1],
    ['gives nothing to machines that leave', [machine(noRoom)], [waits(1, 1, 1)], 2, 1],
    ['of pieces without a size is one machine', [machine('idle')], [waits(7, 0, 0)], 1, 0],
    ['is bounded', [machine(noRoom)], [waits(1e9, 4, 1)], 10_000, 1],
    ['is bounded for many sizes', [machine('idle')], Array.from({ length: 5000 }, () => waits(1e9, 3, 7)), 10_000, 0],
  ])('%s', (_, machines, waiting, wantedNodes, busyNodes) => {
    expect(loadOf(machines, waiting)).toEqual({ workers: { wantedNodes, busyNodes } });
  });

  test('counts all of what waits, beside what runs in the group itself', () => {
    const machines = [machine(noRoom, 'small'), machine(noRoom, 'small'), machine('idle', 'large')];
    const load = loadOf(machines, [waits(5, 1, 100)]);
    expect(load).toEqual({
      small: { wantedNodes: 4, busyNodes: 2 },
      large: { wantedNodes: 2, busyNodes: 0 },
    });
  });
});

test.each([
  [3, 3],
  [2.7, 2],
  [-1, 0],
  ['3', 0],
  [undefined, 0],
  [Number.NaN, 0],
  [Number.POSITIVE_INFINITY, 0],
])('%j in an answer counts as %i', (value, count) => expect(countIn(value)).toBe(count));
