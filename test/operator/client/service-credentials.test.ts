// Tokens: none, a fixed one, and the exchange of one for another in place.
import { expect, test } from 'vitest';
import {
  ExchangeableCredentials,
  fixedToken,
  noCredentials,
} from '../../../src/operator/client/service-credentials.ts';

test('no credentials give no token, and take a refusal calmly', async () => {
  const credentials = noCredentials();
  expect(credentials.rejected('x')).toBe(false);
  expect(await credentials.token()).toBeUndefined();
});

test('a fixed token is given out without the white space of its file, also after a refusal', async () => {
  const credentials = fixedToken(' abc \r\n');
  expect(await credentials.token()).toBe('abc');
  expect(credentials.rejected('abc')).toBe(false);
  expect(await credentials.token()).toBe('abc');
});

test('exchanged credentials count from the next request on, and hear of refusals', async () => {
  const rejected: string[] = [];
  const credentials = new ExchangeableCredentials(fixedToken('old'));
  expect(await credentials.token()).toBe('old');
  const signals: (AbortSignal | undefined)[] = [];
  credentials.replace({
    token: async (signal) => {
      signals.push(signal);
      return 'new';
    },
    rejected: (token) => rejected.push(token) > 0,
  });
  const { signal } = new AbortController();
  expect(await credentials.token(signal)).toBe('new');
  expect(credentials.rejected('old')).toBe(true);
  expect(rejected).toEqual(['old']);
  expect(signals).toEqual([signal]);
});
