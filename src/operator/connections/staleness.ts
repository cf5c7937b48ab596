// The age of what is known of the services behind Connections, and how much of it exceeds what was asked for.
import type { PoolEntry } from './entry.ts';

/** One collection, in some of the services. */
export interface StalenessOf {
  readonly route: string;
  /** Its read interval, where its kind does not leave that to the Connection. */
  readonly pollSeconds: number | undefined;
  /** Whether the service of this Connection, such as `team-a/default`, is one of them. */
  readonly matters: (connection: string) => boolean;
}

/** Each for the service where it is greatest. */
export interface Staleness {
  /** Since the last good answer to a read. */
  readonly ageMs: number;
  /** Since the next read was due; 0: all in time. */
  readonly overdueMs: number;
}

/** At monotonic `now`; undefined where no service matters. */
export function stalenessOf(
  entries: ReadonlyMap<string, PoolEntry>,
  { route, pollSeconds, matters }: StalenessOf,
  now: number,
): Staleness | undefined {
  const readings = [...entries]
    .filter(([connection]) => matters(connection))
    .map(([, { readAt, openedAt, settings }]) => {
      const ageMs = now - (readAt.get(route) ?? openedAt);
      return { ageMs, overdueMs: ageMs - (pollSeconds ?? settings.pollSeconds) * 1_000 };
    });
  if (readings.length === 0) return undefined;
  return {
    ageMs: Math.max(...readings.map((one) => one.ageMs)),
    overdueMs: Math.max(0, ...readings.map((one) => one.overdueMs)),
  };
}
