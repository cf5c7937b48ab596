// How the clusters of a simulated service were over time, and when the last effect of ours on each object was.
import type { ClusterRecord } from '../../../src/service/model/records/records.ts';
import { longestLateMs } from '../plan/plan.ts';

interface Version {
  readonly at: number;
  readonly record: ClusterRecord;
}

export class History {
  /** When the last effect of ours on an object of the service was, by id. */
  readonly #effectAt = new Map<string, number>();
  readonly #versions = new Map<string, Version[]>();

  effected(id: string, now: number): void {
    this.#effectAt.set(id, now);
  }

  record(record: ClusterRecord, now: number): void {
    const versions = this.#versions.get(record.id) ?? [];
    // What no list can have been asked for any more.
    const old = now - 4 * longestLateMs;
    while (versions.length > 2 && (versions[1]?.at ?? 0) < old) versions.shift();
    versions.push({ at: now, record });
    this.#versions.set(record.id, versions);
  }

  /** How a cluster was at any time since our last effect on it, and for so many ms before. */
  since(id: string, beforeMs: number): readonly ClusterRecord[] {
    const from = (this.#effectAt.get(id) ?? 0) - beforeMs;
    const versions = this.#versions.get(id) ?? [];
    return versions
      .filter((_, index) => (versions[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= from)
      .map(({ record }) => record);
  }
}
