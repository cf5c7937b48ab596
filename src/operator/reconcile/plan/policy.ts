// What the policy of a resource lets a plan do: a filter over the plans of all kinds.
//
//  deleting?  plan                                   it sends            suspended
//  yes        any                                    any                 carry out
//  no         create, update, delete-object          writes              hold
//  no         collect, before a former one is used   writes              hold
//  no         collect, while all is as wanted        writes              leave what is left
//  no         none, write-ledger, forget             nothing, or a GET   carry out
//  no         provide, discard, expire               of runs only        carry out
import type { Outcome } from '../outcome.ts';
import { claimText } from '../ownership/ownership.ts';
import type { PlanInput } from '../plan-input.ts';
import { none, type Plan } from './next-step.ts';

export function underPolicy(input: PlanInput, plan: Plan): Plan {
  const { facts } = input;
  if (!facts.isSuspended || facts.deleting) return plan;
  switch (plan.action) {
    case 'create':
      return none(held(`create ${claimText(input.kind, plan.claim)}`));
    case 'update':
      return none(held(plan.doing, plan.report.outcome));
    case 'delete-object':
      return none(held(`delete ${plan.subject}`));
    case 'collect':
      return none(plan.switched ? held('use an old revision again') : { result: 'settled' });
    default:
      return plan;
  }
}

/** Of the change, `outcome` has what somebody else changed in the service. */
function held(doing: string, outcome?: Outcome): Outcome {
  const message = `suspended: the operator does not ${doing} until spec.suspend is false`;
  return { result: 'held', message, ...(outcome && 'drift' in outcome ? { drift: outcome.drift } : {}) };
}
