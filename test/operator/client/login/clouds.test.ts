// clouds.yaml: what each field means, and what is said of one that is wrong, missing or no YAML at all.
import { describe, expect, test } from 'vitest';
import { CloudsError, readCloud } from '../../../../src/operator/client/login/clouds.ts';

const secret = 'planted-secret-5f1e';
const password = {
  auth_url: 'https://keystone.example.com:5000/v3',
  username: 'ann',
  password: secret,
  project_name: 'red',
  user_domain_name: 'Users',
  project_domain_name: 'Projects',
};
const credential = {
  auth_url: 'https://keystone.example.com/identity',
  application_credential_id: 'abc',
  application_credential_secret: secret,
};

type Fields = Readonly<Record<string, unknown>>;
const file = (cloud: Fields): string => JSON.stringify({ clouds: { north: cloud } });
const read = (auth: Fields, more: Fields = {}) => readCloud(file({ auth, ...more }), 'north');
const without = (fields: Fields, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

describe('a password', () => {
  test('with fields that clouds share', () => {
    const shared = "x: &auth {auth_url: 'https://keystone.example.com/v3', username: ann, password: a}\n";
    const clouds = `clouds: {north: {auth: {password: ${secret}, <<: *auth, project_id: '7'}}}\n`;
    expect(readCloud(shared + clouds, 'north')).toEqual(
      read({ auth_url: 'https://keystone.example.com/v3', username: 'ann', password: secret, project_id: '7' }),
    );
  });

  test('as tools write it', () => {
    const text = `
# made by a dashboard
clouds:
  north:
    auth:
      auth_url: https://keystone.example.com:5000/v3/
      username: "ann"
      password: 0123456789
      project_id: 1e10
      user_domain_name: Users
    region_name: RegionOne
    interface: "internal"
    identity_api_version: 3
`;
    expect(readCloud(text, 'north')).toEqual({
      authUrl: 'https://keystone.example.com:5000/v3',
      identity: {
        methods: ['password'],
        password: { user: { name: 'ann', domain: { name: 'Users' }, password: '0123456789' } },
      },
      scope: { project: { id: '1e10' } },
      secrets: ['0123456789'],
      region: 'RegionOne',
      interface: 'internal',
      ca: undefined,
      verify: true,
    });
  });

  test.each<readonly [string, Fields, object, object]>([
    [
      'names and their domains',
      {},
      { name: 'ann', domain: { name: 'Users' } },
      { name: 'red', domain: { name: 'Projects' } },
    ],
    [
      'ids of domains before names',
      { user_domain_id: 'u', project_domain_id: 'p' },
      { name: 'ann', domain: { id: 'u' } },
      { name: 'red', domain: { id: 'p' } },
    ],
    ['ids of user and project', { user_id: '7', project_id: '8' }, { id: '7' }, { id: '8' }],
    [
      'a default domain',
      { user_domain_name: '', project_domain_name: '', default_domain_name: 'All' },
      { name: 'ann', domain: { name: 'All' } },
      { name: 'red', domain: { name: 'All' } },
    ],
    [
      'the id of a default domain',
      { user_domain_name: '', default_domain_id: 'all' },
      { name: 'ann', domain: { id: 'all' } },
      { name: 'red', domain: { name: 'Projects' } },
    ],
    [
      'no domain: the one with the id "default"',
      { user_domain_name: '', project_domain_name: '' },
      { name: 'ann', domain: { id: 'default' } },
      { name: 'red', domain: { id: 'default' } },
    ],
    [
      'former words for projects',
      { project_name: '', tenant_id: 't' },
      { name: 'ann', domain: { name: 'Users' } },
      { id: 't' },
    ],
  ])('with %s', (_name, changes, user, project) => {
    const cloud = read({ ...password, ...changes });
    expect(cloud.identity).toEqual({ methods: ['password'], password: { user: { ...user, password: secret } } });
    expect(cloud.scope).toEqual({ project });
  });
});

describe('an application credential', () => {
  test.each<readonly [string, Fields, object]>([
    ['by id', {}, { id: 'abc' }],
    [
      'by name and user',
      { application_credential_id: '', application_credential_name: 'robot', username: 'ann' },
      { name: 'robot', user: { name: 'ann', domain: { id: 'default' } } },
    ],
    [
      'by name and id of the user',
      { application_credential_id: '', application_credential_name: 'robot', user_id: '7' },
      { name: 'robot', user: { id: '7' } },
    ],
  ])('%s has its project in itself', (_name, changes, which) => {
    for (const type of [{}, { auth_type: 'v3applicationcredential' }]) {
      const cloud = read({ ...credential, project_name: 'ignored', ...changes }, type);
      expect(cloud.identity).toEqual({
        methods: ['application_credential'],
        application_credential: { ...which, secret },
      });
      expect(cloud).toMatchObject({
        scope: undefined,
        authUrl: 'https://keystone.example.com/identity/v3',
        secrets: [secret],
      });
    }
  });
});

describe('the way there', () => {
  test.each([
    ['http://a', 'http://a/v3'],
    ['http://a/', 'http://a/v3'],
    ['http://a:5000/v3///', 'http://a:5000/v3'],
    ['https://a/identity', 'https://a/identity/v3'],
  ])('%s leads to %s', (url, expected) => {
    expect(read({ ...password, auth_url: url }).authUrl).toBe(expected);
  });

  test.each<readonly [Fields, object]>([
    [{}, { interface: 'public', verify: true, region: undefined }],
    [{ interface: 'admin' }, { interface: 'admin' }],
    [{ endpoint_type: 'internalURL' }, { interface: 'internal' }],
    [{ verify: false }, { verify: false }],
    [{ verify: 'no' }, { verify: false }],
    [{ insecure: 'True' }, { verify: false }],
    [{ verify: true, insecure: true }, { verify: true }],
    [{ region_name: 'north' }, { region: 'north' }],
  ])('%j', (fields, expected) => {
    expect(read(password, fields)).toMatchObject(expected);
  });

  test('a certificate in the file itself', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    expect(read(password, { cacert: pem }).ca).toBe(pem);
  });
});

