// The pass over a JobSchedule: creates the execution that is due, records it, and deletes old ones.
import type { RawResource } from '../api/definition.ts';
import { lastScheduleAnnotation } from '../api/shared-api.ts';
import { afterLostRace, repeatLostRace } from '../reconcile/lost-race.ts';
import type { Key } from '../reconcile/pass-ports.ts';
import type { Requeue } from '../reconcile/requeue.ts';
import { futureLimitMs, isRecorded, recordedIn } from '../reconcile/resource/scheduled.ts';
import { blockingRun } from './blocking-run.ts';
import { unmetDependency } from './dependencies.ts';
import { type ReadSchedule, readSchedule } from './read-schedule.ts';
import type { ScheduleContext, ScheduleMemory, SchedulePorts } from './schedule-context.ts';
import { executionKind, executionName, isOwnedBy, ownExecution, timeText } from './schedule-executions.ts';
import {
  missedLimit,
  type OwnExecution,
  planSchedule,
  type SchedulePlan,
  type ScheduleTimes,
} from './schedule-plan.ts';
import { standingOf } from './schedule-standing.ts';
import { report } from './schedule-status.ts';
import { type Started, start } from './start.ts';

/** The clock may be changed while a pass is waited for. */
const longestWaitMs = 600_000;
/** What is in the way of an execution may end without a change that wakes the schedule. */
const obstructedMs = 60_000;
/** A watch that is further behind than this many runs has failed long ago, and its replica is not ready. */
const mostUnrecorded = 10;
/** The watch delivers a created execution sooner. */
const deliveryMs = 30_000;

export function createSchedulePass(ports: SchedulePorts): (key: Key) => Promise<Requeue> {
  const memories = new Map<string, ScheduleMemory>();
  return async (key) => {
    const place = `${key.namespace}/${key.name}`;
    const resource = ports.store.read(key);
    if (!resource) {
      memories.delete(place);
      return { next: 'gone' };
    }
    // Kubernetes deletes the executions of a deleted schedule.
    if (resource.metadata.deletionTimestamp !== undefined) return { next: 'watch' };
    const known = memories.get(place);
    const memory = known?.uid === resource.metadata.uid ? known : { uid: resource.metadata.uid };
    memories.set(place, memory);
    return await repeatLostRace(() => reconcile({ ports, key, memory }, resource));
  };
}

/** A schedule that can be read, with its plan. */
interface Look {
  readonly resource: RawResource;
  readonly read: Extract<ReadSchedule, { ok: true }>;
  readonly plan: SchedulePlan;
  readonly executions: readonly OwnExecution[];
  readonly now: number;
}

type Seen = Look | { readonly message: string };

async function reconcile(context: ScheduleContext, cached: RawResource): Promise<Requeue> {
  const seen = planResource(context, cached, cachedExecutions(context, cached));
  if ('message' in seen) return unusable(context, cached, seen.message);
  if (seen.plan.due === undefined) return conclude(context, seen);
  // The cache of a new leader may lack what the former one recorded or created.
  const fresh = await context.ports.store.readFresh(context.key);
  if (fresh?.metadata.uid !== cached.metadata.uid || fresh.metadata.deletionTimestamp !== undefined)
    return afterLostRace;
  const again = planResource(context, fresh, [...seen.executions, ...(await unseenExecutions(context, fresh, seen))]);
  if ('message' in again) return unusable(context, fresh, again.message);
  return conclude(context, again);
}

function planResource(
  { ports, memory }: ScheduleContext,
  resource: RawResource,
  executions: readonly OwnExecution[],
): Seen {
  const now = ports.clock.wall();
  const read = readSchedule(resource, now);
  if (!read.ok) return { message: read.message };
  const { annotation, status } = recordedIn(resource);
  const createdAt = createdAtOf(resource) || now;
  const recorded = { annotation, status, known: memory.known };
  const { missedReported } = memory;
  const times = { rules: read.rules, times: read.times, now, createdAt };
  const plan = planSchedule({ ...times, recorded, executions, missedReported });
  if (plan.lastKnown !== undefined) memory.known = plan.lastKnown;
  return { resource, read, plan, executions, now };
}

