// What became of runs: how often each was asked for, and how each ended, also when nothing is left of it in the service.
import type { JobExecutionRecord } from '../../../src/service/records/records.ts';

interface Run {
  readonly marker: string;
  readonly status: string;
}

export class Runs {
  readonly #asked = new Map<string, number>();
  /** By id. */
  readonly #made = new Map<string, Run>();

  asked(marker: string): void {
    this.#asked.set(marker, this.timesAsked(marker) + 1);
  }

  /** The service has answered that it did not start it. */
  refused(marker: string): void {
    this.#asked.set(marker, this.timesAsked(marker) - 1);
  }

  /** Without those that were refused. */
  timesAsked(marker: string): number {
    return this.#asked.get(marker) ?? 0;
  }

  record({ id, name, info }: Pick<JobExecutionRecord, 'id' | 'name' | 'info'>): void {
    this.#made.set(id, { marker: name, status: info.status });
  }

  /** All runs there ever were of a resource. */
  of(uid: string): readonly Run[] {
    return [...this.#made.values()].filter(({ marker }) => uidIn(marker) === uid);
  }
}

/** The uid that a marker begins with. */
export const uidIn = (marker: string): string => marker.slice(0, Math.max(0, marker.lastIndexOf('-')));
