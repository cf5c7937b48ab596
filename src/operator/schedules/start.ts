// Creates the execution of a scheduled time, once.
import { StoreError } from '../../lib/store-error.ts';
import type { RawResource } from '../api/definition.ts';
import type { ReadSchedule } from './read-schedule.ts';
import type { ScheduleContext } from './schedule-context.ts';
import { executionFor, executionKind, isOwnedBy, ownExecution } from './schedule-executions.ts';
import type { OwnExecution } from './schedule-plan.ts';

export type Started =
  /** It exists, or existed: nothing is created for this time any more. */
  | { readonly state: 'made'; readonly isNew: boolean; readonly execution: OwnExecution | undefined }
  /** Somebody else has an execution of this name. */
  | { readonly state: 'foreign'; readonly name: string }
  | { readonly state: 'refused'; readonly name: string; readonly message: string };

interface StartRequest {
  readonly due: number;
  readonly template: Extract<ReadSchedule, { ok: true }>['template'];
  /** Deleted first. */
  readonly replaced: readonly OwnExecution[];
}

export async function start(
  { ports }: ScheduleContext,
  schedule: RawResource,
  { due, template, replaced }: StartRequest,
): Promise<Started> {
  const { namespace } = schedule.metadata;
  for (const { name, uid } of replaced) await ports.store.removeExactly({ kind: executionKind, namespace, name, uid });
  const object = executionFor(schedule, template, due);
  const { name } = object.metadata;
  let created: 'created' | 'exists';
  try {
    created = await ports.store.create(object);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { state: 'refused', name, message: error.message };
  }
  const found = await ports.store.readFresh({ kind: executionKind, namespace, name });
  if (created === 'exists' && found !== undefined && !isOwnedBy(found, schedule)) return { state: 'foreign', name };
  // One that existed and is gone again was probably its own. To start another one would risk a second run.
  const execution = found && ownExecution(found, schedule);
  return { state: 'made', isNew: created === 'created', execution };
}

/** By the schema, a quota, an admission policy or RBAC. */
function isRefusal(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.category === 'invalid' || error.category === 'forbidden');
}
