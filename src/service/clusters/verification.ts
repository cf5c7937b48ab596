// Verification of clusters, as in late upstream releases: when a cluster becomes Active, and on request. PURE.
import { derivedId } from '../records/derived-identifiers.ts';
import type { ClusterRecord, Verification } from '../records/records.ts';

/** A simulated cluster that is Active is always healthy. */
export function verified({ id: cluster_id, verification: before }: ClusterRecord, now: string): Verification {
  const stamps = { created_at: now, updated_at: now };
  const id = derivedId(`${before?.id ?? cluster_id} verification ${now}`);
  const check = {
    id: derivedId(`${id} check`),
    verification_id: id,
    name: 'Check of instances accessibility',
    status: 'GREEN' as const,
    description: 'All machines can be reached',
    ...stamps,
  };
  return { id, cluster_id, status: 'GREEN', checks: [check], ...stamps };
}
