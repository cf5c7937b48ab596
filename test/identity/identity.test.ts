// The log-ins that the bundled service serves in a checkout: Keystone v3 as its public reference has it, for passwords and application credentials.
import { describe, expect, test } from 'vitest';
import { demoAccounts, parseAccounts } from '../../dev/identity/accounts.ts';
import { createIdentity } from '../../dev/identity/identity.ts';
import { fixedDay, type Json, type Peer, type Reply, serve } from '../contract/support.ts';

const accounts = parseAccounts(`
region: north
projects:
  - { name: red, id: '11111111111111111111111111111111' }
  - { name: blue, id: '22222222222222222222222222222222' }
  - { name: red, id: '33333333333333333333333333333333', domain: Other }
users:
  - { name: ann, id: 'a0000000000000000000000000000000', password: "pa ss", projects: [red] }
  - { name: bob, id: 'b0000000000000000000000000000000', password: word, domain: Other, projects: [blue] }
applicationCredentials:
  - { name: robot, id: 'c0000000000000000000000000000000', secret: beep, user: ann, project: red }
`);
const red = '11111111111111111111111111111111';

const open = (served = accounts): Promise<Peer> => serve({ identity: createIdentity(served, { clock: fixedDay }) });
const login = (peer: Peer, identity: object, scope?: unknown): Promise<Reply> =>
  peer.post('/v3/auth/tokens', { auth: { identity, ...(scope === undefined ? {} : { scope }) } });
const password = (user: object) => ({ methods: ['password'], password: { user } });
const ann = password({ name: 'ann', domain: { name: 'Default' }, password: 'pa ss' });
const credential = (told: object) => ({ methods: ['application_credential'], application_credential: told });
const toRed = { project: { name: 'red', domain: { id: 'default' } } };
const unauthorized = {
  error: { code: 401, message: 'The request you have made requires authentication.', title: 'Unauthorized' },
};

async function tokenFor(peer: Peer, identity: object = ann, scope: unknown = toRed): Promise<string> {
  const { status, headers } = await login(peer, identity, scope);
  expect(status).toBe(201);
  return headers.get('x-subject-token') ?? '';
}

const about = (token: string, subject = token) => ({ 'x-auth-token': token, 'x-subject-token': subject });

