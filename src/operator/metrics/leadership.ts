// The metrics of leader election.
import type { Registry } from 'prom-client';
import type { Leadership } from '../reconcile/ports.ts';
import { scrapedCounter, scrapedGauge } from './registry.ts';

interface LeaderStatus extends Leadership {
  /** leaseTransitions of the Lease; undefined before it was read. */
  transitions(): number | undefined;
}

export function measureLeadership(registry: Registry, status: LeaderStatus): void {
  scrapedGauge(registry, {
    name: 'leader',
    help: '1 if this replica leads, 0 if it stands by.',
    samples: () => [[status.leading() ? 1 : 0]],
  });
  scrapedCounter(registry, {
    name: 'lease_transitions_total',
    help: 'Changes of the leader, as recorded in the lease.',
    samples: () => {
      const count = status.transitions();
      // Starting from 0, Prometheus would see all changes since the Lease was created happen at once.
      return count === undefined ? [] : [[count]];
    },
  });
}
