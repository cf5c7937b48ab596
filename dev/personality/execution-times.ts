// The times of executions as a service of upstream writes them whose host is not in UTC. PURE.
import type { Fields } from '../../src/service/resources/views/job-view.ts';
import type { Personality } from './personality.ts';

/** The answered execution with other times. Those that are not set stay so. */
export function misdated(
  execution: Fields,
  { timeZone = 'UTC', withoutEnd = false }: NonNullable<Personality['executionTimes']>,
): Fields {
  const times = ['start_time', 'end_time'].flatMap((field) => {
    const time = execution[field];
    return typeof time === 'string' ? [[field, localTime(time, timeZone)] as const] : [];
  });
  const shown = { ...execution, ...Object.fromEntries(times) };
  return withoutEnd && execution['end_time'] !== undefined ? { ...shown, end_time: null } : shown;
}

/** `time`: in UTC, as `2026-01-02T03:04:05`. The local time has the same form. */
function localTime(time: string, timeZone: string): string {
  // Sweden writes dates in this order.
  const text = new Date(`${time}Z`).toLocaleString('sv-SE', { timeZone });
  return text.replace(' ', 'T');
}
