// Bugs of policies, approvals, adoption and suspension that the exhaustive check must find.
import type { Ledger } from '../../src/operator/reconcile/ledger/ledger.ts';
import type { isBorrowed } from '../../src/operator/reconcile/ownership/ownership.ts';
import { none } from '../../src/operator/reconcile/plan/next-step.ts';
import type * as plans from '../../src/operator/reconcile/plan/plan.ts';
import type { planAdoption } from '../../src/operator/reconcile/plan/plan-adoption.ts';
import type { plannedWrite } from '../../src/operator/reconcile/plan/planned-write.ts';
import type { underPolicy } from '../../src/operator/reconcile/plan/policy.ts';
import type { PlanInput } from '../../src/operator/reconcile/plan-input.ts';
import type { isOutdated } from '../../src/operator/reconcile/resource/facts.ts';
import { byId, byName } from '../exhaustive/model/adoption.ts';
import type { Bug } from './bug.ts';
import { replacing } from './ground.ts';
import { next } from './protocol-bugs.ts';

type Policy = typeof underPolicy;
type Facts = PlanInput['facts'];

/** The same input, but for some facts of the resource. */
const withFacts = (input: PlanInput, facts: Partial<Facts>): PlanInput =>
  Object.create(input, { facts: { value: { ...input.facts, ...facts } } });

type Edit = (value: Ledger, name: string, id: string) => Ledger;

/** It is not counted that a plan was carried out. */
const uncounted =
  (real: Edit): Edit =>
  (value, name, id) => {
    const { plans: _counted, ...ledger } = real(value, name, id);
    return (value.plans === undefined ? ledger : { ...ledger, plans: value.plans }) as Ledger;
  };

/** While a plan is carried out, a newer version says nothing of the policy. */
const managedMeanwhile = next((step, real) => real({ ...step, input: withFacts(step.input, { policy: 'Manage' }) }));

/** Whatever is read is not looked at again before a request. */
const unasked = replacing<typeof isOutdated>('facts.isOutdated', () => () => false);

const observing = { policy: 'Observe', adopt: byId } as const;
const approving = { policy: 'Plan' } as const;

