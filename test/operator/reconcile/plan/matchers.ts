// The plan for a situation, and plans of one write as `toMatchObject` compares them.
import { expect } from 'vitest';
import { plan } from '../../../../src/operator/reconcile/plan/plan.ts';
import { type SituationOptions, situationOf } from '../support.ts';

/** The outcome where nothing is to be done. */
export function planOf(options: SituationOptions) {
  const planned = plan(situationOf(options));
  return planned.action === 'none' ? planned.outcome : planned;
}

export const adopts = (id: string, claim: object = {}, ledger: object = {}) => ({
  action: 'write-ledger',
  write: 'record',
  ledger: { ...ledger, claims: expect.arrayContaining([expect.objectContaining({ ...claim, id })]) },
  report: { event: { reason: 'Adopted', note: expect.stringContaining(`(${id})`) } },
});
export const deletesObject = (id: string) => ({ action: 'delete-object', id });
export const releases = (reason: string, note: unknown = expect.anything()) => ({
  action: 'release',
  event: { reason, action: 'Delete', note },
});
