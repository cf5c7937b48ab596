// Bugs that would let a long answer cost too much, or leave a large cluster running.
import type * as limits from '../../src/operator/client/limits.ts';
import type * as own from '../../src/operator/reconcile/ownership/ownership.ts';
import type { Bug } from './bug.ts';
import { replacing } from './ground.ts';

export const answerBugs: readonly Bug[] = [
  {
    name: 'of a cluster with thousands of machines nothing is read but what identifies it',
    breaks: 'L1',
    suite: { tests: 'operator/client/json/large-cluster' },
    plant: replacing<typeof limits.mostOf>('limits.mostOf', (real) => () => real({})),
  },
  {
    name: 'a list is kept however long it is',
    breaks: 'M1',
    suite: { tests: 'operator/client/list/list-reading' },
    plant: { 'limits.isFull': (): typeof limits.isFull => () => false },
  },
  {
    name: 'what cannot be read to its end is never deleted',
    breaks: 'L1',
    suite: { tests: 'operator/reconcile/protocol/delete-protocol' },
    plant: { 'ownership.unreadOwn': (): typeof own.unreadOwn => () => undefined },
  },
];
