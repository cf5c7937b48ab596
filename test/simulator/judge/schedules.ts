// What is known of JobSchedules: what came of each scheduled time, and what each replica has seen of each schedule.
import { targetOf } from '../../../src/kube/target.ts';
import { finalizer, scheduledTimeAnnotation } from '../../../src/operator/api/shared-api.ts';
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

interface Look {
  /** Undefined: it was not there. */
  readonly found: Stored | undefined;
  /** How many looks no execution has come of yet. */
  readonly left: number;
}

export class Schedules {
  /** The scheduled times whose execution may have run, by the uid of the schedule and the time. */
  readonly #takenUp = new Set<string>();
  /** By the name of the schedule. */
  readonly #looks = new WeakMap<Replica, Map<string, Look>>();

  /** Nothing is sent to the service for an execution without our finalizer: I1. */
  changed({ object }: Change): void {
    const key = keyOf(object);
    if (key !== undefined && object.metadata.finalizers?.includes(finalizer)) this.#takenUp.add(key);
  }

  /** One that was deleted before anybody took it up has not run, and another one may be made for its time. */
  mayHaveRun(execution: Made): boolean {
    return this.#takenUp.has(keyOf(execution) ?? '');
  }

  read({ replica, call }: Write, status: number, body: unknown): void {
    const { resource, name } = targetOf(call.path);
    if (resource !== plurals['JobSchedule'] || name === undefined) return;
    const looks = this.#looks.get(replica) ?? new Map<string, Look>();
    looks.set(name, { found: status === 200 ? (body as Stored) : undefined, left: (looks.get(name)?.left ?? 0) + 1 });
    this.#looks.set(replica, looks);
  }

  /** What the replica was last answered of a schedule. Each look counts for one execution, whose request may arrive after that for the next one. */
  takeLook(replica: Replica, name: string): Pick<Look, 'found'> | undefined {
    const looks = this.#looks.get(replica);
    const look = looks?.get(name);
    if (look === undefined || look.left === 0) return undefined;
    looks?.set(name, { ...look, left: look.left - 1 });
    return look;
  }
}

function keyOf(execution: Made): string | undefined {
  const schedule = scheduleOf(execution);
  return schedule && `${schedule.uid} ${scheduledAt(execution)}`;
}
