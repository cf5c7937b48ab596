// Changes of clusters that do not concern their machines, and verification, as in late upstream releases.
import { readChange } from '../bodies/bodies.ts';
import { changes } from '../bodies/change-bodies.ts';
import { Refusal } from '../http/refusal.ts';
import { checkChange, checkOwn } from '../records/access.ts';
import { checkRename, need } from '../records/checks.ts';
import { timestamp } from '../records/identifiers.ts';
import type { ClusterRecord, Verification } from '../records/records.ts';
import type { Call } from '../routes/endpoint.ts';
import type { Service } from '../service.ts';
import { applyChange } from '../templates/expansion.ts';
import { verified } from './progress.ts';

const unverifiable = (id: string, why: string) =>
  new Refusal([400, 'CANNOT_VERIFY'], `cannot verify cluster ${id}: ${why}`);

function verify({ clock }: Service, cluster: ClusterRecord, fields: readonly string[]): Verification {
  const { id, status } = cluster;
  if (fields.length > 1) throw unverifiable(id, 'verification has to be the only field');
  if (status !== 'Active') throw unverifiable(id, `it is ${status}, not Active`);
  return verified(cluster, timestamp(clock));
}

/** A protected cluster can be verified, but only by the tenant that created it. */
export function changeCluster(service: Service, call: Call): ClusterRecord {
  const { dialect, store, lifecycle, clock } = service;
  const before = need(store, 'clusters', call);
  const { verification: order, ...change } = readChange(dialect, changes.clusters, call.body);
  const now = timestamp(clock);
  if (order?.status !== undefined) {
    const verification = verify(service, before, ['verification', ...Object.keys(change)]);
    checkOwn(store, 'update', 'clusters', call);
    return lifecycle.amend(call.tenant, { ...before, verification, updated_at: now });
  }
  checkChange(store, 'clusters', call, change);
  checkRename(store, 'clusters', { tenant: call.tenant, record: before }, change.name);
  return lifecycle.amend(call.tenant, { ...applyChange(before, change), updated_at: now });
}
