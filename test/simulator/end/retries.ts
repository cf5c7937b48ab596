// Passes that failed, and when they were tried again: by replica and resource, in ms of the replica's clock.
import type { LogFields } from '../../../src/lib/ports.ts';
import { keyOf } from '../world/users.ts';

export class Retries {
  /** From the end of a failed pass to the begin of the next one of the same resource. */
  readonly delays: number[] = [];
  /** Failed passes in each minute, by replica, resource and minute. */
  readonly rates = new Map<string, number>();
  readonly #failedAt = new Map<string, number>();

  passed(replica: string, { kind, name, outcome, durationMs }: LogFields, now: number): void {
    if (kind === undefined || name === undefined || outcome === undefined) return;
    const key = `${replica} ${keyOf(kind, name)}`;
    const failedAt = this.#failedAt.get(key);
    if (failedAt !== undefined) this.delays.push(now - Number(durationMs ?? 0) - failedAt);
    this.#failedAt.delete(key);
    if (outcome !== 'failed') return;
    this.#failedAt.set(key, now);
    const minute = `${key} ${Math.floor(now / 60_000)}`;
    this.rates.set(minute, (this.rates.get(minute) ?? 0) + 1);
  }
}
