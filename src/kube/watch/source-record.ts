// The health and the statistics of one source.
import type { CommonPorts } from '../../lib/ports.ts';
import { ApiError } from '../api-error.ts';

/**
 * expired: the resource version expired. fruitless: watches ended at once or delivered nothing.
 * absent: the kind was not served. schedule: the last list was old.
 */
export type RelistCause = 'expired' | 'fruitless' | 'absent' | 'schedule';

export interface SourceHealth {
  readonly kind: string;
  readonly namespace: string | undefined;
  /** The first list has arrived and was published. */
  readonly synced: boolean;
  /** Monotonic ms of the last sign that the cache is current. */
  readonly lastSyncAt: number | undefined;
  /** Watches that the server accepted. */
  readonly watches: number;
  /** Complete lists after the first one. */
  readonly relists: Readonly<Record<RelistCause, number>>;
  /** Lists and watches that failed. */
  readonly failures: number;
  /** Why the cache is not current. */
  readonly failing: string | undefined;
  /** The cache is not current because the permission to read this collection is missing. */
  readonly forbidden: boolean;
}

interface SourceRecordOptions extends CommonPorts {
  readonly kind: { readonly kind: string };
  readonly namespace: string | undefined;
  /** Ends the log message about a collection that may not be read: who lacks the permission, and what does not work without it. */
  readonly ifForbidden?: string;
  /** Called after `synced` or `failing` has changed. Must not throw. */
  readonly healthChanged?: () => void;
}

/** Logs each loss of the connection once, and each recovery. */
export class SourceRecord {
  readonly #options: SourceRecordOptions;
  readonly #relists = { expired: 0, fruitless: 0, absent: 0, schedule: 0 };
  #synced = false;
  #watches = 0;
  #failures = 0;
  #lastSyncAt: number | undefined;
  #failing: string | undefined;
  #forbidden = false;

  constructor(options: SourceRecordOptions) {
    this.#options = options;
  }

  health(): SourceHealth {
    const { kind, namespace } = this.#options;
    return {
      kind: kind.kind,
      namespace,
      synced: this.#synced,
      lastSyncAt: this.#lastSyncAt,
      watches: this.#watches,
      relists: { ...this.#relists },
      failures: this.#failures,
      failing: this.#failing,
      forbidden: this.#forbidden,
    };
  }

  opened(): void {
    this.#watches += 1;
  }

  /** The server rejected a streamed list. */
  unstreamed(): void {
    this.#options.log.debug(this.#fields(), 'the API server does not stream lists; listing in pages');
  }

  get synced(): boolean {
    return this.#synced;
  }

  /** A complete list was published. */
  listed(cause: RelistCause): void {
    if (this.#synced) this.#relists[cause] += 1;
    const isFirst = !this.#synced;
    this.#synced = true;
    if (isFirst) this.#options.healthChanged?.();
  }

  /** The server has just shown that the cache is current. */
  alive(): void {
    this.#lastSyncAt = this.#options.clock.monotonic();
    if (this.#failing === undefined) return;
    this.#failing = undefined;
    this.#forbidden = false;
    this.#options.log.info(this.#fields(), 'watch recovered');
    this.#options.healthChanged?.();
  }

  failed(error: unknown): void {
    this.#failures += 1;
    const forbidden = error instanceof ApiError && error.category === 'forbidden';
    const level = this.#failing === undefined || forbidden !== this.#forbidden ? 'warn' : 'debug';
    this.#forbidden = forbidden;
    this.#options.log[level]({ ...this.#fields(), err: error }, this.#trouble());
    this.#failing = error instanceof Error ? error.message : 'unknown error';
    this.#options.healthChanged?.();
  }

  #trouble(): string {
    const { kind, namespace, ifForbidden = 'the permission is missing' } = this.#options;
    if (!this.#forbidden || namespace === undefined) return 'cannot watch the API server; retrying';
    return `cannot read ${kind.kind} objects in namespace ${namespace}: ${ifForbidden}`;
  }

  #fields(): { readonly kind: string; readonly namespace: string | undefined } {
    return { kind: this.#options.kind.kind, namespace: this.#options.namespace };
  }
}
