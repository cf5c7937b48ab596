// What is known of JobSchedules: what came of each scheduled time, and what each replica has seen of each schedule.
import { targetOf } from '../../../src/kube/target.ts';
import { scheduledTimeAnnotation } from '../../../src/operator/api/common.ts';
import type { Change } from '../api/api-server.ts';
import type { Stored } from '../api/fields.ts';
import { plurals } from '../plan/plan.ts';
import type { Replica } from '../world/replica.ts';
import type { Write } from './happening.ts';

type Made = Pick<Stored, 'metadata'>;

/** The JobSchedule that an execution was made by. */
export const scheduleOf = ({ metadata }: Made) =>
  metadata.ownerReferences?.find(({ kind, controller }) => kind === 'JobSchedule' && controller === true);

/** In Unix ms; NaN where it tells none. */
export const scheduledAt = ({ metadata }: Made): number =>
  Date.parse(metadata.annotations?.[scheduledTimeAnnotation] ?? '');

export class Schedules {
  /** How many executions were made, by the uid of the schedule and the time. */
  readonly #made = new Map<string, number>();
  /** By the name of the schedule. Undefined: it was not there. */
  readonly #looks = new WeakMap<Replica, Map<string, Stored | undefined>>();

  changed({ type, object }: Change): void {
    if (type !== 'ADDED') return;
    const key = keyOf(object);
    if (key !== undefined) this.#made.set(key, this.timesMade(object) + 1);
  }

  /** For the scheduled time of this execution. */
  timesMade(execution: Made): number {
    return this.#made.get(keyOf(execution) ?? '') ?? 0;
  }

  read({ replica, call }: Write, status: number, body: unknown): void {
    const { resource, name } = targetOf(call.path);
    if (resource !== plurals['JobSchedule'] || name === undefined) return;
    const looks = this.#looks.get(replica) ?? new Map<string, Stored | undefined>();
    looks.set(name, status === 200 ? (body as Stored) : undefined);
    this.#looks.set(replica, looks);
  }

  /** What the replica was last answered of a schedule. It counts for one execution. */
  takeLook(replica: Replica, name: string): { readonly found: Stored | undefined } | undefined {
    const looks = this.#looks.get(replica);
    if (looks?.has(name) !== true) return undefined;
    const found = looks.get(name);
    looks.delete(name);
    return { found };
  }
}

function keyOf(execution: Made): string | undefined {
  const schedule = scheduleOf(execution);
  return schedule && `${schedule.uid} ${scheduledAt(execution)}`;
}
