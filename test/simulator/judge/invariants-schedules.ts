// What must hold of every JobExecution that a JobSchedule makes: each answers what is broken, or nothing.
import { targetOf } from '../../../src/kube/target.ts';
import { lastScheduleAnnotation } from '../../../src/operator/api/shared-api.ts';
import { isOver } from '../../support/service/runs.ts';
import type { Change } from '../api/api-server.ts';
import { conditionsOf, type Stored } from '../api/fields.ts';
import { plurals, startWall } from '../plan/plan.ts';
import { timesOf } from '../plan/schedules.ts';
import type { Facts, Invariant } from './facts.ts';
import type { Write } from './happening.ts';
import { scheduledAt, scheduleOf } from './schedules.ts';

const executions = plurals['JobExecution'] ?? '';

/** At most one execution that may run for each scheduled time, under its name, and none of a schedule that was seen to be suspended or gone. */
export const I16: Invariant = (facts, happening) => {
  if (happening.is === 'kubernetes sent') return wrongWithRequest(facts, happening.by);
  if (happening.is !== 'kubernetes changed') return undefined;
  const { change } = happening;
  return change.plural === executions && change.type === 'ADDED' ? wrongWithMade(facts, change) : undefined;
};

function wrongWithRequest(facts: Facts, { replica, call }: Write): string | undefined {
  if (call.method !== 'POST' || targetOf(call.path).resource !== executions) return undefined;
  const object = call.body as Stored;
  const schedule = scheduleOf(object);
  if (schedule === undefined) return undefined;
  const what = `${object.metadata.name} is asked for`;
  const look = facts.schedules.takeLook(replica, schedule.name);
  if (look === undefined) return `${what} without a look at ${schedule.name}`;
  const { found } = look;
  if (found?.metadata.uid !== schedule.uid) return `${what}, and ${schedule.name} was seen to be gone`;
  if ((found.spec as { readonly suspend?: boolean }).suspend === true)
    return `${what}, and ${schedule.name} was seen to be suspended`;
  const last = Date.parse(found.metadata.annotations?.[lastScheduleAnnotation] ?? '');
  return last >= scheduledAt(object) ? `${what}, and its time was seen to be recorded` : undefined;
}

/** No clock of a replica is further ahead. */
const mostAheadMs = 30_000;

function wrongWithMade(facts: Facts, { object }: Change): string | undefined {
  const owner = scheduleOf(object);
  if (owner === undefined) return undefined;
  const { name } = object.metadata;
  const at = scheduledAt(object);
  if (name !== `${owner.name}-${at / 60_000}`) return `${name} does not have the name of its time ${at}`;
  if (facts.schedules.mayHaveRun(object)) return `${name} is made a second time`;
  const schedule = facts.options.server.list('jobschedules').find(({ metadata }) => metadata.uid === owner.uid);
  // It was deleted while the request was on its way: what is made goes after it.
  if (schedule === undefined) return undefined;
  const now = startWall + facts.options.now();
  const comes = timesOf(schedule).includes(at) && at <= now + mostAheadMs;
  const { annotations, creationTimestamp } = schedule.metadata;
  if (!comes || at <= Date.parse(annotations?.[lastScheduleAnnotation] ?? creationTimestamp))
    return `${name} is made, and ${owner.name} does not come then`;
  return wrongWithPolicy(facts, object, schedule);
}

function wrongWithPolicy(facts: Facts, made: Stored, schedule: Stored): string | undefined {
  const { concurrencyPolicy } = schedule.spec as { readonly concurrencyPolicy?: string };
  if (concurrencyPolicy !== 'Forbid') return undefined;
  const active = facts.options.server
    .list(executions)
    .find((one) => one !== made && scheduleOf(one)?.uid === schedule.metadata.uid && !isOver(conditionsOf(one)));
  return active && `${made.metadata.name} is made while ${active.metadata.name} has not ended`;
}
