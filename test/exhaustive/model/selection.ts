// Whether the SharedConnection of the resource selects its namespace. The world has it in the resource itself, so that a replica learns of both at once.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { sharedConnectionKind } from '../../../src/operator/api/shared-api.ts';
import { resourceOf } from '../../operator/reconcile/support.ts';

const label = 'selected';
const name = 'platform';

/** In the spec of a resource that shares a connection. */
export const sharing = { connectionRef: { kind: sharedConnectionKind, name } };

export function isSelected({ metadata }: RawResource): boolean {
  return metadata.labels?.[label] !== 'no';
}

export function withSelection(resource: RawResource, isNow: boolean): RawResource {
  const { labels: _before, ...metadata } = resource.metadata;
  return { ...resource, metadata: isNow ? metadata : { ...metadata, labels: { [label]: 'no' } } };
}

/** As a replica knows it that knows this version of the resource. */
export function sharedConnectionFor(resource: RawResource): RawResource {
  const namespaces = isSelected(resource) ? [resource.metadata.namespace] : [];
  const { metadata } = resourceOf();
  return {
    ...resourceOf(),
    kind: sharedConnectionKind,
    metadata: { ...metadata, namespace: '', name },
    spec: { namespaces, allowAdopt: true },
  };
}
