// What must hold of everything that the operator sends and says, by the numbers of the protocol: each function answers what is broken, or nothing.
import { recreateAnnotation } from '../../../src/operator/api/shared-api.ts';
import { currentClaim, isRefused } from '../../../src/operator/reconcile/ledger/ledger.ts';
import type { ClusterRecord } from '../../../src/service/model/records/records.ts';
import { openScale } from '../../../src/service/model/stages/cluster-stages.ts';
import { unannounced } from '../../support/invariants.ts';
import { type Facts, type Invariant } from './facts.ts';
import { targetOf } from './happening.ts';
import { referencesOf } from './references.ts';

/** No write on what we cannot prove ours. */
export const I3: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, collection, id } = targetOf(happening.sent);
  if (method === 'GET' || id === undefined || collection === 'images') return undefined;
  return facts.ownerOf(id) === undefined ? `${method} of ${collection} ${id}, which is not ours` : undefined;
};

/** DELETE only by a recorded or judged id, for a reason of the closed list. */
export const I4: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, id, collection } = targetOf(happening.sent);
  if (method !== 'DELETE' || id === undefined || collection === 'images') return undefined;
  const resource = facts.resourceOf(facts.ownerOf(id));
  const ledger = facts.ledgerOf(resource);
  const name = facts.nameOf(id);
  const claim = ledger?.claims.find((one) => one.id === id || one.name === name);
  if (claim === undefined) return `DELETE of ${id}, which no ledger names`;
  if (resource?.metadata.deletionTimestamp !== undefined) return undefined;
  if (resource?.metadata.annotations?.[recreateAnnotation] === id) return undefined;
  // It went by itself, while its resource stays.
  if (ledger?.expired !== undefined) return undefined;
  const row = facts.rowsOf(resource?.metadata.uid ?? '').find(({ record }) => record.id === id);
  // What a refused create left; also where its deletion has got stuck, or is over while the lists lag.
  const { status = 'gone' } = (row?.record ?? {}) as Partial<ClusterRecord>;
  if (isRefused(claim) && ['Error', 'Deleting', 'gone'].includes(status)) return undefined;
  const user = referrer(facts, id);
  if (user !== undefined) return `DELETE of ${collection} ${id}, which ${user} refers to`;
  const superseded = claim.role !== 'main' && claim !== currentClaim(ledger);
  const twin = collection !== 'clusters' && claim.id !== undefined && claim.id !== id;
  return superseded || twin ? undefined : `DELETE of ${collection} ${id}, which nobody asked for`;
};

/** The name of what refers to an object, and whoever acts may know of. */
function referrer(facts: Facts, id: string): string | undefined {
  const user = facts.rows().find(({ record }) => {
    if (facts.returns.isNews(record.id, facts.options.now())) return false;
    return referencesOf(record).includes(id);
  });
  return user?.record.name;
}

/** No POST without a durable open intent. */
export const I5: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, name, collection } = targetOf(happening.sent);
  if (method !== 'POST' || name === undefined) return undefined;
  const ledger = facts.ledgerOf(facts.resourceOf(facts.ownerOfName(name)));
  const sent = [...facts.posts.values()].filter((one) => one.name === name && one.collection === collection).length;
  const claim = ledger?.claims.find((one) => one.name === name && one.collection === collection);
  return unannounced(name, sent, claim);
};

/** At most one open scale, only after an observation that is Active or accepts a newer one, never an older target after a newer. */
export const I10: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, id = '' } = targetOf(happening.sent);
  if (method !== 'PUT') return undefined;
  const { change, uid } = facts.ledgerOf(facts.resourceOf(facts.ownerOf(id))) ?? {};
  if (change === undefined) return `PUT of ${id}, and the ledger has no change open`;
  // Of the object that the ledger was written for: one that came back from a backup counts its generations anew.
  const counted = `${id} ${uid}`;
  const newest = facts.scaled.get(counted) ?? 0;
  if (change.generation < newest) return `PUT of ${id} for generation ${change.generation} after ${newest}`;
  facts.scaled.set(counted, change.generation);
  const accepts = facts.since(id).some((row) => row.status === 'Active' || openScale(row, 'neutral') !== undefined);
  return accepts
    ? undefined
    : `PUT of ${id}, which has not been Active since our last write, and accepts no newer scale`;
};

/** No secret in logs, status, events. */
export const I11: Invariant = ({ options: { secret } }, happening) => {
  if (secret === undefined) return undefined;
  const text =
    happening.is === 'kubernetes sent'
      ? (JSON.stringify(happening.by.call.body) ?? '')
      : happening.is === 'said'
        ? happening.text
        : '';
  return text.includes(secret) ? `the token is in: ${text.slice(0, 200)}` : undefined;
};

/** No write after the lease is lost. */
export const I12: Invariant = (facts, happening) => {
  if (!facts.options.election) return undefined;
  if (happening.is !== 'kubernetes sent' && happening.is !== 'service sent') return undefined;
  const { replica } = happening.is === 'service sent' ? happening.sent : happening.by;
  const [method, path] =
    happening.is === 'service sent'
      ? [targetOf(happening.sent).method, happening.sent.request.path]
      : [happening.by.call.method, happening.by.call.path];
  if (method === 'GET' || path.includes('/leases')) return undefined;
  const [lease] = facts.options.server.list('leases');
  const { holderIdentity = '' } = (lease?.spec ?? {}) as { readonly holderIdentity?: string };
  return holderIdentity.startsWith(`${replica.name}_`)
    ? undefined
    : `${method} ${path} by ${replica.name}, and ${holderIdentity || 'nobody'} has the lease`;
};

/** No resource, no external write. */
export const I13: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, id, name, collection } = targetOf(happening.sent);
  if (method === 'GET' || collection === 'images') return undefined;
  const uid = name === undefined ? facts.ownerOf(id ?? '') : facts.ownerOfName(name);
  return facts.resourceOf(uid) === undefined
    ? `${method} of ${collection} ${id ?? name} without a resource`
    : undefined;
};

/** No unhandled rejection and no bug that was caught. */
export const I14: Invariant = (_, happening) =>
  happening.is === 'said' && happening.bug ? `an error of ours: ${happening.text}` : undefined;
