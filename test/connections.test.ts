// The services behind Connections: what others may do with them, from the first look on, and who is woken when that changes.
import { afterEach, describe, expect, test } from 'vitest';
import { Connections } from '../src/connections.ts';
import type { Settings } from '../src/kinds/connection/registry.ts';
import type { Clock } from '../src/ports.ts';
import type { Key } from '../src/reconcile/ports.ts';
import { systemClock } from '../src/system.ts';
import { routes } from '../src/wire/routes.ts';
import { serve } from './adapter/servers.ts';
import { ManualClock } from './support/clock.ts';

const key: Key = { kind: 'Connection', namespace: 'team-a', name: 'default' };
const settings = (changes: Partial<Settings> = {}): Settings => ({
  uid: 'u1',
  endpoint: 'http://127.0.0.1:9',
  formerEndpoints: [],
  tenant: 'demo',
  dialect: 'neutral',
  token: 'one',
  ca: undefined,
  insecureSkipVerify: false,
  timeoutMs: 1_000,
  limits: { requestsPerSecond: 10, burst: 10, maxInFlight: 4 },
  pollSeconds: 30,
  ...changes,
});

const opened: Connections[] = [];
function connectionsOf(exists = true, clock: Clock = systemClock) {
  const woken: string[] = [];
  const looked: string[] = [];
  const connections = new Connections({
    clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    changed: () => undefined,
    free: () => undefined,
    look: ({ name }) => void looked.push(name),
    exists: () => exists,
    judged: ({ name }) => void woken.push(name),
  });
  opened.push(connections);
  return { connections, woken, looked, look: () => connections.lookup('team-a', 'default') };
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

describe('what is known of a Connection', () => {
  test('nothing, where there is none', () => {
    expect(connectionsOf(false).look()).toMatchObject({
      state: 'missing',
      message: expect.stringContaining('does not exist'),
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
  test.each<readonly [string, Partial<Settings>]>([
    ['another token', { token: 'two' }],
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

describe('the figures of all services', () => {
  test('add up the load, and tell the age of what was read longest ago where it matters', async () => {
    const clock = new ManualClock();
    const { connections } = connectionsOf(true, clock);
    const service = connections.apply(key, settings());
    connections.apply({ ...key, namespace: 'team-b' }, settings());
    await service.budget.take({ user: 'a', withinMs: 0 });
    expect(connections.load()).toEqual({ waiting: 0, inFlight: 1 });
    await clock.advance(5_000);
    const age = (matters: (connection: string) => boolean) => connections.oldestReadMs('clusters', matters);
    expect(age((connection) => connection === 'team-b/default')).toBe(5_000);
    expect(age(() => false)).toBeUndefined();
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
      'the service is not available',
    );
    await clock.advance(1_000);
    expect(received).toHaveLength(2);
    expect(connections.oldestReadMs('clusters', () => true)).toBe(1_000);
    expect(connections.oldestReadMs('cluster-templates', () => true)).toBe(6_000);
  });
});

describe('the count of the objects of a service', () => {
  test('is due once, a minute after something changed, whenever the Connection was looked at before', async () => {
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
    await clock.advance(60_000);
    expect(looked).toEqual(['default']);
    expect(connections.countDue(key)).toBe(true);
    expect(connections.countDue(key)).toBe(false);
  });
});
