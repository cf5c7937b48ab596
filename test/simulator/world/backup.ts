// What a user keeps of an object to make it anew: its spec and annotations, the ledger among them. PURE.
import { isDeepStrictEqual } from 'node:util';
import { ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { currentClaim, type Ledger, openAttempts } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { passedOn } from '../../../src/operator/reconcile/ledger/name-origin.ts';
import type { Stored } from '../api/fields.ts';

const ledgerText = ({ metadata }: Stored): string | undefined => metadata.annotations?.[ledgerAnnotation];

function ledgerOf(object: Stored): Ledger | undefined {
  const text = ledgerText(object);
  return text === undefined ? undefined : (JSON.parse(text) as Ledger);
}

/** The id of what it stands for. */
export const mainId = (object: Stored): string | undefined => currentClaim(ledgerOf(object))?.id;

/** What its ledger knows of the service, and of requests that are under way, is in its mirror, too. */
export function isWhole(object: Stored): boolean {
  const ledger = ledgerOf(object);
  const { ledger: text } = (object.status ?? {}) as { readonly ledger?: string };
  const mirror = text === undefined ? undefined : (JSON.parse(text) as Ledger);
  return mainId(object) !== undefined && isDeepStrictEqual(known(mirror), known(ledger));
}

const known = (ledger: Ledger | undefined): unknown => [
  ledger?.uid,
  ledger?.claims.map((claim) => `${claim.name} ${claim.id} ${openAttempts(claim)}`),
  ledger?.baseline,
  ledger?.change,
];

/** As another installation wrote it, which had taken over what was made here. */
const takenOver = (ledger: Ledger, installation: string): Ledger =>
  passedOn(ledger, { uid: `${ledger.uid}-there`, installation });

/** The object without what the API server gives it; of another installation where that is named. */
export function backupOf({ apiVersion, kind, metadata, spec }: Stored, installation?: string): object {
  const { name, annotations = {} } = metadata;
  const text = annotations[ledgerAnnotation];
  const moved =
    text === undefined || installation === undefined
      ? {}
      : { [ledgerAnnotation]: JSON.stringify(takenOver(JSON.parse(text) as Ledger, installation)) };
  return { apiVersion, kind, metadata: { name, annotations: { ...annotations, ...moved } }, spec };
}

/** All that `get -o yaml` shows of it, under another name. */
export function copyOf(object: Stored, name: string): object {
  const { apiVersion, kind, metadata, spec } = object;
  const { annotations = {}, finalizers = [] } = metadata;
  return { apiVersion, kind, metadata: { name, annotations, finalizers }, spec };
}
