// What became of runs: how often each was asked for, and how each ended, also when nothing is left of it in the service.
import type { JobExecutionRecord } from '../../../src/service/model/records/records.ts';
import { RunRequests } from '../../support/service/runs.ts';

interface Run {
  readonly marker: string;
  readonly status: string;
}

export class Runs {
  readonly requests = new RunRequests();
  /** By id. */
  readonly #made = new Map<string, Run>();

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
