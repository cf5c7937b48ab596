// What the controller knows of resources and their kinds.
import type { Key } from '../reconcile/ports.ts';
import type { Resource } from './change.ts';

/** What the controller must know of resources, as functions, so that it need not know any kind. */
export interface ResourceIndex {
  /** True for the kinds that this controller has passes for; changes of others only wake their dependents. */
  owns(kind: string): boolean;
  /** The lane of a key: the Connection that its requests go through. */
  laneOf(key: Key): string;
  /** How many passes of a lane may run at once. */
  limitOf(lane: string): number;
  /** The Kubernetes objects that a resource refers to, as `keyText`. */
  referencesOf(resource: Resource): readonly string[];
  /** The objects of the service whose changes concern a resource, as `externalText`. */
  externalsOf(resource: Resource): readonly string[];
  /** Everything that dependents can see of a resource: readiness, ledger, deletion. A change of this text wakes them. */
  factsOf(resource: Resource): string;
  /** The annotations whose change concerns the object itself. */
  readonly annotations: readonly string[];
  /** Those of them that users set. */
  readonly commands: readonly string[];
}
