// Which schedules are accepted, and when they come, also when clocks change.
import { describe, expect, test } from 'vitest';
import { parseSchedule } from '../../../src/operator/schedules/cron.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

function following(schedule: string, zone: string | undefined, from: string, many: number): readonly string[] {
  const parsed = parseSchedule(schedule, zone, now);
  if (!parsed.ok) throw new Error(parsed.message);
  const times: string[] = [];
  let at: number | undefined = Date.parse(from);
  while (at !== undefined && times.length < many) {
    at = parsed.times.next(at);
    if (at !== undefined) times.push(new Date(at).toISOString().slice(5, 16));
  }
  return times;
}

describe('the next times', () => {
  test.each([
    ['*/15 * * * *', ['01-01T00:15', '01-01T00:30', '01-01T00:45']],
    ['5/20 * * * *', ['01-01T00:05', '01-01T00:25', '01-01T00:45']],
    ['0-10/5,30 ? * * *', ['01-01T00:05', '01-01T00:10', '01-01T00:30']],
    ['0 0 1 jan-MAR/2 *', ['03-01T00:00', '01-01T00:00', '03-01T00:00']],
    ['0 6 * * MON-fri', ['01-01T06:00', '01-02T06:00', '01-05T06:00']],
    // Days of the month and of the week are alternatives if both are restricted, as in CronJob.
    ['0 0 13 * 5', ['01-02T00:00', '01-09T00:00', '01-13T00:00']],
    ['0 0 13 * */1', ['01-13T00:00', '02-13T00:00', '03-13T00:00']],
    ['0 0 */2 * 0', ['01-03T00:00', '01-04T00:00', '01-05T00:00']],
    ['0 0 29 2 *', ['02-29T00:00', '02-29T00:00', '02-29T00:00']],
    ['@hourly', ['01-01T01:00', '01-01T02:00', '01-01T03:00']],
    ['@daily', ['01-02T00:00', '01-03T00:00', '01-04T00:00']],
    ['@midnight', ['01-02T00:00', '01-03T00:00', '01-04T00:00']],
    ['@weekly', ['01-04T00:00', '01-11T00:00', '01-18T00:00']],
    ['@monthly', ['02-01T00:00', '03-01T00:00', '04-01T00:00']],
    ['@yearly', ['01-01T00:00', '01-01T00:00', '01-01T00:00']],
    ['@annually', ['01-01T00:00', '01-01T00:00', '01-01T00:00']],
  ])('of %s', (schedule, times) => {
    expect(following(schedule, undefined, '2026-01-01T00:00:00Z', 3)).toEqual(times);
  });

  test('are those of the time zone', () => {
    expect(following('30 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', 2)).toEqual(['01-01T04:00', '01-02T04:00']);
  });

  describe('when clocks change', () => {
    test('have a day whose last hour is missing, right after its end', () => {
      const times = ['03-28T01:30', '03-29T01:00', '03-30T00:30'];
      expect(following('30 23 * * *', 'America/Nuuk', '2026-03-27T12:00:00Z', 3)).toEqual(times);
      expect(following('30 23 * * SAT', 'America/Nuuk', '2026-03-27T12:00:00Z', 1)).toEqual(['03-29T01:00']);
    });

    test.each(['30 2 * * *', '30 1 * * *', '*/30 * * * *', '0,30 1-3 * * *', '15 0 * * SUN'])(
      'the last time before is the same as the next one after the one before, for %s',
      (schedule) => {
        const parsed = parseSchedule(schedule, 'America/New_York', now);
        if (!parsed.ok) throw new Error(parsed.message);
        for (const day of ['2026-03-06', '2026-10-30']) {
          const start = Date.parse(`${day}T00:00:00Z`);
          let at = parsed.times.next(start);
          for (
            let previous: number | undefined;
            at !== undefined && at < start + 4 * 86_400_000;
            at = parsed.times.next(at)
          ) {
            expect(parsed.times.latest(at)).toBe(at);
            if (previous !== undefined) expect(parsed.times.latest(at - 1)).toBe(previous);
            previous = at;
          }
        }
      },
    );
  });
});

describe('refused', () => {
  test.each([
    ['* * * *', 'has 4 fields instead of 5'],
    ['* * * * * *', 'has 6 fields instead of 5'],
    ['60 * * * *', 'the minute "60" cannot be read: use *, numbers from 0 to 59, ranges'],
    ['* 24 * * *', 'the hour'],
    ['* * 0 * *', 'the day of the month'],
    ['* * * 13 *', 'the month "13" cannot be read: use *, numbers from 1 to 12 or JAN to DEC'],
    ['* * * * 7', 'the day of the week "7" cannot be read: use *, numbers from 0 to 6 or SUN to SAT'],
    ['*/0 * * * *', 'the minute'],
    ['5-1 * * * *', 'the minute'],
    ['1,,2 * * * *', 'the minute'],
    ['L * * * *', 'the minute'],
    ['* * L * *', 'the day of the month'],
    ['* * * * 5#2', 'the day of the week'],
    ['@every 5m', 'is not one of @yearly'],
    ['@constructor', 'is not one of @yearly'],
    ['TZ=UTC * * * * *', 'has 6 fields'],
    ['0 0 30 2 *', 'never comes'],
  ])('the schedule %s', (schedule, message) => {
    expect(parseSchedule(schedule, undefined, now)).toMatchObject({
      ok: false,
      field: 'schedule',
      message: expect.stringContaining(message) as string,
    });
  });

  test.each(['Mars/Olympus', 'Local', '+02:00', ''])('the time zone "%s"', (zone) => {
    expect(parseSchedule('@daily', zone, now)).toMatchObject({ ok: false, field: 'timeZone' });
  });
});
