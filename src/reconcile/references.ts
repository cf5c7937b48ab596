// Referenced resources to ids, or what is awaited.

import { ledgerAnnotation, takeOverAnnotation } from '../api/common.ts';
import type { RawResource } from '../api/definition.ts';
import type { Reference } from './kind.ts';
import { currentClaim, type LedgerState, readLedger } from './ledger.ts';
import { recently } from './recently.ts';

export type Resolution =
  | {
      readonly state: 'resolved';
      readonly reference: Reference;
      readonly resource: RawResource;
      readonly id: string;
      readonly hash?: string;
    }
  | { readonly state: 'awaited'; readonly reference: Reference; readonly message: string }
  /** Waiting cannot help: the spec must change. */
  | { readonly state: 'wrong'; readonly reference: Reference; readonly message: string };

/** Where the one who refers lives. */
export interface Referrer {
  readonly connection: string;
  readonly installation: string;
}

export function connectionName(resource: RawResource): string {
  const spec = resource.spec as { connectionRef?: { name?: unknown } } | null | undefined;
  const name = spec?.connectionRef?.name;
  return typeof name === 'string' && name !== '' ? name : 'default';
}

/** The annotation and its mirror in status, as text. */
export function ledgerTexts(
  resource: RawResource,
  annotation: string,
): readonly [string | undefined, string | undefined] {
  const mirror = (resource.status as { ledger?: unknown } | null | undefined)?.ledger;
  return [resource.metadata.annotations?.[annotation], typeof mirror === 'string' ? mirror : undefined];
}

/** The ledger of a resource, from its annotation or the mirror. */
export function ledgerOf(resource: RawResource, installation: string): LedgerState {
  return readers(resource)(installation);
}

const readers = recently((resource: RawResource) => {
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
  reference: Reference,
  resource: RawResource | undefined,
  referrer: Referrer,
): Resolution {
  const name = `${reference.kind} ${reference.name}`;
  if (!resource)
    return { state: 'awaited', reference, message: `${reference.field}: ${name} does not exist in this namespace` };
  if (resource.metadata.deletionTimestamp)
    return { state: 'awaited', reference, message: `${reference.field}: ${name} is being deleted` };
  const connection = connectionName(resource);
  if (connection !== referrer.connection) {
    const message = `${reference.field}: ${name} uses Connection ${connection}, but this resource uses ${referrer.connection}; both must use the same`;
    return { state: 'wrong', reference, message };
  }
  const state = ledgerOf(resource, referrer.installation);
  const claim = state.state === 'ours' ? currentClaim(state.ledger) : undefined;
  const notReady = `${reference.field}: ${name} is not ready yet${reasonOf(resource)}`;
  if (claim?.id === undefined) return { state: 'awaited', reference, message: notReady };
  if (reference.ready && !isReady(resource)) return { state: 'awaited', reference, message: notReady };
  return { state: 'resolved', reference, resource, id: claim.id, ...(claim.hash ? { hash: claim.hash } : {}) };
}

/** Why the referenced resource is not ready, in its own words, so that nobody has to go and look. */
function reasonOf(resource: RawResource): string {
  const stalled = trueCondition(resource, 'Stalled');
  return stalled ? `: ${String(stalled.reason)}: ${String(stalled.message)}` : '';
}

/** Ready for the spec as it is now. */
function isReady(resource: RawResource): boolean {
  return trueCondition(resource, 'Ready')?.observedGeneration === resource.metadata.generation;
}

/** Of another's status, which may hold anything. */
function trueCondition(
  resource: RawResource,
  type: string,
): { readonly reason?: unknown; readonly message?: unknown; readonly observedGeneration?: unknown } | undefined {
  const conditions = (resource.status as { conditions?: unknown } | null | undefined)?.conditions;
  if (!Array.isArray(conditions)) return undefined;
  return conditions.find(
    (one: { type?: unknown; status?: unknown } | null) => one?.type === type && one.status === 'True',
  );
}

/** What became of one reference. */
export function resolutionOf(resolutions: readonly Resolution[], reference: Pick<Reference, 'kind' | 'name'>) {
  return resolutions.find(({ reference: one }) => one.kind === reference.kind && one.name === reference.name);
}

export function referenceText(reference: Reference): string {
  return `${reference.kind}/${reference.name}`;
}
