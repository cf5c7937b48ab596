// What a pass over a NodeGroup works with.
import type { Clock } from '../../lib/ports.ts';
import type { RawResource } from '../api/definition.ts';
import type { CountChange } from '../kube/write/writes.ts';
import type { EventSink, ResourceStore } from '../reconcile/pass-ports.ts';

export interface NodeGroupStore
  extends Pick<ResourceStore, 'read' | 'list' | 'readFresh' | 'claim' | 'release' | 'writeStatus'> {
  /** Changes counts in the spec, with uid and resourceVersion of `resource`. */
  writeCounts(resource: RawResource, change: CountChange): Promise<RawResource>;
}

export interface NodeGroupPorts {
  readonly store: NodeGroupStore;
  readonly events: EventSink;
  readonly clock: Pick<Clock, 'wall'>;
}
