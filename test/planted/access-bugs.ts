// Bugs that would let one namespace that may not be read stop the others, or be taken for one that holds nothing.
import type * as followed from '../../src/operator/kube/access.ts';
import type { Bug } from './bug.ts';
import { replacing } from './ground.ts';

const suite = { tests: 'operator/kube/namespace-watches' };

export const accessBugs: readonly Bug[] = [
  {
    name: 'a namespace that may not be read holds up the start of all others',
    breaks: 'L1',
    suite,
    plant: {
      'access.isSynced': (): typeof followed.isSynced => (sources) => sources.every(({ synced }) => synced),
    },
  },
  {
    name: 'a namespace that was never read is taken for one that is known',
    breaks: 'I1',
    suite,
    plant: replacing<typeof followed.accessOf>(
      'access.accessOf',
      (real) => (sources) => real(sources).map((one) => (one.access === 'unread' ? { ...one, access: 'lost' } : one)),
    ),
  },
];
