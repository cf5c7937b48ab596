// Which texts are the same secret.
import { expect, test } from 'vitest';
import { isSameSecret } from '../../../../src/lib/secrets.ts';
import { grantsFor } from '../../../../src/service/api/authentication/authentication.ts';

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
