// When a rule applies: by number, by every so many, by rate, and never more often than it may.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chanceOf, isDue } from '../../dev/personality/injector.ts';
import type { RuleCondition } from '../../dev/personality/personality.ts';

/** Which of the first ten matches a rule applies to, with the chances given in turn. */
function applied(rule: RuleCondition, chances: readonly number[] = [0]): readonly number[] {
  const hits: number[] = [];
  for (let met = 1; met <= 10; met += 1) {
    const chance = chances[(met - 1) % chances.length] ?? 0;
    if (isDue(rule, { met, applied: hits.length }, chance)) hits.push(met);
  }
  return hits;
}

describe('the occasion of a rule', () => {
  test.each<readonly [RuleCondition, readonly number[]]>([
    [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    [{ times: 2 }, [1, 2]],
    [{ nth: 3 }, [3]],
    [{ nth: 3, times: 5 }, [3]],
    [{ every: 4 }, [4, 8]],
    [{ every: 2, times: 3 }, [2, 4, 6]],
    [{ every: 1 }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    [{ rate: 0 }, []],
  ])('%j applies to %j', (rule, hits) => expect(applied(rule)).toEqual(hits));

  test.each<readonly [RuleCondition, readonly number[]]>([
    [{ rate: 1 }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    [{ rate: 0.5 }, [1, 3, 5, 7, 9]],
    [{ rate: 0.5, times: 2 }, [1, 3]],
    [{ rate: 0.4 }, []],
  ])('%j with a chance of 0.4 and 0.99 in turn applies to %j', (rule, hits) =>
    expect(applied(rule, [0.4, 0.99])).toEqual(hits),
  );

  test('chance is the same for the same seed, and spread evenly over matches and rules', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.nat(20), (seed, rule) => {
        const chances = Array.from({ length: 400 }, (_, match) => chanceOf(seed, rule, match));
        expect(chances).toEqual(Array.from({ length: 400 }, (_, match) => chanceOf(seed, rule, match)));
        const below = chances.filter((chance) => chance < 0.5).length;
        expect(Math.abs(below - 200)).toBeLessThan(70);
      }),
    );
  });

  test('another seed and another rule hit other matches', () => {
    const hits = (seed: number, rule: number) =>
      Array.from({ length: 64 }, (_, match) => chanceOf(seed, rule, match) < 0.5).join();
    expect(new Set([hits(1, 0), hits(2, 0), hits(1, 1), hits(2, 1)]).size).toBe(4);
  });
});
