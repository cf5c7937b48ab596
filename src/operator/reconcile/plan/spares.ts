// The plan for private objects that nothing needs any more while their resource stays. PURE.
import { privateContentOf } from '../kind.ts';
import { type Claim, currentClaim, privateClaims } from '../ledger/ledger.ts';
import { sparePrivates } from '../ledger/private-content.ts';
import { type PlanInput } from '../plan-input.ts';
import { isReady } from '../resource/facts.ts';
import { startsWithinMs } from './fixed-name.ts';
import type { Plan } from './types.ts';

/** The spec was edited before the object was started: only the private template that it was started from is still needed. */
function spareTemplates(input: PlanInput): readonly Claim[] {
  const { kind, ledger, view } = input;
  const current = currentClaim(ledger);
  const remote = current?.id === undefined ? undefined : view?.byId(current.id);
  const used = remote && kind.identity === 'named' ? kind.fixedName.startedFrom(remote) : undefined;
  const claims = privateClaims(ledger);
  // A start that may still take effect can be from any of them.
  if (startsWithinMs(input) !== undefined || !claims.some((one) => one.id === used)) return [];
  return claims.filter((one) => one.id !== used);
}

/** Only once everything is as wanted. */
export function planSpares(input: PlanInput, plan: Plan): Plan {
  if (plan.action !== 'none' || plan.outcome.result !== 'settled' || !isReady(input.facts)) return plan;
  const claims = privateContentOf(input.kind) ? sparePrivates(input.ledger) : spareTemplates(input);
  return claims.length === 0 ? plan : { action: 'collect', claims, generation: input.facts.generation };
}
