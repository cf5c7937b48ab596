// The first change of an object that was adopted: its plan is told before it is carried out, so that an import never changes anything unseen.
//
// Under Manage alone: the other policies tell every plan. It costs one pass, and only until the ledger records that something was changed.
import { currentClaim, type Ledger } from '../ledger/ledger.ts';
import type { Outcome, PlannedWrite } from '../outcome.ts';
import { none, type Plan } from '../plan/next-step.ts';
import { plannedWrite, type WritePlan } from '../plan/planned-write.ts';
import { doingOf, driftOf, isWrite } from '../plan/policy.ts';
import type { PlanInput } from '../plan-input.ts';

/**
 * The plan, or in its place that it is told, and carried out by the next pass. A plan that the status has told already goes on, so that it is held for longer
 * only if it becomes another one.
 */
export function firstChange(input: PlanInput, plan: Plan): Plan {
  const { facts, ledger } = input;
  // What is collected was replaced before: the adopted object is never among it.
  if (!isUnchanged(ledger) || facts.deleting || !isWrite(plan) || plan.action === 'collect') return plan;
  const isManaged = facts.policy === 'Manage';
  const whole = withAllRequests(plan);
  const planned = plannedWrite(input, whole);
  if (isManaged && toldHash(facts.resource.status) !== planned.hash) return none(told(input, whole, planned));
  if (plan.action === 'update') return { ...plan, ledger: { ...plan.ledger, changed: true } };
  if (!isManaged) return plan;
  // A create or a deletion may wait or fail before it announces anything, and would be told again after each time.
  const report = { outcome: { result: 'requeue' } } as const;
  return { action: 'write-ledger', write: 'record', ledger: { ...ledger, changed: true }, report };
}

/** The requests that follow the first one of a change are not told on their own. */
function withAllRequests(plan: WritePlan): WritePlan {
  if (plan.action !== 'update' || !plan.whole) return plan;
  const { differs: changes, whole } = plan;
  return { ...plan, doing: whole.doing, next: { changes, removes: whole.removes } };
}

/** It stands for an object that was there before, as that was found: adopted, or an image that was registered already. */
function isUnchanged(ledger: Ledger | undefined): ledger is Ledger {
  if (ledger === undefined || ledger.changed || ledger.change) return false;
  return currentClaim(ledger)?.origin !== undefined;
}

function toldHash(status: unknown): string | undefined {
  return ((status ?? {}) as { readonly plan?: { readonly hash?: string } }).plan?.hash;
}

/** With the reason of the change itself: from here on, the object is being changed. */
function told({ kind }: PlanInput, plan: WritePlan, planned: PlannedWrite): Outcome {
  const early = 'earlyStatus' in plan ? plan.earlyStatus : undefined;
  const message = `the operator is about to ${doingOf(kind, plan)}, which is the first change since the adoption. It is carried out now, without an approval; see status.plan`;
  return {
    result: 'progressed',
    reason: early?.result === 'waiting' ? early.reason : 'Provisioning',
    message,
    plan: planned,
    ...driftOf(plan),
  };
}