function createdAtOf({ metadata }: RawResource): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}

function cachedExecutions({ ports }: ScheduleContext, schedule: RawResource): readonly OwnExecution[] {
  return [...ports.store.list(executionKind)]
    .filter((one) => one.metadata.namespace === schedule.metadata.namespace && isOwnedBy(one, schedule))
    .map((one) => ownExecution(one, schedule));
}

/** Those that the cache lacks and that Forbid and Replace must know of. */
async function unseenExecutions(
  { ports, key }: ScheduleContext,
  schedule: RawResource,
  { read, plan, executions }: Look,
): Promise<readonly OwnExecution[]> {
  if (read.rules.concurrencyPolicy === 'Allow') return [];
  const { active = [] } = (schedule.status ?? {}) as { readonly active?: readonly { readonly name: string }[] };
  const { annotation, status } = recordedIn(schedule);
  const times = [
    annotation,
    status,
    plan.last,
    ...unrecordedTimes(read.times, { due: plan.due, after: plan.last ?? createdAtOf(schedule) }),
  ].flatMap((at) => at ?? []);
  const names = new Set([...active.map(({ name }) => name), ...times.map((at) => executionName(key.name, at))]);
  for (const { name } of executions) names.delete(name);
  const found: OwnExecution[] = [];
  for (const name of names) {
    const one = await ports.store.readFresh({ kind: executionKind, namespace: key.namespace, name });
    if (one !== undefined && isOwnedBy(one, schedule)) found.push(ownExecution(one, schedule));
  }
  return found;
}

/** The newest times before the due one for which a process may have died before it recorded them. */
function unrecordedTimes(
  times: ScheduleTimes,
  { due = 0, after }: { readonly due: number | undefined; readonly after: number },
): readonly number[] {
  const found: number[] = [];
  for (let at = times.latest(due - 1); at !== undefined && at > after && found.length < mostUnrecorded; ) {
    found.push(at);
    at = times.latest(at - 1);
  }
  return found;
}

async function unusable(context: ScheduleContext, resource: RawResource, message: string): Promise<Requeue> {
  const executions = cachedExecutions(context, resource);
  const active = executions.filter(({ state }) => state === 'active');
  const last = newestTime(executions, context.ports.clock.wall());
  const recorded = await recordNewest(context, resource, last);
  await report(context, recorded, { standing: { state: 'stalled', reason: 'InvalidSpec', message }, active, last });
  return { next: 'watch' };
}

/** Also what was created before the spec became unusable can be deleted only once its time is recorded. */
async function recordNewest(
  { ports }: ScheduleContext,
  resource: RawResource,
  newest: number | undefined,
): Promise<RawResource> {
  if (newest === undefined || isRecorded(newest, recordedIn(resource).annotation, ports.clock.wall())) return resource;
  return ports.store.annotate(resource, { [lastScheduleAnnotation]: timeText(newest) });
}

