// Which name is taken for the one that was meant.
import { expect, test } from 'vitest';
import { didYouMean, similarTo } from '../../src/lib/similar.ts';

test.each<readonly [string, readonly string[], string | undefined]>([
  ['smal', ['large', 'small'], 'small'],
  ['smlal', ['small'], 'small'],
  ['wroker', ['master', 'worker'], 'worker'],
  ['worker-1', ['worker-3', 'worker-2'], 'worker-2'],
  ['small', ['large'], undefined],
  ['a', ['b'], undefined],
  ['ab', ['abcd'], undefined],
  ['small', [], undefined],
])('%s among %j: %s', (name, candidates, expected) => {
  expect(similarTo(name, candidates)).toBe(expected);
});

test('is asked for only where there is one', () => {
  expect(didYouMean('smal', ['small'])).toBe(': did you mean small?');
  expect(didYouMean('tiny', ['small'])).toBe('');
});
