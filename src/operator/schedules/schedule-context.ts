// What a pass over a JobSchedule works with.
import type { Clock } from '../../lib/ports.ts';
import type { RawResource } from '../api/definition.ts';
import type { EventSink, Key, ResourceStore } from '../reconcile/pass-ports.ts';
import type { ResolveInput } from '../reconcile/resource/resolve.ts';
import type { OwnExecution } from './schedule-plan.ts';

export interface ScheduleStore extends Pick<ResourceStore, 'read' | 'list' | 'readFresh' | 'create' | 'writeStatus'> {
  /** Sets annotations, with uid and resourceVersion of `resource`. */
  annotate(resource: RawResource, annotations: Readonly<Record<string, string>>): Promise<RawResource>;
  /** Deletes the object with this uid, unless it is gone already. A conflict if another object has its name. */
  removeExactly(object: Key & { readonly uid: string }): Promise<void>;
}

export interface SchedulePorts extends Omit<ResolveInput, 'store'> {
  readonly store: ScheduleStore;
  readonly events: EventSink;
  readonly clock: Pick<Clock, 'wall' | 'monotonic'>;
  /** Counts scheduled times without an execution. */
  readonly missed: (count: number) => void;
}

/** What this process knows of a JobSchedule. Losing it repeats an event at most. */
export interface ScheduleMemory {
  readonly uid: string;
  /** The last scheduled time that it has seen or started, in case it could not be recorded. */
  known?: number;
  /** The newest missed time that was reported. */
  missedReported?: number;
  /** Created by this process; shown as active until the watch delivers it. `at`: monotonic ms. */
  made?: { readonly execution: OwnExecution; readonly at: number };
}

export interface ScheduleContext {
  readonly ports: SchedulePorts;
  readonly key: Key;
  readonly memory: ScheduleMemory;
}
