// The plan for a template whose content has changed, and for the objects of its former content. PURE.
//
//  wanted content            object of it                        plan
//  cannot be told            the spec was settled before         none: keep the current one
//  cannot be told            any                                 wait for the references
//  that of the current one   any                                 collect former ones that nothing refers to
//  another                   none                                create it; the current one serves until it is recorded
//  another                   a former one, still referred to     switch to it
//  another                   a former one, not referred to       collect it first: a DELETE of it may be under way
import type { Claim } from '../ledger/ledger.ts';
import { leftoverClaims } from '../ledger/revision-history.ts';
import { waiting } from '../outcome.ts';
import { ownObjects } from '../ownership/ownership.ts';
import { type PlanInput } from '../plan-input.ts';
import { isReady, wasObserved } from '../resource/facts.ts';
import { planCreate } from './create.ts';
import { referencePrecondition } from './preconditions.ts';
import { none, switchTo } from './single-write.ts';
import type { Plan } from './types.ts';

/** The step toward other content; undefined: the current object has the wanted content, or is kept. */
export function planRevision(input: PlanInput, current: Claim): Plan | undefined {
  const { kind, facts, memory, resolutions, ledger } = input;
  if (kind.identity !== 'content' || !facts.spec.ok) return undefined;
  const hash = input.wantedHash;
  if (hash === undefined) {
    const observed = wasObserved(facts) && facts.observedGeneration === facts.generation;
    if (observed || memory.settledGeneration === facts.generation) return undefined;
    const awaited = referencePrecondition(resolutions, kind.references(facts.spec.value, facts.key.name));
    return awaited && none(awaited);
  }
  if (current.hash === undefined || current.hash === hash) return undefined;
  const former = ledger?.claims.find((one) => one.hash === hash && one.id !== undefined);
  return former ? planReturn(input, former) : planCreate(input);
}

/** Only while others refer to a former object is it certain that no DELETE of it is in flight. */
function planReturn(input: PlanInput, former: Claim): Plan {
  const { ledger, referencedIds, facts } = input;
  if (!ledger) throw new Error('cannot plan: there is no ledger');
  const switched = switchTo(input, former, ledger);
  const used = ownObjects(input, former).some(({ id }) => id === former.id && referencedIds?.has(id));
  if (used) return switched;
  const earlyStatus = waiting('service', 'Provisioning', 'replacing it');
  return { action: 'collect', claims: [former], generation: facts.generation, switched, earlyStatus };
}

/** Content that nothing refers to any more, and what lost answers may still bring. */
function formerRevisions(input: PlanInput): readonly Claim[] {
  const { kind, ledger, referencedIds } = input;
  if (kind.identity !== 'content' || !referencedIds) return [];
  return leftoverClaims(ledger).filter((claim) => {
    const rows = ownObjects(input, claim);
    return rows.length === 0 || claim.id === undefined || rows.some((row) => !referencedIds.has(row.id));
  });
}

/** Former objects that nothing refers to any more. */
export function planLeftovers(input: PlanInput): Plan | undefined {
  const { facts } = input;
  const claims = formerRevisions(input);
  if (claims.length === 0) return undefined;
  if (isReady(facts)) return { action: 'collect', claims, generation: facts.generation };
  // First the status reports that the current one is there.
  const tidying = waiting('service', 'Provisioning', 'old revisions are left to delete');
  return none({ result: 'settled', tidying });
}
