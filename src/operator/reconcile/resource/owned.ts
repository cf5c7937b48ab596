// Objects that a resource owns: the operator creates them for it, with its name, and Kubernetes deletes them after it. PURE.

import type { RawResource } from '../../api/definition.ts';
import { sharedConnectionKind } from '../../api/shared-api.ts';
import type { Kind, ResourceReference } from '../kind/kind.ts';
import { type Key, type NewObject, type ResourceStore } from '../pass-ports.ts';
import { endIn } from './facts.ts';
import { readStatus } from './read-conditions.ts';
import { connectionOf, type Resolution } from './references.ts';

export function isControlledBy({ metadata }: RawResource, owner: RawResource): boolean {
  return (
    metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid) ?? false
  );
}

/**
 * The run that has ended and that this object was created for, as `JobExecution pi`: the object keeps its content, whatever it refers to, and is not
 * created again. Undefined: there is none.
 */
export function endedOwner({ kinds, store }: OwnerLookup, { metadata }: RawResource): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || kinds.get(owner.kind)?.identity !== 'once') return undefined;
  const found = store.read({ kind: owner.kind, namespace: metadata.namespace, name: owner.name });
  const isOver = found?.metadata.uid === owner.uid && endIn(readStatus(found.status).conditions) !== undefined;
  return isOver ? `${owner.kind} ${owner.name}` : undefined;
}

interface OwnerLookup {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly store: Pick<ResourceStore, 'read'>;
}

/** No blockOwnerDeletion, which would need a permission on finalizers. */
export function ownedObject(owner: RawResource, { kind, name }: ResourceReference, content: object): NewObject {
  const { namespace, name: ownerName, uid } = owner.metadata;
  const { deletionPolicy, policy } = owner.spec as { readonly deletionPolicy?: string; readonly policy?: string };
  return {
    kind,
    metadata: {
      name,
      namespace,
      ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name: ownerName, uid, controller: true }],
    },
    spec: {
      ...content,
      connectionRef: referenceTo(connectionOf(owner)),
      ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
      ...(policy === undefined ? {} : { policy }),
    },
  };
}

/** As `spec.connectionRef` has it. */
function referenceTo({ kind, name }: Key): object {
  return kind === sharedConnectionKind ? { kind, name } : { name };
}

/** The owned object of this kind, if it exists and is not being deleted. */
export function standingOwned(resolutions: readonly Resolution[], kind: string): RawResource | undefined {
  const found = resolutions.find(({ reference }) => reference.owned && reference.kind === kind);
  const owned = found?.state === 'resolved' ? found.resource : found?.owned;
  return owned?.metadata.deletionTimestamp === undefined ? owned : undefined;
}
