// The plans of many objects. PURE.
import { isBehind, type Observed } from '../observed.ts';
import type { KindLists } from '../read-all.ts';
import { planIn, policyOf, type WaitingPlan } from './waiting-plan.ts';

export interface ListedPlan {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly policy: string;
  /** It was made for a former spec. */
  readonly isOutdated: boolean;
  readonly plan: WaitingPlan;
}

export interface PlanList {
  readonly plans: readonly ListedPlan[];
  /** Kinds that could not be read, and why. */
  readonly unread: KindLists['unread'];
}

export function planListOf({ lists, unread }: KindLists): PlanList {
  const plans = lists.flatMap(({ kind, items }) => items.flatMap((one) => listed({ ...one, kind })));
  const cut = lists.filter(({ isPartial }) => isPartial);
  return { plans, unread: [...unread, ...cut.map(({ kind }) => ({ kind, why: 'there are more than are read' }))] };
}

function listed(object: Observed): readonly ListedPlan[] {
  const plan = planIn(object);
  const { kind, metadata } = object;
  if (plan === undefined || metadata.deletionTimestamp !== undefined) return [];
  const { name, namespace = '' } = metadata;
  return [{ kind, namespace, name, policy: policyOf(object), isOutdated: isBehind(object), plan }];
}
