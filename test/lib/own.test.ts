// Objects that are read by keys of users have their own properties only.
import { expect, test } from 'vitest';
import { ownValue } from '../../src/lib/own.ts';

test('only own properties have a value', () => {
  expect(ownValue({ a: 1 }, 'a')).toBe(1);
  for (const inherited of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
    expect(ownValue<unknown>({ a: 1 }, inherited)).toBeUndefined();
  expect(ownValue<unknown>(JSON.parse('{"__proto__":2}') as Record<string, unknown>, '__proto__')).toBe(2);
  expect(ownValue<unknown>(undefined, 'a')).toBeUndefined();
});
