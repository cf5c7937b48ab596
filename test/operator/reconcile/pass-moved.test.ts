// A pass during which its Connection comes to lead elsewhere: nothing is judged by half of the old and half of the new.
import { expect, test } from 'vitest';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { createPass } from '../../../src/operator/reconcile/pass.ts';
import { keyOf, type PassPorts } from '../../../src/operator/reconcile/pass-ports.ts';
import { claimOf, installation, ledgerOf, resourceOf, usable } from './support.ts';

const never = () => {
  throw new Error('nothing may be done');
};
const none = () => [];
const silent = () => undefined;

test('takes over nothing from a copied ledger, and is repeated', async () => {
  const resource = resourceOf({ ledger: ledgerOf([claimOf({ id: 'id-1' })], { uid: 'original' }) });
  // The pass begins with the first; the original, whose claims are at the old address, is asked about with the second.
  const lookups = [usable(), usable(), usable({ endpoint: 'http://moved', endpoints: ['http://moved'] })];
  let asked = 0;
  const ports = {
    store: { read: () => resource, list: none, synced: true, claim: never, release: never, writeStatus: never },
    services: { lookup: () => lookups[Math.min(asked++, lookups.length - 1)] },
    events: { emit: never },
    leadership: { leading: true },
    clock: { wall: () => 0, monotonic: () => 0, after: never },
    log: { debug: silent, info: silent, warn: silent, error: never },
    kinds: new Map([['Cluster', clusterKind]]),
    installation,
    quarantineMs: 0,
    claimants: none,
    claimantsOfId: none,
    rivals: none,
    holder: silent,
    isNamed: silent,
    massDeletion: async () => undefined,
    process: 'this-one',
    seesAll: true,
  } as unknown as PassPorts;
  const context = { signal: new AbortController().signal, pollMs: 1_000 };
  await expect(createPass(ports)(keyOf(resource), context)).resolves.toMatchObject({ next: 'again' });
});
