// Decides which process may write: this one always, or the replica that holds the Lease.
import type { Registry } from 'prom-client';
import { ApiError } from '../../kube/api-error.ts';
import { verbOf } from '../../kube/http/call.ts';
import type { ApiTransport } from '../../kube/http/transport.ts';
import { targetText } from '../../kube/target.ts';
import { Election, type ElectionOptions, type ElectionTimes } from '../kube/election/election.ts';
import { createLeaseStore } from '../kube/election/lease.ts';
import { measureLeadership } from '../metrics/watch-metrics.ts';
import { leaseWorks } from '../process/health-checks.ts';
import type { Check } from '../process/health-server.ts';
import { leasePart } from '../process/parts.ts';
import type { Part } from '../process/process-lifecycle.ts';
import type { Leadership } from '../reconcile/pass-ports.ts';

/** The name of the Lease, as in dev/generate/rbac.ts and deploy/. */
const leaseName = 'dataprocessing-operator';
const leaseTroubleMs = 2 * 60_000;

export interface LeaseOptions extends ElectionTimes {
  readonly namespace: string;
  /** Called when another replica may lead. The process must end, because it cannot lead again. Must not throw. */
  readonly lost: () => void;
}

export interface LeaderOptions extends Pick<ElectionOptions, 'clock' | 'random' | 'log'> {
  /** The name of this replica in the Lease and in events. */
  readonly instance: string;
  /** Unset if there is only one replica. */
  readonly lease?: LeaseOptions | undefined;
}

export interface LeaderParts {
  readonly leadership: Leadership;
  /** They start before and stop after everything that writes. `idle` returns whether nothing writes any more. */
  readonly parts: (idle: () => boolean) => readonly Part[];
  /** For /readyz. */
  readonly checks: readonly Check[];
}

export function createLeaderParts(options: LeaderOptions, transport: ApiTransport, registry: Registry): LeaderParts {
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
  const { observation } = election;
  measureLeadership(registry, {
    leading: () => election.leading(),
    transitions: () => observation.lease?.transitions,
  });
  return {
    leadership: election,
    parts: (idle) => [leasePart(election, idle)],
    checks: [
      leaseWorks(() => ({ seen: observation.lease !== undefined, trouble: observation.trouble() }), leaseTroubleMs),
    ],
  };
}

/** A rejected write is a conflict and is not sent, so the caller requeues. */
export function whileLeading(transport: ApiTransport, leadership: Leadership): ApiTransport {
  return {
    async request(call) {
      if (call.method === 'GET' || leadership.leading()) return transport.request(call);
      const action = `${verbOf(call)} ${targetText(call.path)}`;
      throw new ApiError('conflict', `cannot ${action}: another replica may lead`);
    },
    stream: (call) => transport.stream(call),
    close: () => transport.close(),
  };
}
