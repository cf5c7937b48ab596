// Kubernetes as the rest of the operator sees it: caches fed by sources, own writes laid over them.
import type { Clock, Log, Random } from '../ports.ts';
import type { Change, ChangeSource, ResourceStore } from '../reconcile/ports.ts';
import type { ResourceKind } from './resource-kind.ts';
import type { Transport } from './transport.ts';

export interface StoreOptions {
  readonly transport: Transport;
  readonly resources: readonly ResourceKind[];
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How often everything is listed anew in spite of a healthy watch, in ms, on average; 30 minutes without it. */
  readonly relistMs?: number;
}

/** How one collection is doing. */
export interface SourceHealth {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly synced: boolean;
  /** Monotonic ms of the last sign that the cache is current; undefined before the first. */
  readonly lastSyncAt: number | undefined;
  readonly relists: number;
  /** Why it is not current, in words; undefined when all is well. */
  readonly failing: string | undefined;
}

export interface StoreHealth {
  readonly synced: boolean;
  readonly sources: readonly SourceHealth[];
}

export interface KubernetesStore extends ResourceStore, ChangeSource {
  /** Begins to list and watch. Subscribe before. */
  start(): void;
  /** Resolves when nothing runs any more. */
  stop(): Promise<void>;
  health(): StoreHealth;
  /** Changes that our own writes made, which `subscribe` does not report: for those who depend on another object's status. */
  subscribeWrites(handler: (change: Change) => void): void;
}
