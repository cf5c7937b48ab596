// What ties a JobExecution to the JobSchedule that created it. PURE.
import type { RawResource } from '../../api/definition.ts';
import { apiVersion, lastScheduleAnnotation } from '../../api/shared-api.ts';
import type { Key } from '../pass-ports.ts';

export const scheduleKind = 'JobSchedule';

export function scheduleOwnerOf({ metadata }: RawResource) {
  return metadata.ownerReferences?.find(
    (owner) => owner.controller === true && owner.kind === scheduleKind && owner.apiVersion === apiVersion,
  );
}

/** What helps where a run cannot be as its spec has it, which never changes. */
export function correctionText(execution: RawResource): string {
  return `The spec is immutable: ${correction(execution)}`;
}

function correction(execution: RawResource): string {
  return templateText(execution) ?? `delete this ${execution.kind} and apply it with the corrected field`;
}

/** What helps where a run cannot be because an object of its own has failed. `field`: it is made from that field of the spec, which may be the cause. */
export function repetitionText(
  execution: RawResource,
  { field, kind }: { readonly field?: string; readonly kind: string },
): string {
  const schedule = scheduleOwnerOf(execution)?.name;
  const [corrected, template] =
    field === undefined
      ? ['', '']
      : [`, and correct ${field} if that is the cause`, `. If ${field} is the cause, correct spec.template`];
  if (schedule === undefined) return `To run it, delete this ${execution.kind} and apply it again${corrected}`;
  return `The next run of ${scheduleKind} ${schedule} gets another ${kind}${template}`;
}

/** What helps where the API server does not take what is made for a run. */
export function admissionText(execution: RawResource): string {
  return `Let the API server accept it, or ${correction(execution)}`;
}

/** What takes the place of another run: its schedule makes the next one by itself, and would make it alike. Undefined: no schedule made it. */
export function templateText(execution: RawResource): string | undefined {
  const schedule = scheduleOwnerOf(execution)?.name;
  return schedule === undefined ? undefined : `correct spec.template of ${scheduleKind} ${schedule}, for its next run`;
}

/** Clocks of replicas differ, and one in local time is wrong by hours. A time beyond that is a mistake, and would stop the schedule. */
export const futureLimitMs = 24 * 3_600_000;

/** The scheduled time in the name of an execution, as Unix ms; undefined if it is not a name that the operator gave. */
export function scheduledAtIn(name: string, schedule: string): number | undefined {
  if (!name.startsWith(`${schedule}-`)) return undefined;
  const minutes = name.slice(schedule.length + 1);
  return /^[1-9]\d{0,8}$/.test(minutes) ? Number(minutes) * 60_000 : undefined;
}

/** The last scheduled time as the object has it, as Unix ms: in an annotation, which survives a backup, and in the status. */
export interface RecordedInObject {
  readonly annotation: number | undefined;
  readonly status: number | undefined;
  /** There is an annotation, and it holds no time. */
  readonly isUnreadable: boolean;
  readonly lastSuccessfulAt: number | undefined;
}

export function recordedIn({ metadata, status }: RawResource): RecordedInObject {
  const text = metadata.annotations?.[lastScheduleAnnotation];
  const annotation = timeIn(text);
  const { lastScheduleTime, lastSuccessfulTime } = (status ?? {}) as Readonly<Record<string, unknown>>;
  return {
    annotation,
    status: timeIn(lastScheduleTime),
    isUnreadable: text !== undefined && annotation === undefined,
    lastSuccessfulAt: timeIn(lastSuccessfulTime),
  };
}

/** A record with this time (Unix ms) is believed, and nothing is created for times up to `at`. */
export function isRecorded(at: number, recorded: number | undefined, now: number): boolean {
  return recorded !== undefined && recorded >= at && recorded <= now + futureLimitMs;
}

/**
 * Its JobSchedule exists and lacks a record of the time for which it created this execution: if the execution was gone now, another one
 * would be created for that time. Both records are needed, because a tool may remove the annotation, and a restored object has no status.
 * `now`: Unix ms.
 */
export function isUnrecorded(
  execution: RawResource,
  now: number,
  read: (key: Key) => RawResource | undefined,
): boolean {
  const owner = scheduleOwnerOf(execution);
  if (owner === undefined) return false;
  const { namespace, name } = execution.metadata;
  const schedule = read({ kind: scheduleKind, namespace, name: owner.name });
  // A schedule that is being deleted creates nothing.
  if (schedule?.metadata.uid !== owner.uid || schedule.metadata.deletionTimestamp !== undefined) return false;
  const scheduled = scheduledAtIn(name, owner.name);
  // The schedule does not believe such a time, and never records it.
  if (scheduled === undefined || scheduled > now + futureLimitMs) return false;
  const { annotation, status } = recordedIn(schedule);
  return !isRecorded(scheduled, annotation, now) || !isRecorded(scheduled, status, now);
}

const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** Undefined unless the text is exactly a time as the operator writes it. */
export function timeIn(text: unknown): number | undefined {
  if (typeof text !== 'string' || !timeForm.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
