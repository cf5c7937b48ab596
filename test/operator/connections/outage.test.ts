// Credentials that are there again while the identity service is down: what is told of the Connection is the outage, and no more what was missing.
import { afterEach, expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../../src/lib/system.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { finalizer } from '../../../src/operator/api/shared-api.ts';
import type { ConnectionPorts } from '../../../src/operator/connections/pass/connection-context.ts';
import { createConnectionPass } from '../../../src/operator/connections/pass/connection-pass.ts';
import { ServicePool } from '../../../src/operator/connections/pool.ts';
import type { Key, ServiceLookup } from '../../../src/operator/reconcile/pass-ports.ts';
import { serve } from '../client/support/servers.ts';

const key: Key = { kind: 'Connection', namespace: 'team-a', name: 'default' };
const opened: ServicePool[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

const token = {
  issued_at: '2026-01-01T00:00:00Z',
  expires_at: '2099-01-01T00:00:00Z',
  project: { id: 'red', name: 'Red' },
  catalog: [],
};

/** A Connection that logs in, its Secret, and an identity service that may be down. */
async function scene() {
  let down = false;
  const { url } = await serve(({ method }) => {
    if (method !== 'POST') return { body: { plugins: [] } };
    return down ? { status: 503 } : { status: 201, headers: { 'x-subject-token': 'tok' }, body: { token } };
  });
  const woken: ServiceLookup[] = [];
  const connections = new ServicePool({
    clock: systemClock,
    random: systemRandom,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    changed: () => undefined,
    free: () => undefined,
    check: () => undefined,
    exists: () => true,
    seesAll: true,
    judged: () => void woken.push(connections.lookup(key)),
  });
  opened.push(connections);
  const auth = { type: 'Keystone', secretRef: { name: 'login' }, cloud: 'north' };
  const metadata = { ...key, uid: 'u', generation: 1, resourceVersion: '1', finalizers: [finalizer] };
  let resource = { ...key, metadata, spec: { endpoint: url, tenantID: 'red', auth } } as unknown as RawResource;
  let data: Readonly<Record<string, string>> = {};
  const store = {
    read: ({ kind }: Key) => (kind === 'Secret' ? { metadata: { ...metadata, name: 'login' }, data } : resource),
    writeStatus: async (_of: RawResource, status: unknown) => {
      resource = { ...resource, status } as RawResource;
      return resource;
    },
  };
  const pass = createConnectionPass({
    store,
    registry: connections,
    events: { emit: () => undefined },
    clock: systemClock,
    objectCount: () => undefined,
    massDeletion: async () => undefined,
    users: () => [resource],
  } as unknown as ConnectionPorts);
  const look = async () => {
    await pass(key, new AbortController().signal);
    return connections.lookup(key);
  };
  // Each time with another password: no log-in from before serves it.
  let password = 0;
  const clouds = () => {
    password += 1;
    return { north: { auth: { auth_url: url, user_id: 'u', password: `p${password}`, project_id: 'red' } } };
  };
  return {
    woken,
    with: async (more: { readonly credentials: boolean; readonly identity?: 'down' }) => {
      data = more.credentials ? { 'clouds.yaml': btoa(JSON.stringify({ clouds: clouds() })) } : {};
      down = more.identity === 'down';
      return look();
    },
    terminate: () => {
      const deletionTimestamp = '2026-01-01T00:00:00Z';
      resource = { ...resource, metadata: { ...resource.metadata, deletionTimestamp } };
    },
  };
}

const missing = { state: 'broken', credentials: true };
const outage = expect.stringMatching(/is not ready: cannot authenticate at /);

test('a service that was known is out of order, and wants no credentials any more', async () => {
  const { with: look, woken } = await scene();
  expect(await look({ credentials: true })).toMatchObject({ state: 'usable', mayCreate: true });
  expect(await look({ credentials: false })).toMatchObject(missing);
  woken.splice(0);
  expect(await look({ credentials: true, identity: 'down' })).toMatchObject({
    state: 'usable',
    mayCreate: false,
    message: outage,
  });
  // Those who wait for the credentials are told.
  expect(woken.at(-1)).toMatchObject({ state: 'usable' });
  expect(await look({ credentials: true })).toMatchObject({ state: 'usable', mayCreate: true });
});

test('one that nothing is known of yet is out of order, too', async () => {
  const { with: look } = await scene();
  expect(await look({ credentials: false })).toMatchObject(missing);
  const closed = await look({ credentials: true, identity: 'down' });
  expect(closed).toMatchObject({ state: 'broken', credentials: false, message: outage });
});

test.each<readonly [string, boolean, object]>([
  ['that was known', true, { state: 'usable', mayCreate: false }],
  ['that nothing is known of', false, { state: 'broken', credentials: false, message: outage }],
])('a deletion through one %s does not wait for the credentials any more', async (_which, known, expected) => {
  const { with: look, terminate } = await scene();
  if (known) await look({ credentials: true });
  terminate();
  expect(await look({ credentials: false })).toMatchObject(missing);
  expect(await look({ credentials: true, identity: 'down' })).toMatchObject(expected);
});
