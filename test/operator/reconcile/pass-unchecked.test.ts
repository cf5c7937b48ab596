// A pass before its Connection was looked at for the first time, as all passes of a start are.
import { expect, test } from 'vitest';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { createPass } from '../../../src/operator/reconcile/pass.ts';
import { keyOf, type PassPorts } from '../../../src/operator/reconcile/pass-ports.ts';
import { installation, resourceOf } from './support.ts';

const never = () => {
  throw new Error('nothing may be done');
};

test('reads nothing of the resource, says nothing, and waits to be woken', async () => {
  const resource = resourceOf();
  const unread = { ...clusterKind.definition, spec: { safeParse: never } };
  const ports = {
    store: { read: () => resource, list: never, synced: never, claim: never, release: never, writeStatus: never },
    services: { lookup: () => ({ state: 'unchecked', message: 'it is being looked at', credentials: false }) },
    events: { emit: never },
    leadership: { leading: never },
    clock: { wall: never, monotonic: never, after: never },
    log: { debug: never, info: never, warn: never, error: never },
    kinds: new Map([['Cluster', { ...clusterKind, definition: unread }]]),
    installation,
    quarantineMs: 0,
    claimants: never,
  } as unknown as PassPorts;
  const context = { signal: new AbortController().signal, pollMs: 1_000 };
  await expect(createPass(ports)(keyOf(resource), context)).resolves.toEqual({ next: 'budget' });
});
