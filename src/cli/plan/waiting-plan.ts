// The plan in the status of an object, and why there is none to approve. PURE.
import type { ResourceKind } from '../../kube/resource.ts';
import { definitions } from '../../operator/kinds/definitions.ts';
import { customKinds } from '../kind-names.ts';
import { conditionIn, isBehind, isTrue, type Observed } from '../observed.ts';
import { patchCommand } from '../why/remedies.ts';

export interface PlannedChange {
  readonly path: string;
  readonly from?: string;
  readonly to?: string;
}

/** The next write to the service, as the operator reports it. */
export interface WaitingPlan {
  readonly hash: string;
  readonly verb: string;
  readonly object: string;
  readonly destructive: boolean;
  readonly changes?: readonly PlannedChange[];
}

/** The kinds whose writes can be planned. */
export const plannedKinds: readonly ResourceKind[] = customKinds.filter(({ kind }) =>
  definitions.some((one) => one.kind === kind && 'policy' in one.spec.shape),
);

export function planIn({ status }: Observed): WaitingPlan | undefined {
  return status?.['plan'] as WaitingPlan | undefined;
}

/** Manage, Observe or Plan. */
export function policyOf({ spec }: Observed): string {
  const policy = spec?.['policy'];
  return typeof policy === 'string' ? policy : 'Manage';
}

/** Why no plan of the object can be approved; undefined: one waits. */
export function whyNotWaiting(object: Observed): string | undefined {
  const { kind, metadata } = object;
  if (!plannedKinds.some((one) => one.kind === kind))
    return `there are no plans for a ${kind}: it has no spec.policy, because it stands for no object in the service`;
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted, which needs no approval';
  const policy = policyOf(object);
  if (policy === 'Observe')
    return `it is only observed, so there is nothing to approve. To have each write planned and approved: ${policyCommand(object, 'Plan')}. To have the operator write without approval, set spec.policy to Manage`;
  if (policy !== 'Plan')
    return `spec.policy is ${policy}, so the operator writes without approval. To approve each write: ${policyCommand(object, 'Plan')}`;
  if (isBehind(object)) return 'the operator has not planned for the current spec yet: try again in a moment';
  return planIn(object) === undefined ? whyNoPlan(object) : undefined;
}

function policyCommand({ kind, metadata }: Observed, policy: string): string {
  return patchCommand({ kind, name: metadata.name, namespace: metadata.namespace ?? '' }, { policy });
}

/** Of an object whose policy is Plan. */
function whyNoPlan(object: Observed): string {
  const { reason = 'Pending', message = 'nothing is reported', status } = conditionIn(object, 'Ready') ?? {};
  if (isTrue(object, 'Paused')) return `it is suspended: ${conditionIn(object, 'Paused')?.message ?? message}`;
  return status === 'True'
    ? `nothing is to be done: ${message}`
    : `the operator has planned nothing: ${reason}: ${message}`;
}
