// Bugs that would let a long answer cost too much, or leave a large cluster running.
import type * as limits from '../../src/adapter/limits.ts';
import type * as outlining from '../../src/adapter/outlining.ts';
import type * as own from '../../src/reconcile/own.ts';
import type { Bug } from './bug.ts';

export const answerBugs: readonly Bug[] = [
  {
    name: 'of a row that is too large nothing is read but what identifies it',
    breaks: 'L1',
    suite: { tests: 'adapter/outlining' },
    plant: {
      'outlining.outline':
        (real: typeof outlining.outline): typeof outlining.outline =>
        (cursor) =>
          real(cursor, undefined),
    },
  },
  {
    name: 'a list is kept however long it is',
    breaks: 'M1',
    suite: { tests: 'adapter/listing' },
    plant: { 'limits.isFull': (): typeof limits.isFull => () => false },
  },
  {
    name: 'what cannot be read to its end is never deleted',
    breaks: 'L1',
    suite: { tests: 'reconcile/protocol-delete' },
    plant: { 'own.unreadOwn': (): typeof own.unreadOwn => () => undefined },
  },
];
