// A create of the cluster, and its next effect.
import { openAttempt } from '../../../../src/operator/reconcile/ledger/edits.ts';
import type { Plan } from '../../../../src/operator/reconcile/plan/next-step.ts';
import { creating } from '../../../../src/operator/reconcile/plan/plan-create.ts';
import { claimOf, clusterName, iso, ledgerOf, type SituationOptions, wall } from '../support.ts';
import { ask, type Trail } from './steps.ts';

const body = { name: clusterName };
export const claim = claimOf();
export const create = (ledger = ledgerOf([])): Plan => ({
  action: 'create',
  claim,
  ledger,
  body,
  earlyStatus: creating,
});
/** The ledger once its request may be on its way. */
export const opened = openAttempt(ledgerOf([]), claim, iso(wall));

export const askCreate = (trail: Trail, options: SituationOptions = {}, plan = create()) => ask(plan, trail, options);
