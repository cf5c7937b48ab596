// No secret is ever told: not in the log, in events, in objects, in metrics, whatever goes wrong and whatever the service says back.
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { definitions } from '../../src/operator/kinds/index.ts';
import { own } from '../operator/kinds/support/replies.ts';
import { limitMs } from '../support/patience.ts';
import { type Fault, openFront } from '../support/service/service-proxy.ts';
import { keptLog } from './support/kept-log.ts';
import { conditionOf, type Resource, specs, World } from './support/world.ts';

const type = 'dataprocessing.dev/credentials';
const planted = {
  good: 'planted-good-token-0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  quoted: 'planted"quoted\\token-51f0c2',
  exchanged: 'planted-exchanged-token+which/is==long-42',
  revoked: 'planted-revoked-token-77aa01',
  other: 'planted-other-key-93be5d',
  opaque: 'planted-opaque-secret-c4f2',
  authority: 'planted-authority-8d31e7',
  password: 'planted-password-2e6fa0-of-a-log-in',
  credential: 'planted"credential\\secret-90b7c1',
  spaced: 'planted  spaced-4c7710',
  tabbed: 'planted\ttabbed-b00d12',
  marked: 'pla<nt>ed-marked-6e02f8',
  requested: 'planted-req-0a1b2c3d-requested',
  foreign: 'plänted-schlüssel-7d91e3',
  stored: 'planted-password-of-data-61c0d9f4',
  replaced: 'planted"replaced\\password-of-data-2f7e',
  program: 'planted-line-of-a-program-19ab44',
} as const;

/** In every spelling in which a text could hold it, also after its white space, its markup or what looks like an id was taken out. */
const spellings = (secret: string): readonly string[] => [
  secret,
  secret.slice(0, 20),
  secret.replace(/\s+/g, ' '),
  secret.replace(/<[^<>]*>/g, ' '),
  secret.replace(/req-[0-9a-f-]+/, ''),
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(secret)
    .slice(1, -1)
    .replace(/[^ -~]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
];

const { lines, log } = keptLog();

/** The service repeats the token in all that it says: a refusal, a status, a redirect. */
const echoes: Readonly<Record<string, (token: string) => Fault>> = {
  'a refusal': (token) => own(400, 'QUOTA_ERROR', `no quota for the bearer of ${token}`),
  'a page': (token) => ({ act: 'answer', reply: { status: 502, body: `<html><body>${token}</body></html>` } }),
  'a redirect': (token) => ({
    act: 'answer',
    reply: { status: 302, headers: { location: `https://login.example.com/${encodeURIComponent(token)}?t=${token}` } },
  }),
  'an odd answer': (token) => ({ act: 'answer', reply: { status: 200, body: JSON.stringify({ [token]: token }) } }),
};

/** Each row of a list says the token wherever the interface has a text. */
const talkative = (token: string): Fault => ({
  act: 'rewrite',
  reply: (real) => {
    if (real.status >= 300 || real.body === '') return real;
    const json = JSON.parse(real.body) as Record<string, unknown>;
    const said = {
      status: `Busy with ${token}`,
      status_description: `token ${token}`,
      info: { [token]: { [token]: token } },
    };
    const each = (row: object) => ({ ...row, ...said });
    const entries = Object.entries(json).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map(each) : each(value as object),
    ]);
    return { ...real, body: JSON.stringify(Object.fromEntries(entries)) };
  },
});

let world: World;
const proxies: { close(): Promise<void> }[] = [];

/** A Connection with its token, through a proxy that may do as it likes. */
async function connect(name: string, token: string) {
  const proxy = await openFront(world.service.url, planted.good);
  proxies.push(proxy);
  await world.apply('Secret', name, { type, stringData: { token } });
  const auth = { type: 'Token', secretRef: { name } };
  await world.apply('Connection', name, { endpoint: proxy.url, tenantID: name, auth, pollSeconds: 1 });
  return proxy;
}

