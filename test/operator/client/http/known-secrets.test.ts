// What is remembered of secrets that were sent, and where in good answers they are looked for.
import { expect, test } from 'vitest';
import { withoutSecrets } from '../../../../src/operator/client/http/answer.ts';
import { KnownSecrets, knownSecrets } from '../../../../src/operator/client/http/known-secrets.ts';

test('the last that were sent are known, in whatever order they come again', () => {
  const known = new KnownSecrets();
  const secrets = Array.from({ length: 40 }, (_, n) => `secret-number-${n}`);
  known.note(secrets.slice(0, 32));
  known.note(secrets.slice(0, 1));
  known.note(secrets.slice(32, 34));
  expect(known.all()).toContain('secret-number-0');
  expect(known.all()).toContain('secret-number-33');
  expect(known.all()).not.toContain('secret-number-1');
  expect(known.all().length).toBe(32);
});

test('what could stand in any text is not looked for in the answers to others', () => {
  const known = new KnownSecrets();
  known.note(['demo']);
  expect(known.all()).toEqual([]);
  expect(known.and(['demo'])).toEqual(['demo']);
});

test('credentials are removed from what a service reports, except from names and identifiers', () => {
  knownSecrets.note(['production-cluster-token']);
  const row = {
    id: '1',
    name: 'production-cluster',
    status: 'Error',
    status_description: 'no production-cluster-token',
  };
  expect(withoutSecrets(row)).toEqual({ ...row, status_description: 'no ***' });
  const quiet = { id: '1', name: 'production-cluster-token', status: 'Active', info: { ui: { web: 'http://x' } } };
  expect(withoutSecrets(quiet)).toBe(quiet);
  const told = { ...quiet, info: { ui: { 'production-cluster-token': 'http://x?t=production-cluster-token' } } };
  expect(withoutSecrets(told)).toEqual({ ...quiet, info: { ui: { '***': 'http://x?t=***' } } });
});
