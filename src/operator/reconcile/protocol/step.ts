// One question to the protocol, and what all its parts need of it. PURE.
import { privateContentOf } from '../kind/kind.ts';
import type { Claim, Ledger } from '../ledger/ledger.ts';
import { claimText, kindOf, viewFor } from '../ownership/ownership.ts';
import type { Plan } from '../plan/next-step.ts';
import type { PlanInput } from '../plan-input.ts';
import type { EffectAnswer } from './effects.ts';

/** A write to the service is sent within this time, in ms, of the ledger write that announced it, or not at all. */
export const sendDeadlineMs = 2_000;

export interface Step<P extends Plan = Plan> {
  readonly plan: P;
  /** The ledger as it is in Kubernetes now. */
  readonly ledger: Ledger | undefined;
  readonly input: PlanInput;
  /** The answers in this sequence so far, oldest first. */
  readonly trail: readonly EffectAnswer[];
}

export type PlanOf<A extends Plan['action']> = Extract<Plan, { action: A }>;

/** The kind of a claim's object, and the view that holds it. */
export function sideOf({ input }: Step, claim: Claim) {
  return { kind: kindOf(input.kind, claim), view: viewFor(input, claim) };
}

/** What a revision refers to: of no interest without it, so it has no events. */
export function isHidden({ input }: Step, claim: Claim | undefined): boolean {
  return privateContentOf(input.kind) !== undefined && claim?.role === 'private';
}

/** For people: `Cluster etl-x1`. */
export function what(step: Step, claim: Claim): string {
  return claimText(step.input.kind, claim);
}

export function ledgerOf(step: Step): Ledger {
  if (!step.ledger) throw new Error('cannot go on: the ledger is gone');
  return step.ledger;
}
