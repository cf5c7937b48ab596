// The times of schedules around every change of the clocks from 2026 to 2030, in every zone, beside those found by brute force.
import { expect, test } from 'vitest';
import { distinctZones, wrongTimesAround } from './brute-force.ts';

const [from, to] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2031-01-01T00:00:00Z')];
// Each hour is looked at, so that no change is overlooked which another one undoes within a week.
const zones = distinctZones(from, to, 3_600_000);

test.each(zones.map(([zone, changes]) => [zone.name, changes.length, zone, changes] as const))(
  '%s: %i changes',
  (_name, _count, zone, changes) => {
    expect(changes.flatMap((change) => wrongTimesAround(zone, change))).toEqual([]);
  },
);
