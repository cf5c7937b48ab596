// Which texts are the same secret.
import { expect, test } from 'vitest';
import { grantsFor } from '../../../../src/service/api/authentication/authentication.ts';
import { isSameSecret } from '../../../../src/service/authentication/secrets.ts';

test.each([
  ['secret', 'secret', true],
  ['secret', 'Secret', false],
  ['secret', 'secret ', false],
  ['secret', '', false],
  ['', 'secret', false],
  ['', '', false],
])('%j and %j: %s', (one, other, expected) => {
  expect(isSameSecret(one, other)).toBe(expected);
  expect(grantsFor([{ token: one }], other)).toHaveLength(expected ? 1 : 0);
});
