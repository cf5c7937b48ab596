// Resolves references to ids, or reports what is awaited.
import { memoize } from '../../../lib/memoize.ts';
import { similarTo } from '../../../lib/similar.ts';
import type { RawResource } from '../../api/definition.ts';
import { fileDigest } from '../../api/file-digest.ts';
import {
  connectionKind,
  finalizer,
  ledgerAnnotation,
  type Reason,
  sharedConnectionKind,
  takeOverAnnotation,
} from '../../api/shared-api.ts';
import type { ResourceReference } from '../kind/kind.ts';
import { observedClaim } from '../ledger/adoption.ts';
import { type Claim, currentClaim, type LedgerState, mirrorText, readLedger } from '../ledger/ledger.ts';
import { type Key, keyText, nameText } from '../pass-ports.ts';
import { awaitsPerson, conditionOf, readStatus } from './read-conditions.ts';
import { digestOf, keyProblem, noSecret } from './secret-values.ts';

export interface Resolved {
  readonly state: 'resolved';
  readonly reference: ResourceReference;
  readonly resource: RawResource;
  readonly id: string;
  readonly hash?: string;
  /** Ids of the referenced resource, former revisions included. */
  readonly claims: readonly Claim[];
}

export type Resolution =
  | Resolved
  | {
      readonly state: 'awaited';
      readonly reference: ResourceReference;
      readonly message: string;
      /** It is being read, which takes a moment: nothing is reported meanwhile. */
      readonly soon?: true;
      /** When to look again, in ms: nothing in Kubernetes changes when it comes. */
      readonly afterMs?: number;
      /** What exists until the new revision does. */
      readonly former?: Pick<Resolved, 'hash' | 'claims'>;
      /** An owned object that is to be created. */
      readonly isMissing?: true;
      /** The owned object, which cannot be used yet. */
      readonly owned?: RawResource;
      /** The service made it, and it has failed there or is gone. */
      readonly hasFailed?: true;
      /** Somebody deleted it there. */
      readonly isGone?: true;
    }
  /** Waiting cannot help: the spec must change. */
  | {
      readonly state: 'wrong';
      readonly reference: ResourceReference;
      readonly message: string;
      readonly reason?: 'NameConflict' | 'ExternalRejected';
      /** With which the service refuses it. */
      readonly errorName?: string;
      /** The owned object, whose content is refused. */
      readonly owned?: RawResource;
    };

/** Where the referring resource lives. */
export interface Referrer {
  readonly connection: Key;
  readonly installation: string;
}

/** What leads a resource to its service, read from a spec of any shape. */
export function connectionOf({ spec, metadata }: Pick<RawResource, 'spec' | 'metadata'>): Key {
  const { connectionRef } = (spec ?? {}) as { connectionRef?: { kind?: unknown; name?: unknown } | null };
  const { kind, name: given } = connectionRef ?? {};
  const name = typeof given === 'string' && given !== '' ? given : 'default';
  if (kind === sharedConnectionKind) return { kind, namespace: '', name };
  return { kind: connectionKind, namespace: metadata.namespace, name };
}

/** It is being deleted, and its objects in the service are gone or left alone, whoever else keeps it in Kubernetes. */
export function isLetGo({ metadata: { deletionTimestamp, finalizers } }: RawResource): boolean {
  return deletionTimestamp !== undefined && !finalizers?.includes(finalizer);
}

/** The annotation and its mirror in status, as text. */
export function ledgerTexts(
  resource: RawResource,
  annotation: string,
): readonly [string | undefined, string | undefined] {
  return [resource.metadata.annotations?.[annotation], mirrorText(resource)];
}

/** The ledger of a resource, from its annotation or the mirror. */
export function ledgerOf(resource: RawResource, installation: string): LedgerState {
  return readers(resource)(installation);
}

const readers = memoize((resource: RawResource) => {
  let known: { readonly installation: string; readonly state: LedgerState } | undefined;
  return (installation: string): LedgerState => {
    if (known?.installation !== installation) known = { installation, state: readLedgerOf(resource, installation) };
    return known.state;
  };
});

