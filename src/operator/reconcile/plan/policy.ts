// What the policy of a resource lets a plan do: a filter over the plans of all kinds.
//
// Through a SharedConnection that does not allow it any more, nothing is written but what a deletion takes: the object is observed.
// A run that has ended stays so, and its TTL deletes it: that is a deletion as by its user.
//
//  deleting?  plan                                   it sends            suspended              policy Plan                             Observe
//  yes        any                                    any                 carry out              carry out                               carry out: it releases
//  no         create, update, delete-object          writes              hold                   hold, or carry out once approved        report, and stay Ready
//  no         collect, before a former one is used   writes              hold                   hold, or carry out once approved        report, and stay Ready
//  no         collect, while all is as wanted        writes              leave what is left     the same, and stay Ready                leave what is left
//  no         delete, because it has expired         writes              hold                   carry out: the lifecycle asks for it    hold
//  no         none, write-ledger                     nothing             carry out              carry out                               carry out
//  no         forget                                 a GET               carry out              carry out                               report that it is gone
//  no         provide, discard, expire               of runs only        carry out              carry out                               carry out
//
// Under Manage, all is carried out; the first change of what was adopted is told before: first-change.ts.
// A run that is suspended is cancelled, or waits: its own plans see to that. It is never only observed.
import { approvePlanAnnotation } from '../../api/shared-api.ts';
import { countChange } from '../ledger/edits.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Outcome, refuse, shortText, waiting } from '../outcome.ts';
import { claimText } from '../ownership/ownership.ts';
import type { PlanInput } from '../plan-input.ts';
import { sameTarget } from './change-tries.ts';
import { none, type Plan } from './next-step.ts';
import { plannedWrite, type WritePlan } from './planned-write.ts';

export function underPolicy(input: PlanInput, plan: Plan): Plan {
  const { facts, kind } = input;
  if (facts.deleting) return plan;
  if (input.notAllowed !== undefined && !isOver(input)) return notAllowed(input.notAllowed, input, plan);
  if (kind.identity === 'once') return facts.policy === 'Plan' && isWrite(plan) ? approved(input, plan) : plan;
  if (facts.policy === 'Observe') return observed(input, plan);
  if (facts.isSuspended && plan.action === 'delete') return none(held('delete the cluster that has expired'));
  if (!isWrite(plan)) return plan;
  if (facts.isSuspended) return suspended(input, plan);
  return facts.policy === 'Plan' ? approved(input, plan) : plan;
}

export function isWrite(plan: Plan): plan is WritePlan {
  const { action } = plan;
  return action === 'create' || action === 'update' || action === 'delete-object' || action === 'collect';
}

/** Of a run whose end was reported, nothing leads to a write to the service any more, other than its deletion. */
function isOver({ facts, kind }: PlanInput): boolean {
  return kind.identity === 'once' && facts.ended !== undefined;
}

/** Former objects that nothing needs. */
function isTidying(plan: WritePlan): boolean {
  return plan.action === 'collect' && !plan.switched;
}

/** The namespace was selected when the object was made: what is there is observed. */
function notAllowed(why: string, { ledger }: PlanInput, plan: Plan): Plan {
  const isSettled = plan.action === 'none' && (plan.outcome.result === 'settled' || plan.outcome.result === 'held');
  const refused = isWrite(plan) || isSettled || leadingToWrites.includes(plan.action) || turnsExpiry(ledger, plan);
  return refused ? none(refuse('ConnectionNotAllowed', why)) : plan;
}

const leadingToWrites: readonly Plan['action'][] = ['delete', 'provide', 'expire'];

/** The ledger would record, and an event would tell, that the object is deleted from now on, or that another one is made in its place. */
function turnsExpiry(before: Ledger | undefined, plan: Plan): boolean {
  return plan.action === 'write-ledger' && (plan.ledger.expired === undefined) !== (before?.expired === undefined);
}

function suspended({ kind }: PlanInput, plan: WritePlan): Plan {
  if (isTidying(plan)) return none({ result: 'settled' });
  return none({ ...held(doingOf(kind, plan)), ...driftOf(plan) });
}