const worker = (name: string) => ({ ...specs.worker, connectionRef: { name } });
const cluster = (name: string) => ({
  connectionRef: { name },
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  defaultImageID: specs.small.defaultImageID,
  userKeypairID: 'demo',
  nodeGroups: [{ name: 'all', count: 1, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker', 'datanode'] }],
});
const isActive = ({ status }: Resource) => Reflect.get(status ?? {}, 'externalStatus') === 'Active';
const unready = (resource: Resource) => conditionOf(resource, 'Ready')?.status === 'False';

/** Everything that a person or a program can read. */
async function told(): Promise<string> {
  const paths = [
    ...definitions.map(({ kind }) => world.path(kind)),
    `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`,
  ];
  const answers = await Promise.all(paths.map(async (path) => JSON.stringify((await world.api.send({ path })).body)));
  const served = await Promise.all(
    (['/metrics', '/healthz', '/readyz'] as const).map(async (path) => (await world.ask(path)).text),
  );
  return [...lines, ...answers, ...served].join('\n');
}

async function nothingIsTold(): Promise<void> {
  const text = await told();
  for (const secret of Object.values(planted)) {
    for (const spelling of spellings(secret)) expect(text.includes(spelling), `${spelling} is told`).toBe(false);
  }
}

describe.skipIf(inject('kubeconfig') === '')('secrets', () => {
  beforeAll(async () => {
    world = await World.create({
      grants: [planted.good, planted.quoted, planted.exchanged].map((token) => ({ token })),
      log,
    });
    await world.operate();
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  test('that work are not told, nor is a revoked one', async () => {
    await world.apply('Secret', 'own', { type, stringData: { token: planted.revoked, password: planted.other } });
    const auth = { type: 'Token', secretRef: { name: 'own' } };
    await world.apply('Connection', 'own', { endpoint: world.service.url, tenantID: 'own', auth });
    await world.until('Connection', 'own', unready);
    await world.apply('Secret', 'own', { type, stringData: { token: planted.good, password: planted.other } });
    await world.apply('NodeGroupTemplate', 'own', worker('own'));
    await world.ready('NodeGroupTemplate', 'own');
    expect(await told()).toContain('Unauthorized');
    await nothingIsTold();
  });

  test('a Secret of the wrong type or without the key is not sent or published', async () => {
    await world.apply('Secret', 'opaque', { type: 'Opaque', stringData: { token: planted.opaque } });
    await world.apply('Secret', 'keyless', { type, stringData: { password: planted.other } });
    await world.apply('Secret', 'authority', { type, stringData: { 'ca.crt': planted.authority } });
    const at = { endpoint: world.service.url, tenantID: 'x' };
    for (const name of ['opaque', 'keyless'])
      await world.apply('Connection', name, { ...at, auth: { type: 'Token', secretRef: { name } } });
    await world.apply('Connection', 'authority', { ...at, tls: { caSecretRef: { name: 'authority' } } });
    for (const name of ['opaque', 'keyless', 'authority']) await world.until('Connection', name, unready);
    await nothingIsTold();
  });

  test.each([
    ...(['password', 'spaced', 'tabbed', 'marked', 'requested', 'foreign'] as const).map(
      (which) => [which, { username: 'ann', password: planted[which], project_name: 'red' }] as const,
    ),
    ['credential', { application_credential_id: 'robot', application_credential_secret: planted.credential }],
  ] as const)('of a log-in are not told, though the identity service repeats them (%s)', async (which, login) => {
    const proxy = await openFront(world.service.url);
    proxies.push(proxy);
    const message = `no ${planted[which]} here, nor ${JSON.stringify(planted[which])}, nor ${'x'.repeat(430)}${planted[which]}`;
    const body = JSON.stringify({ error: { code: 401, title: 'Unauthorized', message } });
    proxy.on({}, { act: 'answer', reply: { status: 401, body } });
    const text = JSON.stringify({ clouds: { north: { auth: { auth_url: proxy.url, ...login } } } });
    await world.apply('Secret', which, { type, stringData: { 'clouds.yaml': text } });
    await world.apply('Connection', which, { auth: { type: 'Keystone', secretRef: { name: which }, cloud: 'north' } });
    const denied = await world.until('Connection', which, unready);
    expect(conditionOf(denied, 'Ready')?.message).toContain('***');
    await world.apply('Secret', which, { type, stringData: { 'clouds.yaml': text.replaceAll('}', '') } });
    await world.until('Connection', which, (one) => conditionOf(one, 'Ready')?.reason === 'CredentialsMissing');
    await nothingIsTold();
  });

  test('in an endpoint are refused before anything is stored', async () => {
    const spec = { endpoint: `http://me:${planted.other}@127.0.0.1`, tenantID: 'x' };
    const { status } = await world.api.apply(world.path('Connection', 'userinfo'), {
      apiVersion: 'dataprocessing.dev/v1alpha1',
      kind: 'Connection',
      metadata: { name: 'userinfo' },
      spec,
    });
    expect(status).toBe(422);
    expect(await world.get('Connection', 'userinfo')).toBeUndefined();
  });

  test.each(
    Object.entries(echoes).flatMap(([what, fault]) =>
      (['good', 'quoted'] as const).map((token, n) => ({
        what,
        fault,
        token: planted[token],
        name: `${what.replaceAll(' ', '-')}-${n}`,
      })),
    ),
  )('that the service echoes in $what are masked ($name)', async ({ fault, token, name }) => {
    const proxy = await connect(name, token);
    await world.ready('Connection', name);
    // Writes first: while the Connection is not ready, none is sent.
    const writes = proxy.on({ method: 'POST' }, fault(token));
    await world.apply('NodeGroupTemplate', name, worker(name));
    await world.until('NodeGroupTemplate', name, unready);
    expect(writes.hits).toBeGreaterThan(0);
    const all = proxy.on({}, fault(token));
    // A second poll: the operator has dealt with the first.
    await vi.waitFor(() => expect(all.hits).toBeGreaterThan(1), limitMs);
    await nothingIsTold();
  });

  test('of a data source reach the service and are not told, though it repeats them', async () => {
    const proxy = await connect('data', planted.good);
    const keys = (password: string) => ({ type, stringData: { user: 'ann', password } });
    const source = {
      connectionRef: { name: 'data' },
      type: 'swift',
      url: 'swift://books/all',
      credentialsSecretRef: { name: 'data-keys' },
    };
    await world.apply('DataSource', 'data', source);
    const waiting = await world.until('DataSource', 'data', unready);
    expect(conditionOf(waiting, 'Ready')?.message).toContain(
      'spec.credentialsSecretRef: Secret data-keys does not exist in this namespace, or is not of type dataprocessing.dev/credentials',
    );
    await world.apply('Secret', 'data-keys', keys(planted.stored));
    const { status } = await world.ready('DataSource', 'data');
    const credentials = () => world.records.list('dataSources', 'data').map((one) => one.credentials);
    expect(credentials()).toEqual([{ user: 'ann', password: planted.stored }]);

    const echo = proxy.on(
      { collection: 'data-sources', method: 'POST' },
      own(400, 'INVALID', `no swift for ${planted.replaced}`),
    );
    await world.apply('Secret', 'data-keys', keys(planted.replaced));
    const refused = await world.until('DataSource', 'data', (one) =>
      JSON.stringify(one.status?.conditions).includes('no swift for ***'),
    );
    expect(refused.status?.revision).toBe(status?.revision);
    await nothingIsTold();

    echo.lift();
    await world.until('DataSource', 'data', (one) => one.status?.revision !== status?.revision);
    await expect.poll(credentials, { timeout: limitMs }).toEqual([{ user: 'ann', password: planted.replaced }]);
    await nothingIsTold();
  });

  test('that are files of jobs reach the service and are not told, whatever part of them it repeats', async () => {
    const proxy = await connect('files', planted.good);
    const keys = (...lines: readonly string[]) => ({ type, stringData: { 'app.py': lines.join('\n') } });
    const binary = { connectionRef: { name: 'files' }, content: { secretKeyRef: { name: 'app', key: 'app.py' } } };
    const text = `cannot keep ${planted.program}`;
    const echoed = proxy.on({ collection: 'job-binary-internals', method: 'PUT' }, own(400, 'BAD_JOB_BINARY', text));
    await world.apply('Secret', 'app', keys('import os', planted.program, 'print(1)'));
    await world.apply('JobBinary', 'app', binary);
    const refused = await world.until('JobBinary', 'app', (one) =>
      JSON.stringify(one.status?.conditions).includes('(BAD_JOB_BINARY)'),
    );
    expect(conditionOf(refused, 'Ready')).toMatchObject({
      reason: 'ExternalRejected',
      message: expect.stringContaining('its text is not shown, because the request contained a Secret'),
    });
    echoed.lift();
    await world.apply('Secret', 'app', keys('import os', planted.program, 'print(2)'));
    const contents = () =>
      world.records
        .list('jobBinaryInternals', 'files')
        .map(({ id }) => Buffer.from(world.records.bytes('files', id) ?? []).toString());
    // The former text may be sent once more, as the refusal can end before the change of the Secret is seen.
    await expect.poll(contents, { timeout: limitMs }).toEqual([`import os\n${planted.program}\nprint(2)`]);
    await world.ready('JobBinary', 'app');
    await nothingIsTold();
  });

  test.each(['good', 'quoted'] as const)('that a cluster repeats in its status are masked (%s)', async (which) => {
    const name = `talkative-${which}`;
    const proxy = await connect(name, planted[which]);
    proxy.on({ collection: 'clusters' }, talkative(planted[which]));
    await world.apply('Cluster', name, cluster(name));
    const { status } = await world.until('Cluster', name, (one) => 'externalStatus' in (one.status ?? {}));
    expect(status).toMatchObject({ externalStatus: 'Busy with ***', statusMessage: 'token ***' });
    await vi.waitFor(async () => expect(await told()).toContain('***'), limitMs);
    await nothingIsTold();
  });

  test.each<readonly [string, (token: string) => string]>([
    ['percent', encodeURIComponent],
    ['quoted-json', (token) => JSON.stringify(JSON.stringify({ token }))],
    ['cut', (token) => token.slice(0, 30)],
    ['basic', (token) => Buffer.from(`ann:${token}`).toString('base64')],
  ])('that were exchanged since are masked in what a cluster repeats, in any spelling (%s)', async (which, spelled) => {
    const name = `former-${which}`;
    const proxy = await connect(name, planted.exchanged);
    await world.apply('Cluster', name, cluster(name));
    await world.ready('Cluster', name);
    await world.apply('Secret', name, { type, stringData: { token: planted.good } });
    proxy.on({ collection: 'clusters' }, talkative(spelled(planted.exchanged)));
    const { status } = await world.until('Cluster', name, (one) => one.status?.nodes !== undefined && !isActive(one));
    expect(status).toMatchObject({ statusMessage: expect.stringMatching(/^token .*\*\*\*/) });
    await nothingIsTold();
  });
});
