// Kubernetes events: repeated ones become a series, the rate is bounded, and nobody waits for them.
import type { Clock, Log } from '../ports.ts';
import type { EventSink } from '../reconcile/ports.ts';
import type { Transport } from './transport.ts';

export interface EventSinkOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  /** reportingController. */
  readonly component: string;
  /** reportingInstance: the pod's name. */
  readonly instance: string;
  readonly ratePerSecond: number;
  readonly burst: number;
}

export interface EventCounts {
  readonly sent: number;
  /** Never sent, because the queue was full. */
  readonly dropped: number;
  /** Refused by the API server. */
  readonly failed: number;
}

export interface KubernetesEventSink extends EventSink {
  /** Resolves when everything is sent, or after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
  counts(): EventCounts;
}
