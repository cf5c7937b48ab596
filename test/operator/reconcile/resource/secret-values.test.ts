// A Secret that a spec refers to: what is read of it, what is missing, and when it counts as changed.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { connectionOf, resolveReference } from '../../../../src/operator/reconcile/resource/references.ts';
import { digestOf, valuesOf } from '../../../../src/operator/reconcile/resource/secret-values.ts';
import { installation, resourceOf } from '../support.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function secretOf(values: Readonly<Record<string, string>>, uid = 'uid-of-secret'): RawResource {
  const { metadata, apiVersion } = resourceOf();
  const data = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, base64(value)]));
  return { apiVersion, kind: 'Secret', metadata: { ...metadata, name: 'keys', uid }, data };
}

const keys = { required: ['user', 'password'], optional: ['endpoint'] };
const complete = { user: 'ann', password: 'pw-1' };
const reference = { field: 'spec.credentialsSecretRef', kind: 'Secret', name: 'keys', keys };
const resolved = (secret: RawResource | undefined) =>
  resolveReference(reference, secret, { connection: connectionOf(resourceOf()), installation });

describe('a reference to a Secret', () => {
  test('is resolved once all required keys have a value, whatever Connection the resource uses', () => {
    const secret = secretOf(complete);
    expect(resolved(secret)).toMatchObject({ state: 'resolved', resource: secret, claims: [] });
  });

  test.each<readonly [string, RawResource | undefined, string]>([
    ['no Secret', undefined, 'Secret keys does not exist in this namespace, or is not of type'],
    ['a key that is missing', secretOf({ user: 'ann' }), 'Secret keys has no key "password": add it'],
    [
      'a key that is spelled another way',
      secretOf({ user: 'ann', passwort: 'pw-1' }),
      'Secret keys has no key "password": add it (its key passwort is not read)',
    ],
    [
      'a key without a value',
      secretOf({ user: 'ann', password: '\n' }),
      'Secret keys has nothing in its key "password": fill it in',
    ],
    ['two', secretOf({}), 'has no key "user": add it; Secret keys has no key "password": add it'],
  ])('waits for %s', (_name, secret, message) => {
    expect(resolved(secret)).toMatchObject({
      state: 'awaited',
      message: expect.stringContaining(message),
    });
    expect(resolved(secret)).toMatchObject({
      message: expect.stringMatching(/^spec\.credentialsSecretRef: Secret keys/),
    });
  });
});

describe('values', () => {
  test('are those of the keys, without white space around them, and no others', () => {
    expect(valuesOf(secretOf({ ...complete, password: ' pw-1\n', more: 'x' }), keys)).toEqual(complete);
  });
});

describe('the digest', () => {
  const digest = (values: Readonly<Record<string, string>>, uid?: string) => digestOf(secretOf(values, uid), keys);

  test('differs with a value that is read, and with nothing else', () => {
    expect(digest({ ...complete, password: 'pw-2' })).not.toBe(digest(complete));
    expect(digest({ ...complete, endpoint: 'e' })).not.toBe(digest(complete));
    expect(digest({ user: 'pw-1', password: 'ann' })).not.toBe(digest(complete));
    expect(digest({ password: 'pw-1', user: 'ann', more: 'x' })).toBe(digest(complete));
  });

  test('cannot be computed by somebody who guesses the values, because the uid of the Secret is its key', () => {
    expect(digest(complete, 'another-uid')).not.toBe(digest(complete));
  });
});
