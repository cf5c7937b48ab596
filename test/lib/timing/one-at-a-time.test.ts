// Work of the same key does not overlap.
import { expect, test } from 'vitest';
import { OneAtATime } from '../../../src/lib/timing/one-at-a-time.ts';
import { settle } from '../../support/clock.ts';

test('work begins when that of the same key has ended, also if it has failed, and that of others at once', async () => {
  const begun: string[] = [];
  const one = new OneAtATime();
  const work = (name: string, key = 'a') => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const begin = () => {
      begun.push(name);
      return promise;
    };
    return { result: one.run(key, begin), resolve: () => resolve(name), reject };
  };
  const [first, second, third, other] = [work('1'), work('2'), work('3'), work('other', 'b')];
  let isOver = false;
  const ended = one.ended('a').then(() => (isOver = true));
  expect(begun).toEqual(['1', 'other']);
  first.reject(new Error('it failed'));
  await expect(first.result).rejects.toThrow('it failed');
  await settle();
  expect([begun, isOver]).toEqual([['1', 'other', '2'], false]);
  second.resolve();
  expect(await second.result).toBe('2');
  third.resolve();
  other.resolve();
  expect([await third.result, await other.result]).toEqual(['3', 'other']);
  await ended;
  work('4');
  expect(begun.at(-1)).toBe('4');
});