/** Nothing but what is there is told; under another policy it would be as the plan says. */
function observed(input: PlanInput, plan: Plan): Plan {
  if (isWrite(plan) && isTidying(plan)) return none({ result: 'settled' });
  if (isWrite(plan)) {
    const drift = plan.action === 'update' ? plan.differs : undefined;
    const message = `observed only: with the policy Manage, the operator would ${doingOf(input.kind, plan)}; see status.plan`;
    return none({ result: 'held', message, plan: plannedWrite(input, plan), drift, isReady: true });
  }
  if (plan.action === 'forget') {
    const what = claimText(input.kind, plan.claim);
    return none(
      waiting('service', 'ExternalNotFound', `${what} (${plan.id}) is gone from the service, and is only observed`),
    );
  }
  const isSafe = plan.action === 'none' || plan.action === 'write-ledger';
  return isSafe ? plan : none({ result: 'held', message: 'observed only: the operator writes nothing to the service' });
}

function held(doing: string): Extract<Outcome, { result: 'held' }> {
  return { result: 'held', message: `suspended: the operator does not ${doing} until spec.suspend is false` };
}

function approved(input: PlanInput, plan: WritePlan): Plan {
  const former = formerCounted(input, plan);
  if (former) return former;
  const planned = plannedWrite(input, plan);
  const { facts, kind, ledger } = input;
  if (facts.approvedPlan === planned.hash) return counted(plan, ledger, planned.hash);
  const { name, namespace } = facts.key;
  const ignored = ignoredApproval(input);
  const message =
    `waiting for the approval of this plan: ${doingOf(kind, plan)}; see status.plan. ${ignored ? `${ignored}. ` : ''}` +
    `To approve it: kubectl annotate ${kind.definition.shortName} ${name} -n ${namespace} --overwrite ${approvePlanAnnotation}=${planned.hash}`;
  return none({
    result: 'held',
    message,
    plan: planned,
    ignored,
    ...driftOf(plan),
    ...(isTidying(plan) && { isReady: true }),
  });
}

/**
 * The approved request on record made way for another one. It is counted before the plan of that one is shown, so that its approval is used up, and whoever
 * waits for it is told.
 */
function formerCounted({ ledger }: PlanInput, plan: WritePlan): Plan | undefined {
  const former = ledger?.change;
  if (plan.action !== 'update' || !former || former.counted || ledger.plans === undefined) return undefined;
  if (sameTarget(former.target, plan.ledger.change?.target ?? {})) return undefined;
  const report = { outcome: { result: 'requeue' } } as const;
  return { action: 'write-ledger', write: 'close', ledger: countChange(ledger), report };
}

/** From now on it is counted what was carried out. A deletion announces nothing in the ledger: that its approval is used is written before. */
function counted(plan: WritePlan, ledger: Ledger | undefined, hash: string): Plan {
  const plans = ledger?.plans ?? 0;
  if (plan.action === 'create' || plan.action === 'update')
    return { ...plan, ledger: { ...plan.ledger, plans, approval: { hash, plans } } };
  if (!ledger || ledger.approval?.hash === hash) return plan;
  const report = { outcome: { result: 'requeue' } } as const;
  return { action: 'write-ledger', write: 'record', ledger: { ...ledger, approval: { hash } }, report };
}

/** One that was used may stay where it is: nobody waits for what it approved. */
function ignoredApproval({ facts: { approvedPlan }, ledger }: PlanInput): string | undefined {
  const { hash, plans = -1 } = ledger?.approval ?? {};
  const isUsed = approvedPlan === hash && (ledger?.plans ?? 0) > plans;
  if (approvedPlan === undefined || isUsed) return undefined;
  return `The annotation ${approvePlanAnnotation} is ignored, because its value is ${shortText(approvedPlan)} and not the hash of this plan`;
}

export function doingOf(kind: PlanInput['kind'], plan: WritePlan): string {
  switch (plan.action) {
    case 'create':
      return `create ${claimText(kind, plan.claim)}`;
    case 'update':
      return plan.doing;
    case 'delete-object':
      return `delete ${plan.subject}`;
    case 'collect':
      return plan.switched ? 'use an old revision again' : 'delete old revisions';
  }
}

/** What somebody else changed in the service. */
export function driftOf(plan: WritePlan): Pick<Extract<Outcome, { result: 'held' }>, 'drift'> {
  const outcome = plan.action === 'update' ? plan.report.outcome : undefined;
  return outcome && 'drift' in outcome ? { drift: outcome.drift } : {};
}
