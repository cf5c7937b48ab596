// Objects that a resource owns: the operator creates them for it, with its name, and Kubernetes deletes them after it. PURE.
import type { RawResource } from '../../api/definition.ts';
import type { ResourceReference } from '../kind.ts';
import type { NewObject } from '../ports.ts';
import { connectionName, type Resolution } from './references.ts';

export const isControlledBy = ({ metadata }: RawResource, owner: RawResource): boolean =>
  metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid) ?? false;

/** No blockOwnerDeletion, which would need a permission on finalizers. */
export function ownedObject(owner: RawResource, { kind, name }: ResourceReference, content: object): NewObject {
  const { namespace, name: ownerName, uid } = owner.metadata;
  const { deletionPolicy } = owner.spec as { readonly deletionPolicy?: string };
  return {
    kind,
    metadata: {
      name,
      namespace,
      ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name: ownerName, uid, controller: true }],
    },
    spec: {
      ...content,
      connectionRef: { name: connectionName(owner) },
      ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
    },
  };
}

/** The owned object of this kind, if it exists and nobody deletes it yet. */
export function standingOwned(resolutions: readonly Resolution[], kind: string): RawResource | undefined {
  const found = resolutions.find(({ reference }) => reference.owned && reference.kind === kind);
  const owned = found?.state === 'resolved' ? found.resource : found?.state === 'awaited' ? found.owned : undefined;
  return owned?.metadata.deletionTimestamp === undefined ? owned : undefined;
}
