// The metrics of watches, of Kubernetes events and of leader election.
import type { Registry } from 'prom-client';
import type { Leadership } from '../reconcile/pass-ports.ts';
import { scrapedCounter, scrapedGauge } from './registry.ts';

interface RelistCounts {
  readonly kind: string;
  /** Lists after the first, by cause. */
  readonly relists: Readonly<Record<string, number>>;
}

/** A kind has one source for each watched namespace. */
export function measureWatches(registry: Registry, sources: () => readonly RelistCounts[]): void {
  scrapedCounter(registry, {
    name: 'watch_relists_total',
    help: 'Complete lists after the first one, because the resource version expired, the watch failed or the last list was old.',
    labelNames: ['kind'],
    samples: () =>
      sources().flatMap(({ kind, relists }) => Object.values(relists).map((count) => [count, { kind }] as const)),
  });
}

/** One series for each namespace in `--namespaces`. */
export function measureNamespaces(
  registry: Registry,
  namespaces: () => readonly { readonly namespace: string; readonly forbidden: readonly string[] }[],
): void {
  scrapedGauge(registry, {
    name: 'namespace_forbidden',
    help: '1 while the operator lacks the permission to read a namespace in --namespaces. It does not reconcile the objects there.',
    labelNames: ['watched_namespace'],
    samples: () =>
      namespaces().map(({ namespace, forbidden }) => [forbidden.length > 0 ? 1 : 0, { watched_namespace: namespace }]),
  });
}

/** Events are sent in the background, so only this metric shows that some are lost. */
export function measureEvents(
  registry: Registry,
  counts: () => Readonly<Record<'sent' | 'dropped' | 'failed', number>>,
): void {
  scrapedCounter(registry, {
    name: 'events_total',
    help: 'Kubernetes events by result: sent, dropped because the queue was full, or failed because the API server refused them.',
    labelNames: ['result'],
    samples: () => Object.entries(counts()).map(([result, count]) => [count, { result }]),
  });
}

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