export const policyBugs: readonly Bug[] = [
  {
    name: 'a cluster is scaled that is only observed',
    breaks: 'I19',
    suite: { world: { replicas: 1, bounds: {}, more: observing } },
    plant: replacing<Policy>(
      'policy.underPolicy',
      (real) => (input, plan) => real(withFacts(input, { policy: 'Manage' }), plan),
    ),
  },
  {
    name: 'a template that is only observed is adopted for its finalizer',
    breaks: 'I19',
    suite: { world: { kind: 'template', replicas: 1, bounds: {}, more: observing } },
    plant: replacing<typeof planAdoption>(
      'plan-adoption.planAdoption',
      (real) => (input) => real(withFacts(input, { policy: 'Manage' })),
    ),
  },
  {
    name: 'what is only observed is deleted with its resource',
    breaks: 'I19',
    suite: {
      world: {
        kind: 'template',
        replicas: 1,
        bounds: { policies: 2, deletions: 1 },
        more: { ...observing, deletionPolicy: 'Delete' },
      },
    },
    plant: {
      ...replacing<typeof plans.plan>(
        'plan.plan',
        (real) => (input) => real(input.facts.deleting ? withFacts(input, { policy: 'Manage' }) : input),
      ),
      ...managedMeanwhile,
    },
  },
  {
    name: 'a deletion goes on although its object is only observed by now',
    breaks: 'I19',
    suite: {
      world: {
        kind: 'template',
        replicas: 1,
        bounds: { policies: 2, edits: 1, losses: 1, deletions: 1 },
        more: observing,
      },
    },
    plant: { ...managedMeanwhile, ...unasked },
  },
  {
    name: 'an old revision is deleted although its resource was suspended while it was listed who refers to it',
    breaks: 'I18',
    suite: { world: { kind: 'template', replicas: 1, bounds: { edits: 1, suspensions: 1 } } },
    plant: unasked,
  },
  {
    name: 'an approval is good for any plan',
    breaks: 'I20',
    suite: { world: { replicas: 1, bounds: { approvals: 1, edits: 1 }, more: approving } },
    plant: replacing<Policy>(
      'policy.underPolicy',
      (real) => (input, plan) =>
        real(input.facts.approvedPlan === undefined ? input : withFacts(input, { policy: 'Manage' }), plan),
    ),
  },
  {
    name: 'plans of one resource have one hash',
    breaks: 'I20',
    suite: { world: { replicas: 1, bounds: { approvals: 1, edits: 1 }, more: approving } },
    plant: replacing<typeof plannedWrite>('planned-write.plannedWrite', (real) => (input, plan) => ({
      ...real(input, plan),
      hash: input.facts.resource.metadata.uid,
    })),
  },
  {
    name: 'the same change is carried out again without another approval',
    breaks: 'I20',
    suite: { world: { replicas: 1, bounds: { approvals: 2, edits: 1, drifts: 1 }, more: approving } },
    plant: replacing<Edit>('edits.closeChange', uncounted),
  },
  {
    name: 'a request that another one followed is sent again without another approval',
    breaks: 'I20',
    suite: { tests: 'operator/reconcile/plan/policy', only: 'an approved request that another one follows' },
    plant: replacing<Edit>('edits.countChange', uncounted),
  },
  {
    name: 'what vanished is made again without another approval',
    breaks: 'I20',
    suite: {
      world: { kind: 'template', replicas: 1, bounds: { approvals: 1, vanishings: 1, ticks: 1 }, more: approving },
    },
    plant: {
      ...replacing<Edit>('edits.recordId', uncounted),
      ...replacing<Edit>('edits.closeChange', uncounted),
    },
  },
  {
    name: 'what was adopted is deleted with its resource',
    breaks: 'I4',
    suite: { world: { replicas: 1, bounds: { policies: 1, deletions: 1 }, more: { adopt: byId } } },
    plant: replacing<typeof isBorrowed>('ownership.isBorrowed', () => () => false),
  },
  {
    name: 'an object is made although the spec names one',
    breaks: 'I1',
    suite: { world: { kind: 'template', replicas: 1, bounds: {}, more: { adopt: byName } } },
    plant: replacing<typeof planAdoption>('plan-adoption.planAdoption', () => () => undefined),
  },
  {
    name: 'what belongs to another resource is adopted',
    breaks: 'I3',
    suite: { world: { replicas: 1, rival: true, bounds: {}, more: { adopt: byId } } },
    plant: replacing<typeof planAdoption>(
      'plan-adoption.planAdoption',
      (real) => (input) => real(Object.create(input, { ownerOf: { value: () => undefined } })),
    ),
  },
  {
    name: 'an adoption is told before the spec may forget it',
    breaks: 'L1',
    suite: { world: { kind: 'template', replicas: 1, bounds: { unstatings: 1 }, more: { adopt: byId } }, ends: 40 },
    plant: replacing<typeof planAdoption>('plan-adoption.planAdoption', (real) => (input) => {
      const plan = real(input);
      if (plan?.action !== 'write-ledger') return plan;
      const event = { type: 'Normal', reason: 'Adopted', action: 'Observe', note: 'adopted' } as const;
      return { ...plan, report: { ...plan.report, event } };
    }),
  },
  {
    name: 'what is suspended keeps its resource from being deleted',
    breaks: 'L2',
    suite: { world: { replicas: 1, bounds: { suspensions: 1, deletions: 1 } }, ends: 40 },
    plant: replacing<typeof plans.plan>('plan.plan', (real) => (input) => {
      const { isSuspended, deleting } = input.facts;
      return isSuspended && deleting ? none({ result: 'held', message: 'suspended' }) : real(input);
    }),
  },
];
