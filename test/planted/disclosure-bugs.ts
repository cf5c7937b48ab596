// Bugs that would show what a service keeps to itself.
import type * as info from '../../src/wire/cluster-info.ts';
import type { Bug } from './bug.ts';

const suite = { tests: 'wire/cluster-info' };

export const disclosureBugs: readonly Bug[] = [
  {
    name: 'all that a plugin keeps with the addresses of a cluster is shown',
    breaks: 'S1',
    suite,
    plant: { 'cluster-info.readInfo': (): typeof info.readInfo => (given) => given as info.ClusterInfo },
  },
  {
    name: 'an address is shown with the user information in it',
    breaks: 'S1',
    suite,
    plant: {
      'cluster-info.publicAddress': (): typeof info.publicAddress => (text) =>
        URL.canParse(text) ? text.replace(/[?#].*$/s, '') : undefined,
    },
  },
];