describe('a token by password', () => {
  test('for a project by name has all that clients look for', async () => {
    const peer = await open();
    const { status, headers, body } = await login(peer, ann, toRed);
    expect(status).toBe(201);
    expect(headers.get('x-subject-token')).toMatch(/^[\w-]{100,}$/);
    expect(headers.get('vary')).toBe('X-Auth-Token');
    const url = `${peer.url}/v1.1/${red}`;
    const each = (address: string) =>
      ['public', 'internal', 'admin'].map((name) => ({
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        interface: name,
        region: 'north',
        region_id: 'north',
        url: address,
      }));
    expect(body).toEqual({
      token: {
        methods: ['password'],
        user: {
          domain: { id: 'default', name: 'Default' },
          id: 'a0000000000000000000000000000000',
          name: 'ann',
          password_expires_at: null,
        },
        audit_ids: [expect.stringMatching(/^[\w-]{22}$/)],
        issued_at: '2014-02-03T04:05:06.789000Z',
        expires_at: '2014-02-03T05:05:06.789000Z',
        project: { domain: { id: 'default', name: 'Default' }, id: red, name: 'red' },
        is_domain: false,
        roles: [{ id: expect.any(String), name: 'member' }],
        catalog: [
          { endpoints: each(url), id: expect.any(String), type: 'data-processing', name: 'sahara' },
          { endpoints: each(`${peer.url}/v3`), id: expect.any(String), type: 'identity', name: 'keystone' },
        ],
      },
    });
  });

  test.each<readonly [string, object, unknown]>([
    [
      'user and project by id',
      password({ id: 'a0000000000000000000000000000000', password: 'pa ss' }),
      { project: { id: red } },
    ],
    [
      'domains by id and by name',
      password({ name: 'ann', domain: { id: 'default' }, password: 'pa ss' }),
      { project: { name: 'red', domain: { name: 'Default' } } },
    ],
  ])('%s', async (_name, identity, scope) => {
    const { body } = await login(await open(), identity, scope);
    expect(body.token.project.id).toBe(red);
  });

  test.each<readonly [string, unknown]>([
    ['no scope', undefined],
    ['the scope "unscoped"', 'unscoped'],
  ])('with %s has no project, no roles and no catalogue', async (_name, scope) => {
    const { status, body } = await login(await open(), ann, scope);
    expect(status).toBe(201);
    expect(Object.keys(body.token).toSorted()).toEqual(['audit_ids', 'expires_at', 'issued_at', 'methods', 'user']);
  });

  test.each<readonly [string, object, unknown]>([
    ['a wrong password', password({ name: 'ann', domain: { id: 'default' }, password: 'pass' }), toRed],
    ['an unknown user', password({ name: 'eve', domain: { id: 'default' }, password: 'pa ss' }), toRed],
    ['a user of another domain', password({ name: 'bob', domain: { id: 'default' }, password: 'word' }), undefined],
    ['an unknown project', ann, { project: { name: 'green', domain: { id: 'default' } } }],
    ['a project of another domain', ann, { project: { id: '33333333333333333333333333333333' } }],
    ['a project without a role in it', ann, { project: { name: 'blue', domain: { id: 'default' } } }],
    ['a domain to scope to', ann, { domain: { id: 'default' } }],
  ])('is not had with %s, and the answer does not tell why', async (_name, identity, scope) => {
    const peer = await open();
    const { status, headers, body } = await login(peer, identity, scope);
    expect([status, body]).toEqual([401, unauthorized]);
    expect(headers.get('www-authenticate')).toBe(`Keystone uri="${peer.url}/v3"`);
    expect(headers.get('x-subject-token')).toBeNull();
  });
});

describe('a token by application credential', () => {
  test.each<readonly [string, object]>([
    ['id', { id: 'c0000000000000000000000000000000', secret: 'beep' }],
    ['name and user', { name: 'robot', user: { name: 'ann', domain: { id: 'default' } }, secret: 'beep' }],
    ['name and id of the user', { name: 'robot', user: { id: 'a0000000000000000000000000000000' }, secret: 'beep' }],
  ])('by %s is for the project of the credential', async (_name, told) => {
    const { status, body } = await login(await open(), credential(told));
    expect(status).toBe(201);
    expect(body.token).toMatchObject({
      methods: ['application_credential'],
      user: { name: 'ann' },
      project: { id: red },
      application_credential: { id: 'c0000000000000000000000000000000', name: 'robot', restricted: true },
      catalog: [{ type: 'data-processing' }, { type: 'identity' }],
    });
  });

  test.each<readonly [string, object]>([
    ['a wrong secret', { id: 'c0000000000000000000000000000000', secret: 'boop' }],
    ['an unknown user', { name: 'robot', user: { name: 'eve', domain: { name: 'Default' } }, secret: 'beep' }],
  ])('is not had with %s', async (_name, told) => {
    const { status, body } = await login(await open(), credential(told));
    expect([status, body]).toEqual([401, unauthorized]);
  });

  test.each<readonly [string, object, string]>([
    ['an unknown id', { id: 'c1', secret: 'beep' }, 'c1'],
    [
      'the name of somebody else',
      { name: 'robot', user: { name: 'bob', domain: { name: 'Other' } }, secret: 'beep' },
      'robot',
    ],
    ['a very long id', { id: 'c'.repeat(10_000), secret: 'beep' }, 'c'.repeat(255)],
  ])('is not found with %s', async (_name, told, named) => {
    const { status, headers, body } = await login(await open(), credential(told));
    const message = `Could not find Application Credential: ${named}.`;
    expect([status, body]).toEqual([404, { error: { code: 404, message, title: 'Not Found' } }]);
    expect(headers.get('www-authenticate')).toBeNull();
  });

  test('asks for no scope', async () => {
    const { status, body } = await login(
      await open(),
      credential({ id: 'c0000000000000000000000000000000', secret: 'beep' }),
      toRed,
    );
    expect([status, body.error.message]).toEqual([401, 'Application credentials cannot request a scope.']);
  });
});