function newestTime(executions: readonly OwnExecution[], now: number): number | undefined {
  const times = executions.flatMap(({ scheduledAt }) => scheduledAt ?? []).filter((at) => at <= now + futureLimitMs);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The order matters: a scheduled time is recorded after its execution exists, and before that may be deleted. */
async function conclude(context: ScheduleContext, seen: Look): Promise<Requeue> {
  const { ports, memory } = context;
  const { plan, read, resource } = seen;
  forgetDelivered(context, seen.executions);
  const started =
    plan.due === undefined
      ? undefined
      : await start(context, resource, { due: plan.due, template: read.template, replaced: plan.replaced });
  const made = started?.state === 'made' ? plan.due : undefined;
  const last = made ?? plan.last;
  if (made !== undefined) memory.known = made;
  if (started?.state === 'made') remember(context, started);
  const isNews = last !== undefined && (made !== undefined || plan.record);
  const recorded = isNews
    ? await ports.store.annotate(resource, { [lastScheduleAnnotation]: timeText(last) })
    : resource;
  emitEvents(context, recorded, seen, started);
  await report(context, recorded, { ...reportOf(context, seen, started), last: made ?? plan.lastKnown });
  const { namespace } = resource.metadata;
  for (const { name, uid } of plan.pruned)
    await ports.store.removeExactly({ kind: executionKind, namespace, name, uid });
  return requeueOf(context, seen, started);
}

function remember({ memory, ports }: ScheduleContext, { execution }: Extract<Started, { state: 'made' }>): void {
  if (execution === undefined) delete memory.made;
  else memory.made = { execution, at: ports.clock.monotonic() };
}

function reportOf(
  context: ScheduleContext,
  { plan, read, executions, resource, now }: Look,
  started: Started | undefined,
) {
  const { isUnreadable } = recordedIn(resource);
  const gone = started === undefined ? [] : plan.replaced.map(({ uid }) => uid);
  const { made } = context.memory;
  const unmet = read.rules.suspend ? undefined : unmetDependency(context.ports, resource);
  const blocking = blockingRun(context.ports, resource, plan.blocked?.by ?? []);
  const circumstances = { now, isUnreadable, isSuspended: read.rules.suspend, blocking };
  const undelivered = made?.execution.state === 'active' ? [made.execution] : [];
  const active = [...plan.active, ...undelivered].filter(({ uid }) => !gone.includes(uid));
  const successes = executions.flatMap(({ state, endedAt }) =>
    state === 'succeeded' && endedAt !== undefined ? endedAt : [],
  );
  return {
    standing: obstacle(started) ?? unmet ?? standingOf(plan, circumstances),
    next: plan.next,
    active,
    successes,
  };
}

/** Forgets the execution that this process created as soon as the cache has it. If the cache lacks it later, it is gone. */
function forgetDelivered({ ports, memory }: ScheduleContext, executions: readonly OwnExecution[]): void {
  const { made } = memory;
  if (made === undefined) return;
  const isDelivered = executions.some(({ uid }) => uid === made.execution.uid);
  if (isDelivered || ports.clock.monotonic() - made.at >= deliveryMs) delete memory.made;
}

function obstacle(started: Started | undefined) {
  if (started?.state === 'foreign') {
    const message = `JobExecution ${started.name} exists and does not belong to this schedule: delete it, or rename the schedule`;
    return { state: 'stalled', reason: 'NameConflict', message } as const;
  }
  if (started?.state !== 'refused') return undefined;
  const remedy = 'Correct spec.template, or let the API server accept it: it is tried again every minute';
  const message = `the API server refuses JobExecution ${started.name}: ${started.message}. ${remedy}`;
  return { state: 'stalled', reason: 'ExecutionRefused', message } as const;
}

function emitEvents(
  { ports, memory }: ScheduleContext,
  regarding: RawResource,
  seen: Look,
  started: Started | undefined,
): void {
  const { plan } = seen;
  if (started?.state === 'made' && started.isNew && plan.due !== undefined) {
    const name = executionName(regarding.metadata.name, plan.due);
    const deleted =
      plan.replaced.length === 0 ? '' : `, and deleted ${plan.replaced.map((one) => one.name).join(', ')}`;
    const note = `created JobExecution ${name} for ${timeText(plan.due)}${deleted}`;
    ports.events.emit({ regarding, type: 'Normal', reason: 'JobScheduled', action: 'Schedule', note });
  }
  const { missed } = plan;
  if (missed === undefined) return;
  memory.missedReported = missed.newest;
  ports.missed(missed.count);
  const number = missed.count > missedLimit ? `more than ${missedLimit}` : `${missed.count}`;
  const note = `no JobExecution was created for ${number} scheduled times, the last of them ${timeText(missed.newest)}: the operator was down, the schedule was suspended, or an earlier execution had not ended`;
  ports.events.emit({ regarding, type: 'Warning', reason: 'JobMissed', action: 'Schedule', note });
}

function requeueOf({ memory }: ScheduleContext, { plan, now }: Look, started: Started | undefined): Requeue {
  if (started?.state === 'foreign' || started?.state === 'refused') return { next: 'at', afterMs: obstructedMs };
  if (plan.next === undefined && memory.made === undefined) return { next: 'watch' };
  const longestMs = memory.made === undefined ? longestWaitMs : deliveryMs;
  return { next: 'at', afterMs: Math.min(Math.max((plan.next ?? Number.POSITIVE_INFINITY) - now, 0), longestMs) };
}
