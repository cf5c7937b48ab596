// One log-in over HTTP: what is sent, what is read of the answer, and what each refusal and each odd answer is called.
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import { createTransport } from '../../../../src/operator/client/http/service-transport.ts';
import { readCloud } from '../../../../src/operator/client/login/clouds.ts';
import { type KeystoneLogin, logIn } from '../../../../src/operator/client/login/keystone.ts';
import { ServiceError } from '../../../../src/wire/errors/service-error.ts';
import { closedPort, type Received, type Reply, serve } from '../support/servers.ts';

const secret = 'planted-password-77c1e0';
const token = 'gAAAAAplantedtoken0123456789';

const cloudAt = (url: string, fields: object) => {
  const auth = { auth_url: url, ...fields };
  return readCloud(JSON.stringify({ clouds: { n: { auth } } }), 'n');
};

const byPassword = (password: string) => ({ username: 'ann', password, project_name: 'red' });

function logInAt(
  url: string,
  timeoutMs = 5_000,
  password: string = secret,
  fields: object = byPassword(password),
): Promise<KeystoneLogin> {
  const transport = createTransport();
  onTestFinished(() => transport.destroy());
  return logIn(cloudAt(url, fields), { clock: systemClock, transport, timeoutMs });
}

/** `credential`: which application credential is used instead of the password. */
async function failure(url: string, timeoutMs?: number, credential?: object): Promise<ServiceError> {
  const fields = credential && { ...credential, application_credential_secret: secret };
  const error = await logInAt(url, timeoutMs, secret, fields).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ServiceError);
  expect(JSON.stringify([error, String(error)])).not.toContain(secret);
  return error as ServiceError;
}

const good = {
  token: {
    issued_at: '2026-01-01T00:00:00.000000Z',
    expires_at: '2026-01-01T01:00:00.000000Z',
    project: { id: 'red-id', name: 'red', domain: { id: 'default', name: 'Default' } },
    catalog: [
      {
        type: 'data-processing',
        endpoints: [{ interface: 'public', region: 'north', region_id: 'north', url: 'http://service/v1.1/red-id' }],
      },
      { type: 'empty' },
    ],
  },
};
const issue = (body: object = good): Reply => ({ status: 201, headers: { 'x-subject-token': token }, body });
const refuse = (message: string): Reply => ({
  status: 401,
  body: { error: { code: 401, title: 'Unauthorized', message } },
});
const notFound = (message: string): Reply => ({
  status: 404,
  body: { error: { code: 404, title: 'Not Found', message } },
});
const isUnscoped = ({ body }: Received): boolean =>
  (JSON.parse(body) as { auth: { scope: unknown } }).auth.scope === 'unscoped';

describe('a log-in', () => {
  test('sends one request, and reads token, project, lifetime and catalogue', async () => {
    const { url, received } = await serve(() => issue());
    expect(await logInAt(url)).toEqual({
      token,
      project: { id: 'red-id', name: 'red' },
      lifetimeMs: 3_600_000,
      catalogue: [{ type: 'data-processing', interface: 'public', region: 'north', url: 'http://service/v1.1/red-id' }],
    });
    expect(received).toHaveLength(1);
    const [{ method, url: path, headers, body } = expect.unreachable()] = received;
    expect([method, path, headers['content-type'], headers['x-auth-token']]).toEqual([
      'POST',
      '/v3/auth/tokens',
      'application/json',
      undefined,
    ]);
    expect(JSON.parse(body)).toEqual({
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'ann', domain: { id: 'default' }, password: secret } },
        },
        scope: { project: { name: 'red', domain: { id: 'default' } } },
      },
    });
  });

  test.each([
    ['a token without a project', { token: { ...good.token, project: undefined } }, { project: undefined }],
    ['one without a catalogue', { token: { ...good.token, catalog: undefined } }, { catalogue: [] }],
    [
      'one whose names have no spelling',
      {
        token: {
          ...good.token,
          project: { id: 'red-id', name: { toString: 1 } },
          catalog: [{ type: 'data-processing', endpoints: [{ url: { toString: 1 } }] }, { type: { toString: 1 } }],
        },
      },
      { project: { id: 'red-id', name: '' }, catalogue: [{ type: 'data-processing', url: '' }] },
    ],
    [
      'one with endpoints without end',
      {
        token: {
          ...good.token,
          catalog: [{ type: 'data-processing', endpoints: Array.from({ length: 999 }, () => 1) }],
        },
      },
      { catalogue: { length: 100 } },
    ],
  ])('%s is one, too', async (_name, body, expected) => {
    const { url } = await serve(() => issue(body));
    expect(await logInAt(url)).toMatchObject(expected);
  });
});