function readLedgerOf(resource: RawResource, installation: string): LedgerState {
  const [annotation, mirror] = ledgerTexts(resource, ledgerAnnotation);
  const takeOver = resource.metadata.annotations?.[takeOverAnnotation];
  return readLedger(annotation, mirror, { uid: resource.metadata.uid, installation, takeOver });
}

export function resolveReference(
  reference: ResourceReference,
  resource: RawResource | undefined,
  referrer: Referrer,
): Resolution {
  if (reference.file !== undefined) return resolveFile(reference, reference.file, resource);
  if (reference.kind === 'Secret') return resolveSecret(reference, resource);
  const name = `${reference.kind} ${reference.name}`;
  if (!resource)
    return { state: 'awaited', reference, message: `${reference.field}: ${name} does not exist in this namespace` };
  if (resource.metadata.deletionTimestamp)
    return { state: 'awaited', reference, message: `${reference.field}: ${name} is being deleted` };
  const connection = connectionOf(resource);
  if (keyText(connection) !== keyText(referrer.connection)) {
    const message = `${reference.field}: ${name} uses ${nameText(connection)}, but this resource uses ${nameText(referrer.connection)}; both must use the same. connectionRef is immutable, so delete one of them and apply it with the same connectionRef`;
    return { state: 'wrong', reference, message };
  }
  const state = ledgerOf(resource, referrer.installation);
  const observed = state.state === 'none' ? observedClaim(resource) : undefined;
  const claim = state.state === 'ours' ? currentClaim(state.ledger) : observed;
  const notReady = `${reference.field}: ${name} is not ready yet${causeOf(resource)}`;
  if (state.state === 'ours' && state.ledger.expired)
    return {
      state: 'awaited',
      reference,
      message: `${reference.field}: ${name} has expired: to have it created again, change its spec.lifecycle`,
    };
  if (claim?.id === undefined) return { state: 'awaited', reference, message: notReady };
  if (reference.ready && !isReady(resource)) return { state: 'awaited', reference, message: notReady };
  const { claims } = state.state === 'ours' ? state.ledger : { claims: observed ? [observed] : [] };
  return { state: 'resolved', reference, resource, id: claim.id, claims, ...(claim.hash ? { hash: claim.hash } : {}) };
}

/** A Secret stands for no object: its digest takes the place of an id, so that other values count as another referent. */
function resolveSecret(reference: ResourceReference, secret: RawResource | undefined): Resolution {
  const { field, name, keys } = reference;
  const problems = secret ? (keys?.required ?? []).flatMap((key) => keyProblem(secret, key) ?? []) : [noSecret(name)];
  if (!secret || problems.length > 0)
    return { state: 'awaited', reference, message: `${field}: ${problems.join('; ')}` };
  const digest = digestOf(secret, keys);
  return { state: 'resolved', reference, resource: secret, id: digest, hash: digest, claims: [] };
}

/** The same for a key of a ConfigMap or Secret whose bytes are a file. */
function resolveFile(reference: ResourceReference, key: string, holder: RawResource | undefined): Resolution {
  const { field, kind, name } = reference;
  const awaited = (why: string, soon?: true): Resolution => ({
    state: 'awaited',
    reference,
    message: `${field}: ${why}`,
    ...(soon && { soon }),
  });
  if (!holder) return awaited(kind === 'Secret' ? noSecret(name) : `${kind} ${name} does not exist in this namespace`);
  if (holder.unread !== undefined)
    return holder.unread === '' ? awaited(`${kind} ${name} is being read`, true) : awaited(holder.unread);
  const found = fileDigest(holder, key);
  const problem = fileProblem(holder, key);
  if (!found || problem !== undefined) return awaited(problem ?? '');
  return { state: 'resolved', reference, resource: holder, id: found.digest, hash: found.digest, claims: [] };
}

