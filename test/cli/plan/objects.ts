// Objects with plans, as the operator leaves them.
import type { Observed } from '../../../src/cli/observed.ts';
import type { WaitingPlan } from '../../../src/cli/plan/waiting-plan.ts';
import { approvePlanAnnotation, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { type Given, object } from '../why/objects.ts';

export const scaling: WaitingPlan = {
  hash: '1f0c2d3e4b5a6978',
  verb: 'Scale',
  object: 'Cluster etl-x1 (id-1)',
  destructive: true,
  changes: [{ path: 'spec.nodeGroups[worker].count', from: '5', to: '3' }],
};

export interface Ledgered extends Partial<Given> {
  readonly kind?: string;
  readonly policy?: string | undefined;
  readonly plan?: WaitingPlan | undefined;
  /** The annotation that approves a plan. */
  readonly approves?: string;
  readonly claims?: readonly object[];
  readonly carriedOut?: number;
}

/** With the policy Plan; one that waits without a plan is Ready. */
export function withPlan(given: Ledgered = {}): Observed {
  const { kind = 'Cluster', policy = 'Plan', plan, approves, claims = [], carriedOut, metadata, ...rest } = given;
  const annotations = {
    [ledgerAnnotation]: JSON.stringify({ claims, plans: carriedOut }),
    ...(approves === undefined ? {} : { [approvePlanAnnotation]: approves }),
  };
  const isReady = plan === undefined;
  return object(kind, 'etl', {
    reason: isReady ? 'Available' : 'PlanPending',
    message: isReady ? 'all is there' : 'waiting for the approval of this plan',
    status: isReady ? 'True' : 'False',
    spec: { policy },
    more: { plan },
    ...rest,
    metadata: { annotations, resourceVersion: '7', ...metadata },
  });
}