describe('that is not accepted', () => {
  test('neither with nor without the project: the user is the trouble', async () => {
    const { url, received } = await serve(() => refuse('The request you have made requires authentication.'));
    const { category, why } = await failure(url);
    expect([category, why]).toEqual([
      'unauthorized',
      'the identity service does not accept the credentials: The request you have made requires authentication; check the user, domain and password in clouds.yaml, and that the user is enabled',
    ]);
    expect(received).toHaveLength(2);
  });

  test('but is without the project: that is the trouble', async () => {
    const { url } = await serve((request) => (isUnscoped(request) ? issue() : refuse('No.')));
    expect((await failure(url)).why).toMatch(/: No; user and password are correct, so check the project/);
  });

  test.each<readonly [string, Reply, string, string, number]>([
    [
      'whose id Keystone does not know',
      notFound('Could not find Application Credential: c0ffee.'),
      'unauthorized',
      'the identity service has no such application credential: Could not find Application Credential: c0ffee; check application_credential_id and auth_url in clouds.yaml, or create another application credential, because Keystone deletes it if its user is disabled or loses a role in the project',
      404,
    ],
    [
      'at another URL',
      notFound('The resource could not be found.'),
      'malformed',
      'the answer of the identity service is 404: The resource could not be found: check auth_url',
      404,
    ],
    [
      'with another secret, or expired',
      refuse('The request you have made requires authentication.'),
      'unauthorized',
      'the identity service does not accept the credentials: The request you have made requires authentication; check application_credential_secret in clouds.yaml, that the application credential has not expired, and that its user and project are enabled',
      401,
    ],
    ['while Keystone is broken', { status: 500 }, 'serverFault', 'the identity service is not available', 500],
  ])('by an application credential %s', async (_name, reply, category, why, status) => {
    const { url, received } = await serve(() => reply);
    const error = await failure(url, 5_000, { application_credential_id: 'c0ffee' });
    expect([error.category, error.why, error.status]).toEqual([category, why, status]);
    expect(received).toHaveLength(1);
  });

  test.each<readonly [string, Reply, string, RegExp]>([
    [
      'by a name that Keystone does not know',
      notFound('Could not find Application Credential: robot.'),
      'unauthorized',
      /: robot; check application_credential_name and auth_url in clouds\.yaml, or create another/,
    ],
    [
      'by a name at which Keystone fails',
      { status: 500, body: { error: { code: 500, title: 'Internal Server Error', message: 'unexpected' } } },
      'serverFault',
      /^the identity service is not available \(500\)\. .*: check application_credential_name in clouds\.yaml$/,
    ],
    [
      'by a name that is refused',
      refuse('No.'),
      'unauthorized',
      /: No; check the user and application_credential_secret/,
    ],
    ['by a name while Keystone is down', { status: 503 }, 'serverFault', /^the identity service is not available$/],
  ])('by an application credential %s', async (_name, reply, category, why) => {
    const { url } = await serve(() => reply);
    const error = await failure(url, 5_000, { application_credential_name: 'robot', username: 'ann' });
    expect([error.category, error.why]).toEqual([category, expect.stringMatching(why)]);
  });

  test('by a password at a URL whose page speaks of application credentials: the URL is the trouble', async () => {
    const { url } = await serve(() => notFound('Could not find Application Credential: x.'));
    expect(await failure(url)).toMatchObject({ category: 'malformed' });
  });

  test('in words that repeat the password: they are masked', async () => {
    const { url } = await serve(() => refuse(`no such password: ${secret}`));
    expect((await failure(url)).why).toContain('no such password: ***');
  });

  test.each(['planted  spaces', 'planted\ttab', 'pla<nt>ed', 'planted-req-0a1b2c3d', 'plänted "quoted\\', secret])(
    'in words that repeat it where they are cut, or as a text that cleaning changes: %j',
    async (password) => {
      const { url } = await serve(() => refuse(`${'x '.repeat(240)}${password}${' y'.repeat(40)}`));
      const error = await logInAt(url, 5_000, password).catch((reason: unknown) => reason);
      expect(String(error)).toMatch(/x \*\*\* y [y ]*…; check the user/);
    },
  );

  test.each([
    [
      'a redirect',
      { status: 302, headers: { location: 'http://b/pl%3Fanted%23word/v3' } },
      'is a redirect to http://b/***/v3',
    ],
    ['a page', { status: 404, body: '<html><body>no <b>pl?anted#word</b></body></html>' }, 'is 404: no ***:'],
  ] as const)('by %s that repeats the password: it is masked', async (_name, reply, why) => {
    const { url } = await serve(() => reply);
    expect(String(await logInAt(url, 5_000, 'pl?anted#word').catch((reason: unknown) => reason))).toContain(why);
  });

  test('a project that is called like the password is told without it', async () => {
    const project = { ...good.token.project, name: `not ${secret}\n` };
    const { url } = await serve(() => issue({ token: { ...good.token, project } }));
    expect((await logInAt(url)).project?.name).toBe('not ***');
  });
});

test.each<readonly [string, Reply, string, RegExp]>([
  [
    '403',
    { status: 403, body: { error: { code: 403, message: 'locked' } } },
    'unauthorized',
    /does not allow the login: locked$/,
  ],
  ['404', { status: 404, body: 'nothing' }, 'malformed', /is 404: nothing: check auth_url$/],
  ['400', { status: 400, body: { error: { code: 400, message: 'odd' } } }, 'rejected', /rejects the login: odd$/],
  ['500', { status: 500 }, 'serverFault', /^the identity service is not available$/],
  ['429', { status: 429, headers: { 'retry-after': '7' } }, 'throttled', /limits the number of logins$/],
  [
    'a redirect',
    { status: 302, headers: { location: 'http://b/v3?t=1' } },
    'malformed',
    /is a redirect to http:\/\/b\/v3, which is not followed: check auth_url$/,
  ],
  ['no token', { status: 201, body: good }, 'malformed', /is not an answer of Keystone: check auth_url$/],
  [
    'no JSON',
    { status: 201, headers: { 'x-subject-token': token }, body: '<html>' },
    'malformed',
    /is not an answer of Keystone/,
  ],
  ['no end', issue({ token: { project: {} } }), 'malformed', /is not an answer of Keystone/],
])('%s', async (_name, reply, category, why) => {
  const { url, received } = await serve(() => reply);
  const error = await failure(url);
  expect([error.category, error.certainty]).toEqual([category, 'definite']);
  expect(error.why).toMatch(why);
  expect(error.retryAfterMs).toBe(reply.status === 429 ? 7_000 : undefined);
  expect(received).toHaveLength(1);
});

test('nobody there', async () => {
  const error = await failure(await closedPort());
  expect([error.category, error.why]).toEqual([
    'unreachable',
    'the identity service cannot be reached: connection refused',
  ]);
});
