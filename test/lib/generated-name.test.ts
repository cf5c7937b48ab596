// Names that an operator generated, read by whoever sees them in a service.
import { expect, test } from 'vitest';
import { baseOf, installationMark, makerMark, markOf } from '../../src/lib/generated-name.ts';
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

test.each<readonly [string, string, string | undefined, string | undefined]>([
  ['of its own name, where that has one', clusterName(identity, 10), revisionName(identity, 'abcdefgh'), 'here'],
  ['of its private template, where a user has fixed its name', 'etl', revisionName(identity, 'abcdefgh'), 'here'],
  [
    'of its private template, whose name says it as services accept it',
    'Nightly.etl-of-the-whole-estate',
    revisionName({ ...identity, name: 'Nightly.etl-of-the-whole-estate' }, 'abcdefgh'),
    'here',
  ],
  ['of nobody, where its template is one of another name', 'analytics', revisionName(identity, 'abcdefgh'), undefined],
  ['of nobody, where a person named its template', 'etl', 'etl', undefined],
  ['of nobody, where its template is not known', 'etl', undefined, undefined],
])('an object has the mark %s', (_whose, name, template, installation) => {
  expect(makerMark(name, template)).toBe(installation && installationMark(installation));
});
