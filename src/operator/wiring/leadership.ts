// Who may write: this process, always, or the one replica that a Lease elects.
import type { Registry } from 'prom-client';
import { Election, type ElectionOptions, type ElectionTimes } from '../kube/election/election.ts';
import { createLeaseStore } from '../kube/election/lease.ts';
import type { ApiTransport } from '../kube/http/transport.ts';
import { measureLeadership } from '../metrics/leadership.ts';
import type { Check } from '../process/health.ts';
import { leaseWorks } from '../process/health-checks.ts';
import type { Part } from '../process/lifecycle.ts';
import { leasePart } from '../process/parts.ts';
import type { Leadership } from '../reconcile/ports.ts';

/** The name of the Lease; src/operator/api/manifest-permissions.ts and deploy/ say the same. */
const leaseName = 'dataprocessing-operator';
const leaseTroubleMs = 2 * 60_000;

export interface LeaseOptions extends ElectionTimes {
  readonly namespace: string;
  /** Another replica may lead from now on: whatever runs must end, and this process cannot lead again. Must not throw. */
  readonly lost: () => void;
}

export interface LeadingOptions extends Pick<ElectionOptions, 'clock' | 'random' | 'log'> {
  /** Of this process, for people. */
  readonly instance: string;
  /** Missing: there is no other replica. */
  readonly lease?: LeaseOptions | undefined;
}

export interface Leading {
  readonly leadership: Leadership;
  /** To start before, and to stop after, all that writes; `idle` says that nothing writes any more. */
  readonly parts: (idle: () => boolean) => readonly Part[];
  /** For /readyz. */
  readonly checks: readonly Check[];
}

export function createLeading(options: LeadingOptions, transport: ApiTransport, registry: Registry): Leading {
  const { lease, instance, clock, random, log } = options;
  if (lease === undefined) {
    const leadership = { leading: () => true };
    measureLeadership(registry, { ...leadership, transitions: () => 0 });
    return { leadership, parts: () => [], checks: [] };
  }
  const { namespace, ...rest } = lease;
  const identity = `${instance}_${random.next().toString(36).slice(2, 12)}`;
  const store = createLeaseStore({ transport, namespace, name: leaseName });
  const election = new Election({ ...rest, lease: store, identity, clock, random, log });
  const { sighting } = election;
  measureLeadership(registry, {
    leading: () => election.leading(),
    transitions: () => sighting.lease?.transitions,
  });
  return {
    leadership: election,
    parts: (idle) => [leasePart(election, idle)],
    checks: [leaseWorks(() => ({ seen: sighting.lease !== undefined, trouble: sighting.trouble() }), leaseTroubleMs)],
  };
}
