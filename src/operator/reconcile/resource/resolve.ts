// What the references of a resource lead to in the service, each as the referenced resource's spec says now.

import type { RawResource } from '../../api/definition.ts';
import type { AnyKind } from '../kind.ts';
import type { ResourceStore } from '../ports.ts';
import { wantedHash } from './content-hash.ts';
import { specOf } from './facts.ts';
import { behind, connectionName, type Resolution, type Resolved, resolveReference } from './references.ts';

export interface Resolving {
  readonly store: Pick<ResourceStore, 'read'>;
  /** By name of the kind. */
  readonly kinds: ReadonlyMap<string, AnyKind>;
  readonly installation: string;
}

export function resolve(from: Resolving, kind: AnyKind, resource: RawResource): readonly Resolution[] {
  const spec = specOf(kind, resource);
  if (!spec.ok) return [];
  const { namespace } = resource.metadata;
  const referrer = { connection: connectionName(resource), installation: from.installation };
  return kind.references(spec.value).map((reference) => {
    const key = { kind: reference.kind, namespace, name: reference.name };
    const found = resolveReference(reference, from.store.read(key), referrer);
    return found.state === 'resolved' && isBehind(from, found) ? behind(found) : found;
  });
}

/** Its spec, or one that it refers to, asks for other content than it has. What cannot be told is kept. */
function isBehind(from: Resolving, { reference, resource, hash }: Resolved): boolean {
  const kind = from.kinds.get(reference.kind);
  if (kind?.identity !== 'content' || hash === undefined) return false;
  const resolutions = resolve(from, kind, resource);
  if (resolutions.some((one) => one.state === 'awaited' && one.former !== undefined)) return true;
  const wanted = wantedHash({ kind, facts: { spec: specOf(kind, resource) }, resolutions });
  return wanted !== undefined && wanted !== hash;
}
