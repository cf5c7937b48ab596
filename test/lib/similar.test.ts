// Which name is taken for the one that was meant.
import { expect, test } from 'vitest';
import { didYouMean, distance, similarTo } from '../../src/lib/similar.ts';

test.each<readonly [string, readonly string[], string | undefined]>([
  ['smal', ['large', 'small'], 'small'],
  ['smlal', ['small'], 'small'],
  ['wroker', ['master', 'worker'], 'worker'],
  ['worker-1', ['worker-3', 'worker-2'], 'worker-2'],
  ['small', ['large'], undefined],
  ['a', ['b'], undefined],
  ['ab', ['abcd'], undefined],
  ['small', [], undefined],
  // Two letters that are exchanged are one error.
  ['abc', ['acb'], 'acb'],
])('%s among %j: %s', (name, candidates, expected) => {
  expect(similarTo(name, candidates)).toBe(expected);
});

test('is asked for only where there is one', () => {
  expect(didYouMean('smal', ['small'])).toBe(': did you mean small?');
  expect(didYouMean('tiny', ['small'])).toBe('');
});

test('a distance counts letters, and stops where it does not matter', () => {
  const of = (one: string, other: string) => distance(one, other, 2);
  expect(of('memory', 'memory')).toBe(0);
  expect(of('memroy', 'memory')).toBe(1);
  expect(of('memor', 'memory')).toBe(1);
  expect(of('memories', 'memory')).toBe(3);
  expect(of('exectuor', 'executor')).toBe(1);
  expect(of('', 'ab')).toBe(2);
  expect(of('much', 'longer text')).toBe(3);
});