/** Its spec has other content than its object in the service. Resources that refer to it wait for the new content. */
export function behind({ reference, resource, hash, claims }: Resolved): Resolution {
  const { field, kind, name } = reference;
  const message = `${field}: the new revision of ${kind} ${name} does not exist yet${causeOf(resource)}`;
  return { state: 'awaited', reference, message, former: { claims, ...(hash === undefined ? {} : { hash }) } };
}

/** How often to look whether it is in a list by now, in ms. */
const unprovenMs = 30_000;

/** Nothing shows that the object was made for the referenced resource: its ledger was written by somebody, or the service does not list the object yet. */
export function unproven({ reference, resource, hash, claims }: Resolved): Resolution {
  const { field, kind, name } = reference;
  const message = `${field}: ${kind} ${name} cannot be used yet: nothing in the lists of the service proves that the object in its annotation ${ledgerAnnotation} is its own${causeOf(resource)}`;
  const former = { claims, ...(hash === undefined ? {} : { hash }) };
  const owned = reference.owned ? { owned: resource } : {};
  return { state: 'awaited', reference, message, former, afterMs: unprovenMs, ...owned };
}

/** The words of these differ from try to try, and the Connection reports them, too. */
const unsteady: readonly unknown[] = ['UpstreamError', 'Unauthorized', 'Throttled', 'InternalError'] satisfies Reason[];

/**
 * Why the resource is not ready, in its own words: what only a user can correct, what it waits for itself, and what the service refused. Its own
 * words name the cause behind it in the same way, so that a chain of references is followed to its end. Nothing while it is progressing, because it
 * is ready in a moment. The same until the cause changes.
 */
export function causeOf({ status }: RawResource): string {
  const read = readStatus(status);
  const paused = conditionOf(read, 'Paused');
  if (paused?.status === 'True') return `: ${paused.message}`;
  const stalled = conditionOf(read, 'Stalled');
  if (stalled?.status === 'True') return `: ${stalled.reason}: ${stalled.message}`;
  const ready = conditionOf(read, 'Ready');
  const isRetried = conditionOf(read, 'Reconciling')?.reason === 'ProgressingWithRetry';
  const isBlocked = conditionOf(read, 'DependenciesReady')?.status === 'False' || awaitsPerson(read);
  if (!ready || !(isRetried || isBlocked)) return '';
  return isRetried && unsteady.includes(ready.reason) ? `: ${ready.reason}` : `: ${ready.reason}: ${ready.message}`;
}

/** Ready for the spec as it is now. */
function isReady({ metadata, status }: RawResource): boolean {
  const ready = conditionOf(readStatus(status), 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
}

/** A reference that led to an object of the service leads to another one now, or to none. */
export function leadElsewhere(before: readonly Resolution[], now: readonly Resolution[]): boolean {
  const idOf = (one: Resolution | undefined) => (one?.state === 'resolved' ? one.id : undefined);
  return before.some((one) => one.state === 'resolved' && idOf(resolutionOf(now, one.reference)) !== one.id);
}

/** What became of one reference. */
export function resolutionOf(resolutions: readonly Resolution[], reference: Pick<ResourceReference, 'kind' | 'name'>) {
  return resolutions.find(({ reference: one }) => one.kind === reference.kind && one.name === reference.name);
}

export function referenceText(reference: ResourceReference): string {
  return `${reference.kind}/${reference.name}`;
}

/** The key is missing, or has no bytes. Undefined: it has some. */
function fileProblem(holder: RawResource, key: string): string | undefined {
  const { kind, metadata, data, binaryData, files } = holder;
  const found = fileDigest(holder, key);
  if (found && found.size > 0) return undefined;
  const similar = similarTo(key, Object.keys({ ...data, ...binaryData, ...files }));
  const hint = similar === undefined ? '' : ` (its key ${similar} is not read)`;
  const trouble = found ? `has nothing in its key "${key}": fill it in` : `has no key "${key}": add it${hint}`;
  return `${kind} ${metadata.name} ${trouble}`;
}
