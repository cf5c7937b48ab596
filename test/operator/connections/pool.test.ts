// The services behind Connections: what others may do with them, from the first look on, and who is woken when that changes.
import { createServer } from 'node:https';
import { afterEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/lib/ports.ts';
import { systemClock, systemRandom } from '../../../src/lib/system.ts';
import type { Settings } from '../../../src/operator/connections/pass/service-registry.ts';
import { ServicePool } from '../../../src/operator/connections/pool.ts';
import { loadOf, longestTimeoutMs } from '../../../src/operator/connections/pool-entry.ts';
import type { Key } from '../../../src/operator/reconcile/pass-ports.ts';
import { routes } from '../../../src/wire/routes.ts';
import { ManualClock } from '../../support/clock.ts';
import { makeCertificates } from '../client/support/certificates.ts';
import { listen, type Reply, serve } from '../client/support/servers.ts';

const key: Key = { kind: 'Connection', namespace: 'team-a', name: 'default' };
const settings = (changes: Partial<Settings> = {}): Settings => ({
  uid: 'u1',
  endpoint: 'http://127.0.0.1:9',
  formerEndpoints: [],
  tenant: 'demo',
  dialect: 'neutral',
  authentication: { type: 'token', token: 'one' },
  ca: undefined,
  insecureSkipVerify: false,
  timeoutMs: 1_000,
  limits: { requestsPerSecond: 10, burst: 10, maxInFlight: 4 },
  pollSeconds: 30,
  ...changes,
});

const opened: ServicePool[] = [];
function connectionsOf(exists = true, clock: Clock = systemClock) {
  const woken: string[] = [];
  const looked: string[] = [];
  const connections = new ServicePool({
    clock,
    random: systemRandom,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    changed: () => undefined,
    free: () => undefined,
    check: ({ name }) => void looked.push(name),
    exists: () => exists,
    seesAll: true,
    judged: ({ name }) => void woken.push(name),
  });
  opened.push(connections);
  return {
    connections,
    woken,
    looked,
    look: () => connections.lookup({ kind: 'Connection', namespace: 'team-a', name: 'default' }),
  };
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

describe('what is known of a Connection', () => {
  test('nothing, where there is none', () => {
    expect(connectionsOf(false).look()).toMatchObject({
      state: 'missing',
      message:
        'Connection default does not exist in this namespace: create it, since those of other namespaces do not count',
    });
  });

  test('nothing yet, until it was looked at for the first time; then those who wait are woken', () => {
    const { connections, look, woken } = connectionsOf();
    expect(look().state).toBe('unchecked');
    connections.apply(key, settings());
    expect(look().state).toBe('unchecked');
    expect(woken).toEqual([]);
    connections.judge(key, { mayCreate: true });
    expect(look()).toMatchObject({ state: 'usable', mayCreate: true, endpoints: ['http://127.0.0.1:9'] });
    connections.judge(key, { mayCreate: true });
    expect(woken).toEqual(['default']);
    connections.judge(key, { mayCreate: false, message: 'it is being deleted' });
    expect(look()).toMatchObject({ state: 'usable', mayCreate: false, message: 'it is being deleted' });
    expect(woken).toHaveLength(2);
  });

  test('broken, and mended: both wake', () => {
    const { connections, look, woken } = connectionsOf();
    connections.apply(key, settings());
    connections.judge(key, { mayCreate: true });
    connections.broken(key, { message: 'no Secret', credentials: true });
    connections.broken(key, { message: 'no Secret', credentials: true });
    expect(look()).toEqual({ state: 'broken', message: 'no Secret', credentials: true });
    expect(woken).toHaveLength(2);
    connections.apply(key, settings());
    expect(look().state).toBe('usable');
    expect(woken).toHaveLength(3);
  });

  test('forgotten with it', () => {
    const { connections, look } = connectionsOf(false);
    connections.apply(key, settings());
    connections.judge(key, { mayCreate: true });
    connections.forget(key);
    expect(look().state).toBe('missing');
  });
});

describe('the service behind it', () => {
  test.each<[what: string, change: Partial<Settings>, wakes: number]>([
    ['an address that it had before', { formerEndpoints: ['http://127.0.0.1:8'] }, 1],
    ['how often it is polled', { pollSeconds: 60 }, 1],
    ['how long an answer may take, which no pass decides by', { timeoutMs: 2_000 }, 0],
  ])('stays when the edit is of %s; passes that decided by the old setting are woken', (_, change, wakes) => {
    const { connections, woken, look } = connectionsOf();
    const service = connections.apply(key, settings());
    connections.judge(key, { mayCreate: true });
    woken.length = 0;
    expect(connections.apply(key, settings(change))).toBe(service);
    expect(woken).toHaveLength(wakes);
    expect(look()).toMatchObject({
      state: 'usable',
      endpoints: ['http://127.0.0.1:9', ...(change.formerEndpoints ?? [])],
    });
    connections.apply(key, settings(change));
    expect(woken).toHaveLength(wakes);
  });

  test.each<readonly [string, Partial<Settings>]>([
    ['another token', { authentication: { type: 'token', token: 'two' } }],
    ['other limits', { limits: { requestsPerSecond: 1, burst: 1, maxInFlight: 1 } }],
    ['another time limit', { timeoutMs: 5_000 }],
    ['another certificate authority', { ca: 'PEM' }],
    ['another poll', { pollSeconds: 5 }],
  ])('stays with %s', (_name, changes) => {
    const { connections } = connectionsOf();
    const service = connections.apply(key, settings());
    expect(connections.apply(key, settings(changes))).toBe(service);
  });

  test.each<readonly [string, Partial<Settings>]>([
    ['another object of the same name', { uid: 'u2' }],
    ['another endpoint', { endpoint: 'http://127.0.0.1:10' }],
    ['another tenant', { tenant: 'prod' }],
  ])('is another one with %s', (_name, changes) => {
    const { connections } = connectionsOf();
    const service = connections.apply(key, settings());
    expect(connections.apply(key, settings(changes))).not.toBe(service);
  });
});

describe('a log-in', () => {
  const auth = { auth_url: 'http://127.0.0.1:9', user_id: 'u', password: 'p', project_id: 'red' };
  const keystone = (clouds: object) =>
    ({ type: 'keystone', clouds: JSON.stringify({ clouds }), cloud: 'north' }) as const;
  const at = (url: string) => keystone({ north: { auth: { ...auth, auth_url: url } } });
  const issued = {
    issued_at: '2026-01-01T00:00:00Z',
    expires_at: '2026-01-01T01:00:00Z',
    project: { id: 'red', name: 'Red' },
    catalog: [{ type: 'data-processing', endpoints: [{ interface: 'public', region: 'r', url: 'http://a/v1.1/red' }] }],
  };
  const identity = (token: object = issued) =>
    serve(() => ({ status: 201, headers: { 'x-subject-token': 'tok' }, body: { token } }));
  const left = { endpoint: undefined, tenant: undefined };

  test('fills in what is left to it, once for as long as nothing changes', async () => {
    const { url, received } = await identity();
    const { connections } = connectionsOf();
    const wanted = { ...settings({ authentication: at(url) }), ...left };
    const logIn = await connections.login(key, wanted);
    expect(logIn).toEqual({ state: 'in', settings: { ...wanted, endpoint: 'http://a', tenant: 'red' } });
    await connections.login(key, { ...wanted, pollSeconds: 1 });
    expect(received).toHaveLength(1);
    await connections.login(key, { ...wanted, timeoutMs: 2_000 });
    expect(received).toHaveLength(2);
  });

  test('counts what the cloud says of certificates for the service, too', async () => {
    const { url } = await identity();
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
    const cloud = { auth: { ...auth, auth_url: url }, verify: false, cacert: pem };
    const wanted = { ...settings({ authentication: keystone({ north: cloud }), ca: undefined }), ...left };
    const { connections } = connectionsOf();
    expect(await connections.login(key, wanted)).toMatchObject({ settings: { ca: pem, insecureSkipVerify: true } });
  });

  test('trusts the authorities of the Connection, and those of the cloud', async () => {
    const { ca, cert, key: privateKey } = await makeCertificates(['localhost'], ['127.0.0.1']);
    const answer = JSON.stringify({ token: issued });
    const server = createServer({ cert, key: privateKey }, (_request, response) => {
      response.writeHead(201, { 'x-subject-token': 'tok' }).end(answer);
    });
    const url = (await listen(server)).url.replace('http:', 'https:');
    const { connections } = connectionsOf();
    const logIn = (changes: Partial<Settings>, cloud: object = {}) => {
      const authentication = keystone({ north: { auth: { ...auth, auth_url: url }, ...cloud } });
      return connections.login(key, { ...settings({ authentication, ...changes }), ...left });
    };
    expect(await logIn({})).toMatchObject({
      error: { why: expect.stringContaining('is not trusted') },
    });
    for (const [changes, cloud] of [[{ ca }], [{}, { cacert: ca }], [{}, { verify: false }]] as const)
      expect(await logIn(changes, cloud)).toMatchObject({ state: 'in' });
  });

  test.each<readonly [string, object, string, RegExp]>([
    ['without a project', { ...issued, project: undefined }, 'failed', /the token has no project/],
    ['without the service', { ...issued, catalog: [] }, 'failed', /the catalog has no endpoint .*set spec\.endpoint/],
  ])('%s', async (_name, token, state, why) => {
    const { url } = await identity(token);
    const { connections } = connectionsOf();
    const logIn = await connections.login(key, { ...settings({ authentication: at(url) }), ...left });
    expect(logIn).toMatchObject({ state, at: `${url}/v3`, error: { why: expect.stringMatching(why) } });
  });

  test('into another tenant than the one that is wanted leads there, and says so', async () => {
    const { url } = await identity();
    const { connections } = connectionsOf();
    const logIn = await connections.login(key, settings({ authentication: at(url), tenant: 'blue' }));
    expect(logIn).toMatchObject({
      state: 'elsewhere',
      settings: { tenant: 'red' },
      error: { category: 'unauthorized', why: expect.stringContaining('not for tenant blue') },
    });
  });

  test('that cannot be read is unfit, and one that fails closes no service that is known', async () => {
    const { connections, look } = connectionsOf();
    const unfit = await connections.login(key, settings({ authentication: keystone({}) }));
    expect(unfit).toEqual({ state: 'unfit', message: expect.stringMatching(/^clouds\.yaml: it has no cloud north/) });
    expect(await connections.login(key, settings({ authentication: at('http://127.0.0.1:9') }))).toMatchObject({
      state: 'failed',
      at: 'http://127.0.0.1:9/v3',
    });
    connections.closed(key, 'no log-in');
    expect(look()).toEqual({ state: 'broken', message: 'no log-in', credentials: false });
    connections.apply(key, settings());
    connections.judge(key, { mayCreate: true });
    connections.closed(key, 'no log-in');
    expect(look().state).toBe('usable');
  });

  test('that changed is used by the service at once', async () => {
    const [first, second] = [await identity(), await identity()];
    const { url, received } = await serve(() => ({ body: { plugins: [] } }));
    const { connections } = connectionsOf();
    const wanted = (identityUrl: string) => settings({ endpoint: url, tenant: 'red', authentication: at(identityUrl) });
    const logIn = await connections.login(key, wanted(first.url));
    if (logIn.state !== 'in') return expect.unreachable();
    const service = connections.apply(key, logIn.settings);
    await service.plugins();
    await connections.login(key, wanted(second.url));
    await service.plugins();
    expect([first.received.length, second.received.length, received.length]).toEqual([1, 1, 2]);
  });
});

describe('the figures of all services', () => {
  const everyone = () => true;
  const clusters = { route: 'clusters', pollSeconds: undefined, matters: everyone };

  test('tell the longest patience', () => {
    const { connections } = connectionsOf();
    expect(longestTimeoutMs(connections.entries())).toBe(0);
    for (const [namespace, timeoutMs] of Object.entries({ 'team-a': 600_000, 'team-b': 30_000 }))
      connections.apply({ ...key, namespace }, settings({ timeoutMs }));
    expect(longestTimeoutMs(connections.entries())).toBe(600_000);
  });

  test('add up the load, and tell the age of what was read longest ago where it matters', async () => {
    const clock = new ManualClock();
    const { connections } = connectionsOf(true, clock);
    const service = connections.apply(key, settings());
    connections.apply({ ...key, namespace: 'team-b' }, settings());
    await service.budget.take({ user: 'a', withinMs: 0 });
    const { limits } = service.budget;
    expect(loadOf(connections.entries())).toEqual({ waiting: 0, inFlight: 1, limits: [limits, limits] });
    await clock.advance(5_000);
    const reading = (matters: (connection: string) => boolean) => connections.reading({ ...clusters, matters });
    expect(reading((connection) => connection === 'team-b/default')?.ageMs).toBe(5_000);
    expect(reading(() => false)).toBeUndefined();
  });

  test('a good answer to a read makes what is known young again, and a bad one does not', async () => {
    const clock = new ManualClock();
    const { url, received } = await serve(({ url: path }) =>
      path.endsWith('/clusters') ? { body: { clusters: [] } } : { status: 500 },
    );
    const { connections } = connectionsOf(true, clock);
    const { inventory } = connections.apply(key, settings({ endpoint: url }));
    await clock.advance(5_000);
    await inventory.observe(routes.clusters, { notBefore: 0 });
    await expect(inventory.observe(routes.clusterTemplates, { notBefore: 0 })).rejects.toThrow(
      'the service is unavailable',
    );
    await clock.advance(1_000);
    expect(received).toHaveLength(2);
    expect(connections.reading(clusters)?.ageMs).toBe(1_000);
    expect(connections.reading({ route: 'cluster-templates', pollSeconds: 5, matters: everyone })).toEqual({
      ageMs: 6_000,
      overdueMs: 1_000,
    });
  });

  test('tell what is late by the interval of its own Connection, and not what is only old', async () => {
    const clock = new ManualClock();
    const { connections } = connectionsOf(true, clock);
    connections.apply(key, settings({ pollSeconds: 3_600 }));
    await clock.advance(3_000_000);
    connections.apply({ ...key, namespace: 'team-b' }, settings({ pollSeconds: 30 }));
    await clock.advance(70_000);
    const late = (namespace: string) =>
      connections.reading({ ...clusters, matters: (connection) => connection === `${namespace}/default` });
    expect(late('team-a')).toEqual({ ageMs: 3_070_000, overdueMs: 0 });
    expect(late('team-b')).toEqual({ ageMs: 70_000, overdueMs: 40_000 });
    expect(connections.reading(clusters)).toEqual({ ageMs: 3_070_000, overdueMs: 40_000 });
    await clock.advance(1_000_000);
    expect(late('team-a')).toEqual({ ageMs: 4_070_000, overdueMs: 470_000 });
  });
});

test('another token wakes those who use the Connection, and the same one does not', () => {
  const { connections, woken } = connectionsOf();
  connections.apply(key, settings());
  connections.judge(key, { mayCreate: false });
  woken.splice(0);
  connections.apply(key, settings());
  expect(woken).toEqual([]);
  connections.apply(key, settings({ authentication: { type: 'token', token: 'two' } }));
  expect(woken).toEqual(['default']);
});

describe('failures of others', () => {
  const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' };
  const odd = { headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' };

  /** How often the Connection is looked at, where something of it is asked for every ten seconds for an hour. */
  async function looksInAnHour(reply: Reply): Promise<number> {
    const clock = new ManualClock();
    const { url } = await serve(() => reply);
    const { connections, looked } = connectionsOf(true, clock);
    const { inventory } = connections.apply(key, settings({ endpoint: url }));
    for (let asked = 0; asked < 360; asked += 1) {
      await inventory.observe(routes.clusters, { notBefore: clock.monotonic() }).catch(() => undefined);
      if (asked === 0) expect(looked).toEqual(reply.status === 200 || reply.status === 429 ? [] : ['default']);
      await clock.advance(10_000);
    }
    return looked.length;
  }

  test.each<[answer: string, reply: Reply, atMost: number]>([
    ['the token is refused', { status: 401, body: { error: { message: 'no' } } }, 120],
    // One more each, to say which list cannot be read.
    ['the service fails', { status: 503 }, 31],
    ['a proxy says that it fails', page, 31],
    ['something else answers', odd, 31],
    ['a path is not known', { status: 404, body: { error: 404, error_message: 'no' } }, 31],
    ['the service asks for fewer requests', { status: 429 }, 0],
    ['all is well', { status: 200, body: { clusters: [] } }, 0],
  ])('have the Connection looked at at once, and not too often: %s', async (_answer, reply, atMost) => {
    expect(await looksInAnHour(reply)).toBe(atMost);
  });

  test('that nobody answers have it looked at again after ten seconds, and not while it fails itself', async () => {
    const clock = new ManualClock();
    const { connections } = connectionsOf(true, clock);
    const { inventory } = connections.apply(key, settings());
    const suspects = async () => {
      await inventory.observe(routes.clusters, { notBefore: clock.monotonic() }).catch(() => undefined);
      await clock.advance(5_000);
      return connections.suspected(key);
    };
    expect([await suspects(), await suspects(), await suspects()]).toEqual([true, false, true]);
    connections.judge(key, { mayCreate: false, failing: true });
    expect([await suspects(), await suspects(), await suspects()]).toEqual([false, false, false]);
  });

  test('that end while the Connection fails have it looked at at once', async () => {
    const { url } = await serve(() => ({ body: { clusters: [] } }));
    const { connections, looked } = connectionsOf();
    const { inventory } = connections.apply(key, settings({ endpoint: url }));
    connections.judge(key, { mayCreate: false, failing: true });
    await inventory.observe(routes.clusters, { notBefore: 0 });
    expect(looked).toEqual(['default']);
    expect(connections.suspected(key)).toBe(true);
  });

  test('have it looked at once for each time that it is asked', async () => {
    const { url } = await serve(() => ({ status: 500 }));
    const { connections } = connectionsOf();
    const { inventory } = connections.apply(key, settings({ endpoint: url }));
    expect(connections.suspected(key)).toBe(false);
    await inventory.observe(routes.clusters, { notBefore: 0 }).catch(() => undefined);
    expect([connections.suspected(key), connections.suspected(key)]).toEqual([true, false]);
  });

  test('of its own look have it not looked at once more', async () => {
    const { url } = await serve(() => ({ status: 500 }));
    const { connections, looked } = connectionsOf();
    await connections
      .apply(key, settings({ endpoint: url }))
      .plugins()
      .catch(() => undefined);
    expect(looked).toEqual([]);
  });
});

describe('the count of the objects of a service', () => {
  test('is due once, five seconds after something changed, whenever the Connection was looked at before', async () => {
    const clock = new ManualClock();
    let objects: object[] = [];
    const { url } = await serve(() => ({ body: { clusters: objects } }));
    const { connections, looked } = connectionsOf(true, clock);
    const { inventory } = connections.apply(key, settings({ endpoint: url }));
    await inventory.observe(routes.clusters, { notBefore: clock.monotonic() });
    await clock.advance(90_000);
    connections.countDue(key);
    looked.splice(0);
    objects = [{ id: 'one', name: 'etl', status: 'Active' }];
    await inventory.observe(routes.clusters, { notBefore: clock.monotonic() });
    expect(connections.countDue(key)).toBe(false);
    await clock.advance(5_000);
    expect(looked).toEqual(['default']);
    expect(connections.countDue(key)).toBe(true);
    expect(connections.countDue(key)).toBe(false);
  });

  test('is due when an address was listed as a former one: what was made there counts now', async () => {
    const clock = new ManualClock();
    const { connections, looked } = connectionsOf(true, clock);
    connections.apply(key, settings());
    connections.apply(key, settings({ formerEndpoints: ['http://127.0.0.1:8'] }));
    await clock.advance(5_000);
    expect(looked).toEqual(['default']);
    expect(connections.countDue(key)).toBe(true);
  });

  test('of a service that is given up is not due any more', async () => {
    const clock = new ManualClock();
    const { connections, looked } = connectionsOf(true, clock);
    connections.apply(key, settings());
    connections.recount(key);
    connections.forget(key);
    await clock.advance(60_000);
    expect(looked).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
