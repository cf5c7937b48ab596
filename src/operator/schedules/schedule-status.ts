// Status of a JobSchedule: written when something changed, with an event when it stops or starts to work.
import type { RawResource } from '../api/definition.ts';
import { jobSchedule } from '../kinds/job-schedule/schema.ts';
import { conditionOf, readStatus } from '../reconcile/resource/read-conditions.ts';
import { futureLimitMs, recordedIn } from '../reconcile/resource/scheduled.ts';
import { conditionsOf, type Standing } from '../reconcile/status/conditions.ts';
import { truncated } from '../reconcile/status/truncate.ts';
import { sameStatus } from '../reconcile/status/write-policy.ts';
import type { ScheduleContext } from './schedule-context.ts';
import { timeText } from './schedule-executions.ts';
import type { OwnExecution } from './schedule-plan.ts';

/** Times in Unix ms. */
export interface ScheduleReport {
  readonly standing: Standing;
  readonly last?: number | undefined;
  readonly next?: number | undefined;
  readonly active?: readonly OwnExecution[];
  /** When executions of the schedule succeeded. */
  readonly successes?: readonly number[];
}

/** Returns the newest version of the object. */
export async function report(
  { ports }: ScheduleContext,
  resource: RawResource,
  said: ScheduleReport,
): Promise<RawResource> {
  const { generation } = resource.metadata;
  const before = readStatus(resource.status);
  const wall = ports.clock.wall();
  const conditions = conditionsOf(said.standing, before.conditions, { generation, now: timeText(wall) });
  const status = truncated(jobSchedule.status, {
    observedGeneration: generation,
    conditions,
    ...fieldsOf(resource, said, wall),
  });
  if (sameStatus((resource.status ?? {}) as Record<string, unknown>, status)) return resource;
  const written = await ports.store.writeStatus(resource, status);
  const [was, is] = [before.conditions, conditions].map((all) => conditionOf({ conditions: all }, 'Ready'));
  // What is applied in any order needs no event.
  if (is !== undefined && said.standing.state !== 'progressing' && is.reason !== (was?.reason ?? 'Available')) {
    const type = is.status === 'True' ? 'Normal' : 'Warning';
    ports.events.emit({ regarding: written, type, reason: is.reason, action: 'Schedule', note: is.message });
  }
  return written;
}

function fieldsOf(resource: RawResource, { last, next, active, successes }: ScheduleReport, wall: number) {
  const recorded = recordedIn(resource);
  const believed = (at: number | undefined) => (at !== undefined && at <= wall + futureLimitMs ? [at] : []);
  const succeeded = [...believed(recorded.lastSuccessfulAt), ...(successes ?? []).flatMap(believed)];
  const known = [...believed(recorded.status), ...(last === undefined ? [] : [last])];
  const names = active?.map(({ name, uid }) => ({ name, uid })).sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    ...(known.length === 0 ? {} : { lastScheduleTime: timeText(Math.max(...known)) }),
    ...(succeeded.length === 0 ? {} : { lastSuccessfulTime: timeText(Math.max(...succeeded)) }),
    ...(next === undefined ? {} : { nextScheduleTime: timeText(next) }),
    ...(names === undefined ? {} : { activeCount: names.length }),
    ...(names === undefined || names.length === 0 ? {} : { active: names }),
  };
}
