// The times of schedules where clocks change, beside those found by brute force. brute-force.long.test.ts has all changes.
import { describe, expect, test } from 'vitest';
import { type ClockChange, changesOf, distinctZones, wrongTimesAround, ZoneClock } from './brute-force.ts';

const dayMs = 86_400_000;
const [from, to] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2031-01-01T00:00:00Z')];

/** Changes of the same kind: by as much, at the same local time. */
const kindOf = ({ at, beforeMs, afterMs }: ClockChange): string =>
  `${new Date(at + beforeMs).toISOString().slice(11, 16)} ${(afterMs - beforeMs) / 60_000} min`;

test('the times are right around each kind of change from 2026 to 2030, in all zones that there are', () => {
  const kinds = new Map(
    distinctZones(from, to, 7 * dayMs).flatMap(([zone, changes]) =>
      changes.map((change) => [kindOf(change), [zone, change]] as const),
    ),
  );
  expect([...kinds.keys()]).toEqual(expect.arrayContaining(['02:00 60 min', '02:00 -30 min', '23:00 60 min']));
  expect([...kinds.values()].flatMap(([zone, change]) => wrongTimesAround(zone, change))).toEqual([]);
});

describe('the times are right where', () => {
  test.each([
    ['a gap of half an hour ends at midnight', 'Asia/Pyongyang', '2018-05-04T15:00:00Z', 30],
    ['a day is missing', 'Pacific/Apia', '2011-12-30T10:00:00Z', 24 * 60],
    ['a day is missing at the end of a year', 'Pacific/Kiritimati', '1994-12-31T10:00:00Z', 24 * 60],
    ['another day is missing', 'Pacific/Kwajalein', '1993-08-21T12:00:00Z', 24 * 60],
    ['half an hour occurs twice', 'America/Caracas', '2007-12-09T07:00:00Z', -30],
    ['two hours are missing', 'Antarctica/Troll', '2026-03-29T01:00:00Z', 120],
    ['almost a day occurs twice', 'Pacific/Kwajalein', '1969-09-30T13:00:00Z', -23 * 60],
  ])('%s', (_what, name, time, minutes) => {
    const zone = new ZoneClock(name);
    const at = Date.parse(time);
    const [change, ...others] = changesOf(zone, at - 2 * dayMs, at + 2 * dayMs, 3_600_000);
    expect([(change!.afterMs - change!.beforeMs) / 60_000, others]).toEqual([minutes, []]);
    expect(wrongTimesAround(zone, change!)).toEqual([]);
  });
});