describe('requests that are none', () => {
  const expecting = (what: string) => expect.stringMatching(`^Expecting to find ${what}\\. `);
  test.each<readonly [string, Json, string]>([
    ['nothing', {}, 'auth in request body'],
    ['no identity', { auth: {} }, 'identity in auth'],
    ['no methods', { auth: { identity: {} } }, 'methods in identity'],
    ['no password object', { auth: { identity: { methods: ['password'] } } }, 'password in identity'],
    ['no user', { auth: { identity: { methods: ['password'], password: {} } } }, 'user in password'],
    ['no password', { auth: { identity: password({ id: 'x' }) } }, 'password in user'],
    ['no domain', { auth: { identity: password({ name: 'ann', password: 'x' }) } }, 'domain in user'],
    [
      'an empty domain',
      { auth: { identity: password({ name: 'ann', password: 'x', domain: {} }) } },
      'id or name in domain',
    ],
    ['no secret', { auth: { identity: credential({ id: 'x' }) } }, 'secret in application_credential'],
    [
      'a name without a user',
      { auth: { identity: credential({ name: 'x', secret: 'y' }) } },
      'user in application_credential',
    ],
    ['an odd scope', { auth: { identity: ann, scope: 7 } }, 'scope in auth'],
  ])('%s: 400', async (_name, body, what) => {
    const reply = await (await open()).post('/v3/auth/tokens', body);
    expect(reply.body).toEqual({ error: { code: 400, message: expecting(what), title: 'Bad Request' } });
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([400, null]);
  });

  test('no JSON: 400', async () => {
    const { status, body } = await (await open()).post('/v3/auth/tokens', '{"auth"');
    expect([status, body.error.code, body.error.title]).toEqual([400, 400, 'Bad Request']);
  });

  test.each([[['token']], [['password', 'token']], [[]]])('methods %j: 401', async (methods) => {
    const { status, body } = await login(await open(), { ...ann, methods });
    expect([status, body.error.message]).toEqual([401, 'Attempted to authenticate with an unsupported method.']);
  });
});

describe('a token that is out', () => {
  test('is shown to its holder, with and without the catalogue', async () => {
    const peer = await open();
    const { headers, body: issued } = await login(peer, ann, toRed);
    const token = headers.get('x-subject-token') ?? '';
    const shown = await peer.send('GET', '/v3/auth/tokens', undefined, about(token));
    expect([shown.status, shown.headers.get('x-subject-token'), shown.body]).toEqual([200, token, issued]);
    const brief = await peer.send('GET', '/v3/auth/tokens?nocatalog', undefined, about(token));
    expect(brief.body.token).toMatchObject({ project: { id: red } });
    expect(brief.body.token.catalog).toBeUndefined();
    const head = await peer.send('HEAD', '/v3/auth/tokens', undefined, about(token));
    expect([head.status, head.text]).toEqual([200, '']);
  });

  test('is good until it is called back', async () => {
    const peer = await open();
    const [first, second] = [await tokenFor(peer), await tokenFor(peer)];
    const called = await peer.send('DELETE', '/v3/auth/tokens', undefined, about(second, first));
    expect([called.status, called.text]).toEqual([204, '']);
    const gone = await peer.send('GET', '/v3/auth/tokens', undefined, about(second, first));
    expect([gone.status, gone.body.error.title]).toEqual([404, 'Not Found']);
    const self = await peer.send('GET', '/v3/auth/tokens', undefined, about(first));
    expect([self.status, self.body]).toEqual([401, unauthorized]);
    expect((await peer.send('GET', '/v3/auth/tokens', undefined, about(second))).status).toBe(200);
  });

  test('lives as long as the service is told', async () => {
    let now = Date.parse('2014-02-03T04:05:06.789Z');
    const clock = { wall: () => now, monotonic: () => now, after: () => () => {} };
    const peer = await serve({ clock, identity: createIdentity(accounts, { clock, tokenMs: 5000 }) });
    const token = await tokenFor(peer);
    const status = async () => (await peer.send('GET', '/v3/auth/tokens', undefined, about(token))).status;
    now += 4999;
    expect(await status()).toBe(200);
    now += 1;
    expect(await status()).toBe(401);
    const next = await tokenFor(peer);
    expect((await peer.send('GET', '/v3/auth/tokens', undefined, about(next, token))).status).toBe(404);
  });

  test('is nothing to other users', async () => {
    const peer = await open();
    const bob = password({ name: 'bob', domain: { name: 'Other' }, password: 'word' });
    const [hers, his] = [await tokenFor(peer), await tokenFor(peer, bob, 'unscoped')];
    expect((await peer.send('GET', '/v3/auth/tokens', undefined, about(his, hers))).status).toBe(403);
  });
});

