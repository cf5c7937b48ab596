// From a Connection and its Secrets to the settings of a service, or what is missing.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { secretType } from '../../../../src/operator/api/shared-api.ts';
import { secretKeys, settingsOf } from '../../../../src/operator/connections/pass/connection-settings.ts';
import { connection } from '../../../../src/operator/kinds/connection/schema.ts';
import { resourceOf } from '../../reconcile/support.ts';

const minimal = { endpoint: 'http://service:8386', tenantID: 'demo' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = (data: Readonly<Record<string, string>>): RawResource => ({
  ...resourceOf(),
  kind: 'Secret',
  type: secretType,
  data,
});
const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
const secrets: Readonly<Record<string, RawResource>> = {
  token: secret({ token: base64(' t0ken\n') }),
  ca: secret({ 'ca.crt': base64(certificate) }),
  nonsense: secret({ 'ca.crt': base64('PEM') }),
  empty: secret({ token: base64(' \n') }),
  clouds: secret({ 'clouds.yaml': base64('clouds: {}\n') }),
  other: secret({ password: base64('x') }),
  typo: secret({ tokn: base64('x'), s3cr3t: base64('x') }),
  bare: { ...secret({}), data: undefined } as unknown as RawResource,
};
const named = (name: string): RawResource | undefined => {
  const one = secrets[name];
  return one && { ...one, metadata: { ...one.metadata, name } };
};
const read = (spec: object) =>
  settingsOf(connection.spec.parse({ ...minimal, ...spec }), 'uid-1', { of: named, place: 'this namespace' });
const keystone = (name: string) => ({ auth: { type: 'Keystone', secretRef: { name }, cloud: 'north' } });
const token = (name: string) => ({ auth: { type: 'Token', secretRef: { name } } });

describe('settings', () => {
  test('of the shortest Connection', () => {
    expect(read({})).toStrictEqual({
      ok: true,
      wanted: {
        uid: 'uid-1',
        endpoint: 'http://service:8386',
        formerEndpoints: [],
        tenant: 'demo',
        dialect: 'neutral',
        authentication: { type: 'none' },
        ca: undefined,
        insecureSkipVerify: false,
        timeoutMs: 30_000,
        limits: { requestsPerSecond: undefined, burst: undefined, maxInFlight: undefined },
        pollSeconds: 30,
      },
    });
  });

  test.each<readonly [string, object, object]>([
    [
      'slashes at the end of endpoints do not count',
      { endpoint: 'http://a//', formerEndpoints: ['http://b/x/'] },
      { endpoint: 'http://a', formerEndpoints: ['http://b/x'] },
    ],
    ['the dialects', { dialect: 'Savanna' }, { dialect: 'savanna' }],
    ['of late upstream', { dialect: 'Sahara' }, { dialect: 'sahara' }],
    ['named neutral', { dialect: 'Neutral' }, { dialect: 'neutral' }],
    ['times', { timeoutSeconds: 5, pollSeconds: 7 }, { timeoutMs: 5_000, pollSeconds: 7 }],
    ['some limits', { limits: { burst: 3 } }, { limits: { requestsPerSecond: undefined, burst: 3 } }],
    ['a token, trimmed', token('token'), { authentication: { type: 'token', token: 't0ken' } }],
    ['no credentials', { auth: { type: 'None' } }, { authentication: { type: 'none' } }],
    [
      'a log-in that says where the service is',
      { ...keystone('clouds'), endpoint: undefined, tenantID: undefined },
      {
        authentication: { type: 'keystone', clouds: 'clouds: {}', cloud: 'north' },
        endpoint: undefined,
        tenant: undefined,
      },
    ],
    ['a CA', { tls: { caSecretRef: { name: 'ca' } } }, { ca: certificate }],
    ['no checks of certificates', { tls: { insecureSkipVerify: true } }, { insecureSkipVerify: true }],
  ])('%s', (_name, spec, expected) => {
    expect(read(spec)).toMatchObject({ ok: true, wanted: expected });
  });

  test.each<readonly [string, object, RegExp]>([
    [
      'a Secret that is not there, or of another type',
      token('gone'),
      /^Secret gone does not exist in this namespace, or is not of type dataprocessing\.dev\/credentials: create it with that type\. If it exists, delete it first: the type of a Secret cannot change$/,
    ],
    ['a Secret without the key', token('other'), /^Secret other has no key "token": add it$/],
    [
      'a key that is spelled otherwise',
      token('typo'),
      /^Secret typo has no key "token": add it \(its key tokn is not read\)$/,
    ],
    ['a Secret without anything', token('bare'), /^Secret bare has no key "token"/],
    ['a Secret without clouds', keystone('other'), /^Secret other has no key "clouds\.yaml": add it$/],
    ['an empty token', token('empty'), /^Secret empty has nothing in its key "token": fill it in$/],
    [
      'a CA that is none',
      { tls: { caSecretRef: { name: 'nonsense' } } },
      /^key "ca\.crt" of Secret nonsense has no certificate/,
    ],
    ['no Secret named', { auth: { type: 'Token' } }, /spec\.auth\.secretRef is missing/],
    ['a CA without its key', { tls: { caSecretRef: { name: 'token' } } }, /^Secret token has no key "ca\.crt"/],
    ['the token before the CA', { ...token('gone'), tls: { caSecretRef: { name: 'token' } } }, /^Secret gone/],
  ])('missing: %s', (_name, spec, expected) => {
    expect(read(spec)).toEqual({ ok: false, message: expect.stringMatching(expected) });
  });

  test('no message holds what a Secret holds', () => {
    expect(JSON.stringify([read(token('other')), read(token('empty'))])).not.toContain(base64('x'));
  });
});

describe('the Secrets of a Connection, whatever its spec is', () => {
  test.each<readonly [string, unknown, readonly string[]]>([
    ['both', { auth: { secretRef: { name: 'a' } }, tls: { caSecretRef: { name: 'b' } } }, ['a', 'b']],
    ['one for both', { auth: { secretRef: { name: 'a' } }, tls: { caSecretRef: { name: 'a' } } }, ['a']],
    ['none', {}, []],
    ['no spec', undefined, []],
    ['null', null, []],
    ['names that are none', { auth: { secretRef: { name: 7 } }, tls: { caSecretRef: { name: '' } } }, []],
    ['also of a type that uses none', { auth: { type: 'None', secretRef: { name: 'a' } } }, ['a']],
  ])('%s', (_name, spec, expected) => {
    expect(secretKeys({ ...resourceOf(), kind: 'Connection', spec }).map(({ name }) => name)).toEqual(expected);
  });
});
