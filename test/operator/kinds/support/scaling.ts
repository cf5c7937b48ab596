// Cases of scaling: a spec, what the cluster has, and the request that makes both the same.
import { difference } from '../../../../src/operator/kinds/cluster/difference.ts';
import { change } from '../../../../src/operator/kinds/cluster/mapping.ts';
import type { Ledger } from '../../../../src/operator/reconcile/kind/kind.ts';
import type { Dialect } from '../../../../src/wire/dialect.ts';
import { claimOf, clusterRow, groups, ledgerOf } from '../../reconcile/support.ts';
import { clusterSpecOf, givenOf, ownCluster, workerId } from './mapping.ts';

export const baseline = [
  { name: 'worker', count: 2, nodeGroupTemplateId: workerId },
  { name: 'master', count: 1 },
];
export const ofTemplate: Partial<Ledger> = { baseline, madeFrom: {} };
export const byTemplate = (name: string, count: number, template = 'worker') => ({
  name,
  count,
  nodeGroupTemplateRef: { name: template },
});
export const own = (name: string, count: number) => ({ name, count, flavorID: '2', nodeProcesses: ['a'] });
export const plain = (name: string, count: number) => ({ name, count });

export interface Case {
  readonly spec: object;
  readonly ledger?: Partial<Ledger>;
  readonly have: Readonly<Record<string, number>>;
  readonly dialect?: Dialect;
}

export function differs({ spec, ledger = {}, have, dialect = 'neutral' }: Case) {
  const known = { ledger: ledgerOf([claimOf({ id: 'id-1' })], ledger), dialect };
  return difference(clusterSpecOf(spec), clusterRow({ node_groups: groups(have) }), known);
}

/** The difference as the request that is sent; a text where there is none. */
export function request(of: Case): unknown {
  const found = differs(of);
  if (found.state !== 'change') return found.state;
  return change(found.diff, givenOf({ dialect: of.dialect ?? 'neutral' }));
}

export const resize = (...list: readonly (readonly [string, number])[]) =>
  list.map(([name, count]) => ({ name, count }));
export const addWorker = (name: string, count: number) => ({ name, count, node_group_template_id: workerId });
export const ownGroups = (...nodeGroups: readonly object[]) => ({ ...ownCluster, nodeGroups });
export const two = ownGroups(own('master', 1), byTemplate('worker', 2));
export const made = { madeFrom: { master: 'inline', worker: 'ref:worker' } };
