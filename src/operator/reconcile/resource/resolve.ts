// What the references of a resource lead to in the service, according to the current spec of each referenced resource.
import { didYouMean } from '../../../lib/similar.ts';
import type { RawResource } from '../../api/definition.ts';
import type { Kind, ResourceReference } from '../kind/kind.ts';
import type { ResourceStore } from '../pass-ports.ts';
import { wantedHash } from './content-hash.ts';
import { specOf } from './facts.ts';
import { endedOwner, isControlledBy, ownedFailure, ownedRefusal } from './owned.ts';
import { behind, connectionOf, ledgerOf, type Resolution, type Resolved, resolveReference } from './references.ts';
import { templateText } from './scheduled.ts';

type Awaited = Extract<Resolution, { readonly state: 'awaited' }>;

export interface ResolveInput {
  readonly store: Pick<ResourceStore, 'list' | 'read'>;
  /** By name of the kind. */
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly installation: string;
}

export function resolve(from: ResolveInput, kind: Kind, resource: RawResource): readonly Resolution[] {
  const spec = specOf(kind, resource);
  if (!spec.ok) return [];
  const { namespace } = resource.metadata;
  const referrer = { connection: connectionOf(resource), installation: from.installation };
  return kind.references(spec.value, resource.metadata.name).map((reference) => {
    const key = { kind: reference.kind, namespace, name: reference.name };
    const found = resolveReference(reference, from.store.read(key), referrer);
    if (reference.owned) return resolveOwned(from, found, { owned: from.store.read(key), resource });
    // Names of Secrets are not disclosed to somebody who does not know them, and those of ConfigMaps are not known.
    if (reference.kind === 'Secret' || reference.kind === 'ConfigMap') return found;
    const referenced = from.store.read(key);
    const isGoing = referenced?.metadata.deletionTimestamp !== undefined;
    if (found.state === 'awaited' && (!referenced || isGoing)) return withRemedy(from, found, resource);
    return found.state === 'resolved' && isBehind(from, found) ? behind(found) : found;
  });
}

/** What the operator makes for the resource itself; an object of the name that it did not make is left alone. */
function resolveOwned(
  { installation }: ResolveInput,
  found: Resolution,
  { owned, resource }: { readonly owned: RawResource | undefined; readonly resource: RawResource },
): Resolution {
  const { reference } = found;
  const what = `${reference.field}: ${reference.kind} ${reference.name}`;
  if (owned === undefined) return { state: 'awaited', reference, message: `${what} is being created`, isMissing: true };
  const again = owned.metadata.deletionTimestamp ? ': it is created again once it is gone' : '';
  if (isControlledBy(owned, resource)) {
    if (found.state !== 'awaited') return found;
    if (again !== '') return { ...withText(found, again), owned };
    const refusal = ownedRefusal({ reference, installation }, owned, resource);
    if (refusal) return { state: 'wrong', reference, ...refusal, owned };
    return { ...found, owned, ...ownedFailure(reference, owned, resource) };
  }
  const message = `${what} exists and does not belong to this ${resource.kind}: delete it, or apply this ${resource.kind} with another name`;
  return { state: 'wrong', reference, reason: 'NameConflict', message };
}

function withText(found: Awaited, text: string): Awaited {
  return { ...found, message: `${found.message}${text}` };
}

/** For what does not exist or is being deleted: a similar name, and the remedy. */
function withRemedy(from: ResolveInput, found: Awaited, resource: RawResource): Resolution {
  const { kind, name } = found.reference;
  const { namespace } = resource.metadata;
  const instead = (to: string): string => insteadOf(from, found.reference, resource, to);
  if (from.store.read({ kind, namespace, name }))
    return withText(found, `. Apply ${kind} ${name} again once it is gone${instead('another name')}`);
  const names = [...from.store.list(kind)].flatMap(({ metadata }) =>
    metadata.namespace === namespace ? [metadata.name] : [],
  );
  return withText(found, `${didYouMean(name, names) || '.'} Create it${instead('the right name')}`);
}

/** The remedy never asks to edit an immutable field, or to delete a resource that has an object in the service. */
function insteadOf(from: ResolveInput, { field, fixed }: ResourceReference, resource: RawResource, to: string): string {
  if (!fixed) return `, or set ${field} to ${to}`;
  if (!isNew(resource, from.installation)) return '';
  const anew = templateText(resource) ?? `apply it with ${to}`;
  return `, or, because ${field} is immutable, delete this ${resource.kind} (nothing was created yet) and ${anew}`;
}

/** Nothing was made for it in the service, and nothing was begun. */
function isNew(resource: RawResource, installation: string): boolean {
  const state = ledgerOf(resource, installation);
  return state.state === 'none' || (state.state === 'ours' && state.ledger.claims.length === 0);
}

/** Its spec, or one that it refers to, has other content than its object. If that is not known, the object is kept. */
function isBehind(from: ResolveInput, { reference, resource, hash }: Resolved): boolean {
  const kind = from.kinds.get(reference.kind);
  if (kind?.identity !== 'content' || hash === undefined || endedOwner(from, resource)) return false;
  const resolutions = resolve(from, kind, resource);
  if (resolutions.some((one) => one.state === 'awaited' && one.former !== undefined)) return true;
  const wanted = wantedHash({ kind, facts: { spec: specOf(kind, resource) }, resolutions });
  return wanted !== undefined && wanted !== hash;
}
