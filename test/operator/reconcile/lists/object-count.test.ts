// Counting: what resources claim, what bears our tag and nobody claims, and what is a stranger's.
import { expect, test } from 'vitest';
import { clusterName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import { countObjects } from '../../../../src/operator/reconcile/lists/object-count.ts';
import { viewOf } from '../support.ts';

const installation = 'here';
const ours = (name: string, of = installation) => clusterName({ name, uid: `uid-${name}`, installation: of }, 0);

test('claimed, unclaimed and strangers are told apart', () => {
  const rows = [
    { id: '1', name: ours('claimed-by-id') },
    { id: '2', name: ours('claimed-by-name') },
    { id: '4', name: ours('lost') },
    { id: '3', name: ours('lost-too') },
    { id: '5', name: ours('elsewhere', 'another-installation') },
    { id: '6', name: 'a-cluster-of-somebody' },
    { id: '7', name: ours('claimed-at-another-address') },
    { id: '8', name: 'an-image-that-is-claimed-in-another-service' },
  ];
  const known = ['1', ours('claimed-by-name')];
  const census = countObjects({
    installation,
    views: new Map([['clusters', viewOf(rows)]]),
    claimed: (collection, idOrName) => collection === 'clusters' && known.includes(idOrName),
    named: (collection, { id }) => collection === 'clusters' && ['7', '8'].includes(id),
  });
  expect(census).toEqual({
    managed: 3,
    unclaimed: [
      { collection: 'clusters', id: '3', name: ours('lost-too') },
      { collection: 'clusters', id: '4', name: ours('lost') },
    ],
  });
});