const inFile: readonly (readonly [string, string, RegExp])[] = [
  ['nothing', '', /^the file must be a map of fields/],
  ['one word', 'clouds', /^the file must be a map of fields/],
  ['no YAML', `clouds: {\n  password: ${secret}`, /^it is not valid YAML: correct line \d+, column \d+$/],
  ['a doubled field', `clouds:\n  north: {}\n  north: {}`, /^it is not valid YAML: correct line 3, column \d+$/],
  ['an anchor that is not there', 'clouds: *gone', /^it is not valid YAML/],
  ['no clouds', 'cloud: {}', /^clouds is missing$/],
  ['clouds that are none', 'clouds: []', /^clouds must be a map of fields/],
  ['no cloud at all', 'clouds: {}', /^it has no cloud north: it has none; correct spec\.auth\.cloud$/],
  [
    'other clouds',
    'clouds: { east: {}, west: {} }',
    /^it has no cloud north: it has east, west; correct spec\.auth\.cloud$/,
  ],
  ['an empty cloud', 'clouds: { north: }', /^clouds\.north must be a map of fields/],
  ['no auth', 'clouds: { north: {} }', /^clouds\.north\.auth is missing$/],
];

const auth = 'clouds\\.north\\.auth\\.';
const inAuth: readonly (readonly [string, Fields, string])[] = [
  ['no auth_url', without(password, 'auth_url'), 'auth_url is missing: set it to the address of the identity service'],
  ['an auth_url that is none', { ...password, auth_url: 'keystone' }, 'auth_url must begin with http:// or https://'],
  ['another protocol', { ...password, auth_url: 'ftp://a/v3' }, 'auth_url must begin with'],
  [
    'a password in the auth_url',
    { ...password, auth_url: `http://me:${secret}@a/v3` },
    'auth_url must not contain a user',
  ],
  ['a query', { ...password, auth_url: `http://a/v3?x=${secret}` }, 'auth_url must not contain a user'],
  ['version 2.0', { ...password, auth_url: 'http://a/v2.0/' }, 'auth_url is for version 2.0 .* replace /v2.0 by /v3'],
  ['no user', without(password, 'username'), 'username is missing: set it, or user_id'],
  ['a user that is a list', { ...password, username: [secret] }, 'username must be a string'],
  ['no password', without(password, 'password'), 'password is missing: set it, or use an application credential'],
  ['an empty password', { ...password, password: ' ' }, 'password is missing'],
  ['a password of parts', { ...password, password: { a: secret } }, 'password must be a string'],
  ['no project', without(password, 'project_name'), 'project_name is missing: set it, or project_id'],
  ['no id of the credential', without(credential, 'application_credential_id'), 'application_credential_id is missing'],
  [
    'a name of the credential without the user',
    { ...without(credential, 'application_credential_id'), application_credential_name: 'robot' },
    'username is missing',
  ],
];

const inCloud: readonly (readonly [string, Fields, RegExp])[] = [
  [
    'another auth_type',
    { auth_type: 'v3oidcpassword' },
    /north\.auth_type must be v3password or v3applicationcredential$/,
  ],
  [
    'a credential without a secret',
    { auth_type: 'v3applicationcredential' },
    /auth\.application_credential_secret is missing/,
  ],
  ['an odd interface', { interface: 'secret' }, /north\.interface must be public, internal or admin$/],
  ['an odd endpoint_type', { endpoint_type: 'x' }, /north\.endpoint_type must be public, internal or admin$/],
  ['an odd verify', { verify: 'maybe' }, /north\.verify must be true or false$/],
  [
    'a file of certificates',
    { cacert: '/etc/ssl/ca.pem' },
    /north\.cacert must be a certificate in PEM format, not a path: .*spec\.tls\.caSecretRef$/,
  ],
  ['a certificate of our own', { cert: '/etc/ssl/me.pem' }, /north\.cert is not supported/],
];

describe('refused, with the field and no value', () => {
  const refusal = (text: string): string => {
    try {
      readCloud(text, 'north');
      return 'nothing';
    } catch (error) {
      expect(error).toBeInstanceOf(CloudsError);
      return (error as Error).message;
    }
  };

  test.each([
    ...inFile,
    ...inAuth.map(([name, fields, says]) => [name, file({ auth: fields }), new RegExp(`^${auth}${says}`)] as const),
    ...inCloud.map(([name, fields, says]) => [name, file({ auth: password, ...fields }), says] as const),
  ])('%s', (_name, text, says) => {
    const message = refusal(text);
    expect(message).toMatch(says);
    expect(message).not.toContain(secret);
  });
});
