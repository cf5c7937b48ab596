// Bugs around the protocol that the exhaustive check must find: of what a pass reads, writes and reports, and of the error table.
import type { createPass } from '../../src/operator/reconcile/pass.ts';
import { keyOf, type ResourceStore, StoreError } from '../../src/operator/reconcile/pass-ports.ts';
import type { PassResult } from '../../src/operator/reconcile/plan-input.ts';
import type { nextStatus } from '../../src/operator/reconcile/status/status.ts';
import type { classify } from '../../src/wire/errors/table.ts';
import type { Bug } from './bug.ts';
import { replacing } from './ground.ts';

/** What somebody else wrote in between is written over. */
const careless = (store: ResourceStore): ResourceStore => ({
  ...store,
  claim: async (resource, ledger) => {
    try {
      return await store.claim(resource, ledger);
    } catch (error) {
      const now = error instanceof StoreError ? await store.readFresh(keyOf(resource)) : undefined;
      if (!now) throw error;
      return store.claim(now, ledger);
    }
  },
});

export const passBugs: readonly Bug[] = [
  {
    name: 'the ledger that another replica wrote is written over',
    breaks: 'I5',
    suite: { world: { replicas: 2, bounds: {} } },
    plant: replacing<typeof createPass>(
      'pass.createPass',
      (real) => (ports, memories) => real({ ...ports, store: careless(ports.store) }, memories),
    ),
  },
  {
    name: 'a connection that broke is taken for a request that was never sent',
    breaks: 'I2',
    suite: { world: { replicas: 1, bounds: { losses: 1 } } },
    plant: replacing<typeof classify>(
      'table.classify',
      (real) => (request, failure, secrets) =>
        real(request, failure.phase === 'unanswered' ? { ...failure, phase: 'unsent' } : failure, secrets),
    ),
  },
  {
    name: 'observedGeneration goes back while something is waited for',
    breaks: 'I9',
    suite: { world: { replicas: 1, bounds: { deletions: 1 } } },
    plant: {
      'status.nextStatus': (real: typeof nextStatus) => (concluded: PassResult) => {
        const status = real(concluded);
        const { generation } = concluded.facts;
        return status && concluded.outcome.result === 'waiting'
          ? { ...status, observedGeneration: generation - 2 }
          : status;
      },
    },
  },
];
