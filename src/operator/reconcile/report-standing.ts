// The status of a resource that stands for nothing in the service: written when something changed, with an event when it stops or starts to work.
import type { AnyDefinition, RawResource } from '../api/definition.ts';
import type { EventSink, ResourceStore } from './pass-ports.ts';
import { conditionOf, readStatus } from './resource/read-conditions.ts';
import { type Circumstances, conditionsOf, type Standing, transitionTime } from './status/conditions.ts';
import { truncated } from './status/truncate.ts';
import { sameStatus } from './status/write-policy.ts';

interface ReportPorts {
  readonly store: Pick<ResourceStore, 'writeStatus'>;
  readonly events: EventSink;
}

interface StandingReport {
  readonly definition: Pick<AnyDefinition, 'status'>;
  /** The action of the event. */
  readonly action: string;
  readonly standing: Standing;
  readonly scaling?: Circumstances['scaling'];
  /** What the status has besides. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Unix ms. */
  readonly wall: number;
}

/** Returns the newest version of the object. */
export async function reportStanding(
  { store, events }: ReportPorts,
  resource: RawResource,
  { definition, action, standing, scaling, fields, wall }: StandingReport,
): Promise<RawResource> {
  const observedGeneration = resource.metadata.generation;
  const before = readStatus(resource.status);
  const at = { generation: observedGeneration, now: transitionTime(wall), scaling };
  const conditions = conditionsOf(standing, before.conditions, at);
  const status = truncated(definition.status, { observedGeneration, conditions, ...fields });
  if (sameStatus((resource.status ?? {}) as Record<string, unknown>, status)) return resource;
  const written = await store.writeStatus(resource, status);
  const [was, is] = [before.conditions, conditions].map((all) => conditionOf({ conditions: all }, 'Ready'));
  // What is applied in any order, and each step on the way, needs no event.
  if (is !== undefined && standing.state !== 'progressing' && is.reason !== (was?.reason ?? 'Available')) {
    const type = is.status === 'True' ? 'Normal' : 'Warning';
    events.emit({ regarding: written, type, reason: is.reason, action, note: is.message });
  }
  return written;
}
