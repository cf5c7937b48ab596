// The count of objects in the status of a Connection: taken once a minute, and kept right in between.
import { expect, test } from 'vitest';
import { finalizer } from '../../src/api/common.ts';
import type { RawResource } from '../../src/api/definition.ts';
import type { ConnectionPorts } from '../../src/kinds/connection/context.ts';
import { createConnectionPass } from '../../src/kinds/connection/pass.ts';

const key = { kind: 'Connection', namespace: 'x', name: 'default' };
const metadata = {
  ...key,
  uid: 'u',
  generation: 1,
  finalizers: [finalizer],
  creationTimestamp: '2026-01-01T00:00:00Z',
};

/** One Connection whose service answers. */
function stage() {
  const at = { now: 0, counts: 0, writes: 0 };
  let resource = { metadata, spec: { endpoint: 'http://host', tenantID: 'demo' } } as unknown as RawResource;
  const registry = {
    apply: () => ({ plugins: async () => [] }),
    suspected: () => false,
    countDue: () => false,
    judge: () => undefined,
  };
  const store = {
    read: () => resource,
    writeStatus: async (_: RawResource, status: unknown) => {
      at.writes += 1;
      resource = { ...resource, status } as RawResource;
      return resource;
    },
  };
  const ports = {
    store,
    registry,
    events: { emit: () => undefined },
    clock: { wall: () => at.now, monotonic: () => at.now },
    census: () => ({ managed: (at.counts += 1), unclaimed: [] }),
    loss: async () => undefined,
    users: () => [],
  } as unknown as ConnectionPorts;
  const pass = createConnectionPass(ports);
  return {
    at,
    look: async () => {
      await pass(key, new AbortController().signal);
      return resource.status as Record<string, unknown>;
    },
    write: (status: object) => {
      resource = { ...resource, status: { ...(resource.status as object), ...status } } as RawResource;
    },
  };
}

test('what somebody else writes there is put right by the next pass, without another count', async () => {
  const { at, look, write } = stage();
  const first = await look();
  expect(first).toMatchObject({ managedCount: 1, unclaimedCount: 0 });
  write({ managedCount: 77, unclaimedCount: 88, unclaimed: [{ collection: 'clusters', id: '1', name: 'nobody' }] });
  at.now += 1_000;
  expect(await look()).toEqual(first);
  await look();
  expect(at).toEqual({ now: 1_000, counts: 1, writes: 2 });
  at.now += 60_000;
  expect(await look()).toMatchObject({ managedCount: 2 });
});