describe('around it', () => {
  test.each(['/v3', '/v3/'])('%s is the version document', async (path) => {
    const peer = await open();
    const { status, body } = await peer.get(path);
    expect(status).toBe(200);
    expect(body).toEqual({
      version: {
        id: 'v3.14',
        status: 'stable',
        updated: expect.any(String),
        links: [{ rel: 'self', href: `${peer.url}/v3/` }],
        'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
      },
    });
  });

  test('the root leads to it, for clients that look there', async () => {
    const peer = await open();
    const links = [{ rel: 'self', href: `${peer.url}/v3/` }];
    expect((await peer.get('/')).body.versions).toContainEqual({ id: 'v3.14', status: 'stable', links });
  });

  test('what does not exist is said in the same shape', async () => {
    const { status, body } = await (await open()).get('/v3/users');
    expect([status, body.error.title]).toEqual([404, 'Not Found']);
  });

  test('a service that serves no log-ins has none of it', async () => {
    expect((await (await serve()).get('/v3')).status).toBe(404);
  });

  test('another address of the service may stand in the catalogue', async () => {
    const peer = await open({ ...accounts, url: 'https://data.example.com/api/' });
    const { body } = await login(peer, ann, toRed);
    expect(body.token.catalog[0].endpoints[0].url).toBe(`https://data.example.com/api/v1.1/${red}`);
  });
});

describe('accounts', () => {
  test('of the demo: a user, a project, an application credential', async () => {
    const peer = await open(demoAccounts);
    const user = { name: 'demo', domain: { name: 'Default' }, password: 'demo' };
    const scope = { project: { name: 'demo', domain: { name: 'Default' } } };
    expect((await login(peer, password(user), scope)).status).toBe(201);
    const told = { id: '3c9e1b7d5f2a4860b4d6e8f0a1c2e3d5', secret: 'demo-secret' };
    expect((await login(peer, credential(told))).status).toBe(201);
  });

  test('have the same identifiers in every life of the service', () => {
    const text = 'projects: [{ name: p }]\nusers: [{ name: u, password: x, projects: [p] }]';
    expect(parseAccounts(text)).toEqual(parseAccounts(text));
    expect(parseAccounts(text).projects[0]?.id).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each([
    ['', /^the file: /],
    ['projects: []\nusers: []', /projects: .*; users: /],
    [
      'projects: [{ name: p, colour: red }]\nusers: [{ name: u, password: x }]',
      /projects\.0\.colour: is not known here; remove it/,
    ],
    ['projects: [{ name: p }]\nusers: [{ name: u, password: 7 }]', /users\.0\.password: /],
    [
      'projects: [{ name: p }]\nusers: [{ name: u, password: x, projects: [q] }]',
      /^users\[0\]\.projects: there is no q$/,
    ],
    ['{', /./],
  ])('%j: refused', (text, expected) => {
    expect(() => parseAccounts(text)).toThrow(expected);
  });
});
