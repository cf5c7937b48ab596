// A deletion of the cluster: its claims, and the next effect.
import type { Claim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import type { Plan } from '../../../../src/operator/reconcile/plan/next-step.ts';
import { deleting } from '../../../../src/operator/reconcile/plan/plan-delete.ts';
import { attempts, claimOf, clusterRow, iso, ledgerOf, monotonic, type SituationOptions, wall } from '../support.ts';
import { ask, type Trail } from './steps.ts';

/** A claim whose last create was sent this long ago and has no known outcome. */
export const open = (agoMs: number, count = 1, id?: string): Claim =>
  claimOf({ ...attempts(count, iso(wall - agoMs)), ...(id === undefined ? {} : { id }) });
export const minute = 60_000;
export const rows = [clusterRow()];
export const listAt = monotonic - 10;

export const deletionOf = (claims: readonly Claim[]): Plan => ({
  action: 'delete',
  claims,
  later: [],
  earlyStatus: deleting,
});

export const askDelete = (claims: readonly Claim[], options: SituationOptions = {}, trail: Trail = []) =>
  ask(deletionOf(claims), trail, { ledger: ledgerOf(claims), deleting: true, ...options });
