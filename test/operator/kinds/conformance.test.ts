// No kind is registered without its call of the battery, for each share that it has.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kinds } from '../../../src/operator/kinds/index.ts';
import type { Kind } from '../../../src/operator/reconcile/kind/kind.ts';
import { hasShare, samples } from './conformance.ts';

test('every kind has a sample', () => {
  const names = samples.map(({ kind }) => kind.definition.kind);
  expect(names.toSorted()).toEqual(kinds.map(({ definition: { kind } }) => kind).toSorted());
});

test('every kind has one of the four contracts', () => {
  const names = (identity: Kind['identity']) =>
    kinds.filter((kind) => kind.identity === identity).map((kind) => kind.definition.kind);
  expect({ named: names('named'), content: names('content'), given: names('given'), once: names('once') }).toEqual({
    named: ['Cluster'],
    content: ['NodeGroupTemplate', 'ClusterTemplate', 'DataSource', 'JobBinary', 'Job'],
    given: ['ImageRegistration'],
    once: ['JobExecution'],
  });
});

const shares = samples.flatMap((sample) =>
  (['first', 'others'] as const).flatMap((share) =>
    hasShare(sample, share) ? [[sample.kind.definition.kind, share] as const] : [],
  ),
);

test.each(shares)('the battery runs over %s: %s', (kind, share) => {
  const folder = kind.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const name = share === 'first' ? 'conformance.test.ts' : 'conformance.long.test.ts';
  const file = new URL(`./${folder}/${name}`, import.meta.url);
  expect(existsSync(file), `test/operator/kinds/${folder}/${name}`).toBe(true);
  expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`conformance\\(\\w+, '${share}'\\)`));
});
