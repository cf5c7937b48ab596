// Names that an operator generated, read by whoever sees them in a service.
import { expect, test } from 'vitest';
import { baseOf, installationMark, markOf } from '../../src/lib/generated-name.ts';
import { clusterName, revisionName } from '../../src/operator/reconcile/ledger/naming.ts';

const identity = { name: 'etl', uid: 'f3b0', installation: 'here' };

test.each([
  ['a cluster', clusterName(identity, 10), 'etl'],
  ['a revision', revisionName(identity, 'abcdefgh'), 'etl'],
  ['a file', revisionName(identity, 'abcdefgh', '.jar'), 'etl'],
])('the name of %s has the mark of its installation', (_what, name, base) => {
  expect([markOf(name), baseOf(name)]).toEqual([installationMark('here'), base]);
  expect(installationMark('here')).not.toBe(installationMark('there'));
});

test.each(['etl', 'etl-1', 'my-own-cluster', ''])('%j has none', (name) => {
  expect([markOf(name), baseOf(name)]).toEqual([undefined, name]);
});
