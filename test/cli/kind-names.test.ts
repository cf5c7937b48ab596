// The kinds, by all the names that kubectl accepts.
import { expect, test } from 'vitest';
import { customKinds, kindNamed, objectNamed } from '../../src/cli/kind-names.ts';
import { definitions, kinds } from '../../src/operator/kinds/index.ts';

test('every kind of the registry is one that the plugin knows', () => {
  expect(definitions).toEqual(expect.arrayContaining(kinds.map(({ definition }) => definition)));
  // Those of a namespace.
  expect(customKinds).toHaveLength(definitions.filter(({ scope }) => scope === undefined).length);
});

test.each(
  definitions.flatMap(({ kind, plural, shortName }) => [kind, plural, shortName].map((word) => [word, kind] as const)),
)('%s is %s', (word, kind) => {
  for (const suffix of ['', '.dataprocessing.dev', '.v1alpha1.dataprocessing.dev'])
    expect(kindNamed(`${word}${suffix}`)?.kind).toBe(kind);
  expect(objectNamed([`${word}/x`])).toEqual(objectNamed([word, 'x']));
});

test('a kind of another group is none', () => {
  expect(kindNamed('clusters.example.com')).toBeUndefined();
});
