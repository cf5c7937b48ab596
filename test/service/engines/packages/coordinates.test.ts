// Which packages jobs can name.
import { describe, expect, test } from 'vitest';
import { readCoordinates } from '../../../../src/service/engines/packages/coordinates.ts';

test('are sorted, each once', () => {
  expect(readCoordinates(' org.b:b_2.13:1.0, org.a:a:2-rc1,org.b:b_2.13:1.0,')).toEqual([
    'org.a:a:2-rc1',
    'org.b:b_2.13:1.0',
  ]);
});

test('can have a slash after their group, as in Spark', () => {
  expect(readCoordinates('org.b/b_2.13:1.0,org.b:b_2.13:1.0')).toEqual(['org.b:b_2.13:1.0']);
});

describe('packages', () => {
  const malformed = 'which is no list of packages: name each as GROUP:ARTIFACT:VERSION, separated by commas';
  test.each([
    ['org.a:a', malformed],
    ['org.a:a:1:jar', malformed],
    ['org.a:a:1</version><version>2', malformed],
    ['org.a:${env.HOME}:1', malformed],
    ['org.a:a:[1,2)', malformed],
    ['../../etc:a:1', malformed],
    ['org.a/a/b:1', malformed],
    ['/etc/a:1', malformed],
    ['-Dx=y:a:1', malformed],
    ['org.a:a:1 2', malformed],
    ['org.a:a:1\n2', malformed],
    [`${'a'.repeat(200)}:a:1`, malformed],
    ['org.a:a:LATEST', 'whose org.a:a:LATEST can change: name a released version'],
    ['org.a:a:1.0-SNAPSHOT', 'whose org.a:a:1.0-SNAPSHOT can change: name a released version'],
    [Array.from({ length: 21 }, (_, index) => `a:b${index}:1`).join(), 'which names 21 packages: name 20 at most'],
  ])('like %j are refused', (text, why) => {
    expect(() => readCoordinates(text)).toThrow(why);
  });
});
