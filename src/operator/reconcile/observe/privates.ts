// Observes the private objects of one pass: those that tell whose an object of a fixed name is, or that objects refer to.
import { routes } from '../../../wire/routes.ts';
import { bytesOf, fileDigest } from '../../api/file-digest.ts';
import type { View } from '../../client/list/list-view.ts';
import { privateContentOf, privateKindOf, type RemoteObject, remoteKey } from '../kind/kind.ts';
import { currentClaim, privateClaims } from '../ledger/ledger.ts';
import { privateOf, sparePrivates } from '../ledger/private-content.ts';
import { contestOf } from '../ownership/claimants.ts';
import { proofOf, provenOwn } from '../ownership/ownership.ts';
import type { PassState } from '../pass-state.ts';
import { referenceText } from '../resource/references.ts';

/** They do not change once they exist, so an observation of this age will do, in ms. */
export const lookupAgeMs = 120_000;

/** `notBefore`: for what can have changed. */
export async function observePrivates(pass: PassState, notBefore: number): Promise<void> {
  const { service, kind, context, ledger, ports } = pass;
  const hidden = privateKindOf(kind);
  if (!hidden || service.state !== 'usable' || !isWanted(pass)) return;
  const { inventory } = service.service;
  const { signal } = context;
  // They do not change: for a recorded object an older observation will do.
  const wanted = isComplete(pass) ? ports.clock.monotonic() - lookupAgeMs : notBefore;
  const view = await inventory.observe(routes[hidden.route], { notBefore: wanted, signal });
  pass.observed(hidden, view);
  noteBack(pass, view);
  // A list may lag: what it lacks is gone only if a GET confirms that.
  for (const { id } of privateClaims(ledger)) {
    if (id === undefined || view.byId(id)) continue;
    const { row } = await inventory.getById(routes[hidden.route], id, signal);
    if (row) pass.remotes.set(remoteKey(hidden.route, id), row as RemoteObject);
  }
  noteProven(pass);
}

/** Neither the object's template nor the template's name can change: what was proven once, and is not contested, need not be checked again. */
function noteProven(pass: PassState): void {
  const { memory, kind } = pass;
  const row = recordedRow(pass);
  const from = row && kind.identity === 'named' ? kind.fixedName.startedFrom(row) : undefined;
  const proof = row && proofOf(pass.planInput(), row);
  if (row && from !== undefined && proof && !contestOf(pass, proof)) memory.proven = { id: row.id, from };
}

function recordedRow({ ledger, view }: PassState): RemoteObject | undefined {
  const id = currentClaim(ledger)?.id;
  return id === undefined ? undefined : view?.byId(id);
}

/** Nothing is being made or deleted. */
function isComplete(pass: PassState): boolean {
  const { kind, ledger, facts } = pass;
  if (recordedRow(pass) === undefined || facts.deleting || ledger?.expired) return false;
  if (!privateContentOf(kind)) return true;
  const wanted = pass.planInput().wantedHash;
  const isCurrent = wanted === undefined || wanted === currentClaim(ledger)?.hash;
  return isCurrent && sparePrivates(ledger).length === 0 && privateClaims(ledger).every(({ id }) => id !== undefined);
}

function isWanted(pass: PassState): boolean {
  const { facts, ledger, kind } = pass;
  if (facts.deleting || ledger?.expired) return !ledger || privateClaims(ledger).length > 0;
  const content = privateContentOf(kind);
  const asks = facts.spec.ok && content?.field(facts.spec.value) !== undefined;
  if (content) return asks || privateClaims(ledger).length > 0;
  if (facts.fixedName === undefined) return false;
  const row = recordedRow(pass);
  return row === undefined || provenOwn(pass.planInput(), [row]).length === 0;
}

/** An object that is seen again is not gone, whatever a GET said. */
export function noteBack({ memory }: PassState, view: View<RemoteObject>): void {
  const gone = [...(memory.goneGets ?? [])].filter(([id]) => !view.byId(id));
  memory.goneGets = gone.length > 0 ? new Map(gone) : undefined;
}

/** Reads the bytes that are about to be sent, and no others: only digests are kept. Rejects with StoreError. */
export async function readFiles(pass: PassState): Promise<void> {
  const { kind, facts, ports, ledger, resolutions, service } = pass;
  if (!privateContentOf(kind) || facts.deleting || service.state !== 'usable' || !service.mayCreate) return;
  const wanted = pass.planInput().wantedHash;
  if (wanted === undefined || privateOf(ledger, wanted)?.id !== undefined) return;
  for (const one of resolutions) {
    const { kind: of, name, file } = one.reference;
    if (one.state !== 'resolved' || of !== 'ConfigMap' || file === undefined) continue;
    const fresh = await ports.store.readFresh({ kind: of, namespace: facts.key.namespace, name });
    const bytes = fresh && bytesOf(fresh, file);
    if (bytes && fileDigest(fresh, file)?.digest === one.id) pass.files.set(referenceText(one.reference), bytes);
  }
}
