// Deletions of many resources at once: the proof that each object is gone takes no more LISTs than one, and waits without a place among the passes.
import { expect, test } from 'vitest';
import type { Service } from '../../../src/operator/client/service-client.ts';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { emptyMemory, type KeyMemory } from '../../../src/operator/reconcile/key-memory.ts';
import { createPass } from '../../../src/operator/reconcile/pass.ts';
import { keyOf, keyText, type PassPorts } from '../../../src/operator/reconcile/pass-ports.ts';
import { aloneWith } from './running.ts';
import { claimOf, conditionsAs, ledgerOf, monotonic, resourceOf, usable, viewOf, wall } from './support.ts';

const sent = monotonic - 4_000;

interface Seen {
  /** When the newest LIST was sent, which lacks the object; when the first did; and until the next one may be sent, in ms. */
  readonly listSentAt: number;
  readonly droppedAt?: number;
  readonly restMs?: number;
  readonly memory?: Partial<KeyMemory>;
}

/** One pass of a cluster whose DELETE the service has accepted. */
async function passOf({ listSentAt, droppedAt, restMs = 0, memory = {} }: Seen) {
  const calls: string[] = [];
  let newest = listSentAt;
  const resource = resourceOf({
    ledger: ledgerOf([claimOf({ id: 'id-1' })]),
    deleting: true,
    status: { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'False', 'Deleting', 'm']]) },
  });
  const key = keyOf(resource);
  const inventory = {
    observe: async (_: unknown, { notBefore }: { readonly notBefore: number }) => {
      if (notBefore > newest) {
        calls.push('list');
        newest = notBefore + 1;
      }
      return viewOf([], { listSentAt: newest });
    },
    age: () => monotonic - listSentAt,
    droppedAt: () => droppedAt,
    restMs: () => restMs,
  };
  const budget = { limits: { requestsPerSecond: 500 } };
  const silent = () => undefined;
  const ports = {
    store: {
      read: () => resource,
      list: () => [],
      writeStatus: async () => resource,
      release: async () => void calls.push('release'),
    },
    services: { lookup: () => usable({ service: { inventory, budget } as unknown as Service }) },
    clock: { wall: () => wall, monotonic: () => monotonic, after: silent },
    ...aloneWith([clusterKind]),
  } as unknown as PassPorts;

  const known = {
    ...emptyMemory(resource.metadata.uid),
    lastEffectAt: sent,
    deletesSent: new Map([['id-1', { at: sent }]]),
  };
  const memories = new Map([[keyText(key), { ...known, ...memory }]]);
  const pass = createPass(ports, memories);
  const requeue = await pass(key, { signal: new AbortController().signal, pollMs: 5_000 });
  return { calls, requeue };
}

test('two LISTs that others caused are proof, and no further one is sent', async () => {
  const { calls } = await passOf({ listSentAt: sent + 2_000, droppedAt: sent + 1_000 });
  expect(calls).toEqual(['release']);
});

test('a LIST from before the answer to the DELETE is none of the two', async () => {
  const { calls } = await passOf({ listSentAt: sent + 2_000, droppedAt: sent });
  expect(calls).toEqual(['list', 'release']);
});

test('where the next LIST has to wait, the pass ends, and another one follows then', async () => {
  const { calls, requeue } = await passOf({ listSentAt: monotonic - 400, droppedAt: monotonic - 400, restMs: 600 });
  expect(calls).toEqual([]);
  expect(requeue).toEqual({ next: 'at', afterMs: 600 });
  const later = await passOf({ listSentAt: monotonic - 400, memory: { missingSince: monotonic - 400 } });
  expect(later.calls).toEqual(['list', 'release']);
});
