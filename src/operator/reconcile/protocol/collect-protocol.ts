// The step machine that collects former revisions: by id, while nothing refers to them, until each is proven gone. PURE.
//
// Guarantee: the DELETE follows lists of everything that may refer to the object, begun after the switch to another revision and after
// the end of every request that may have been made with this one.
import { privateContentOf } from '../kind/kind.ts';
import { dropClaims } from '../ledger/edits.ts';
import { type Claim, currentClaim } from '../ledger/ledger.ts';
import { sparePrivates } from '../ledger/private-content.ts';
import { leftoverClaims } from '../ledger/revision-history.ts';
import { type Outcome, outcomeOfError, type PassEvent, type TidyOutcome } from '../outcome.ts';
import { ownObjects } from '../ownership/ownership.ts';
import { nextClaim } from './delete-protocol.ts';
import { type Done, done, type Effect, type EffectAnswer, reported } from './effects.ts';
import { isHidden, ledgerOf, type PlanOf, type Step, what } from './step.ts';

type CollectStep = Step<PlanOf<'collect'>>;

export function nextCollect(step: CollectStep): Effect | Done {
  const last = step.trail.at(-1);
  if (!last) return { effect: 'list-referrers' };
  if (last.of === 'delete') return afterDelete(step, last);
  if (last.of === 'close') return collected(step);
  if (last.of === 'record') return recorded(step);
  if ('error' in last && last.error) return ended(step, outcomeOfError(last.error, 'delete old revisions'));
  if (last.of === 'list-referrers' && last.awaited)
    return ended(step, waiting('a request that may refer to it is not answered yet'));
  return nextLeftover(step);
}

/** The first leftover that something can be done for; else those that are gone leave the ledger. */
function nextLeftover(step: CollectStep): Effect | Done {
  let wait: Done | undefined;
  const gone: string[] = [];
  for (const claim of step.plan.claims) {
    const next = leftover(step, claim);
    if (next === undefined) gone.push(claim.name);
    else if (next === 'kept') continue;
    else if (next.effect !== 'done') return next;
    else wait ??= next;
  }
  if (gone.length > 0) return { effect: 'close', ledger: dropClaims(ledgerOf(step), gone) };
  return ended(step, wait?.outcome);
}

/** What one claim still needs; undefined: nothing, it is gone and cannot come back. kept: something refers to it. */
function leftover(step: CollectStep, claim: Claim): Effect | Done | 'kept' | undefined {
  const rows = ownObjects(step.input, claim);
  const spare = rows.find((row) => step.input.referencedIds?.has(row.id) === false);
  return rows.length > 0 && !spare ? 'kept' : nextClaim(step, claim, spare);
}

function afterDelete(step: CollectStep, { error }: Extract<EffectAnswer, { of: 'delete' }>): Effect | Done {
  if (!error || (error.category === 'notFound' && error.ownShape) || error.certainty === 'open')
    return ended(step, waiting('waiting for the service to delete it'));
  if (error.category !== 'rejected' && error.category !== 'conflict')
    return ended(step, outcomeOfError(error, 'delete an old revision'));
  // It stays, for something that no list shows: then it can be used again.
  if (step.plan.switched) return { effect: 'record', ledger: step.plan.switched.ledger };
  const message = `the service refuses to delete an old revision: ${error.why}`;
  return ended(step, { result: 'failed', reason: 'ExternalDeleteFailing', message, cause: error });
}

function recorded(step: CollectStep): Done {
  const { switched } = step.plan;
  const deleted = step.trail.some((one) => one.of === 'delete');
  return deleted && switched
    ? reported(switched.report)
    : ended(step, waiting('an object that a lost answer left was found'));
}

function collected(step: CollectStep): Done {
  const left = step.ledger?.claims ?? [];
  // What never had an id never existed.
  const gone = step.plan.claims.filter(
    (claim) => claim.id !== undefined && !isHidden(step, claim) && !left.some((one) => one.name === claim.name),
  );
  const note = `no longer in the service, and no longer referred to: ${gone.map((one) => what(step, one)).join(', ')}`;
  const event: PassEvent = { type: 'Normal', reason: 'Deleted', action: 'Delete', note };
  const spares = privateContentOf(step.input.kind) ? sparePrivates(step.ledger) : [];
  const isMore = leftoverClaims(step.ledger).length + spares.length > 0;
  const more = isMore ? waiting('old revisions are left to delete') : undefined;
  return { ...ended(step, more), events: gone.length > 0 ? [event] : [] };
}

/** The current revision exists all the time; the user waits for this only where a former one is wanted again. */
function ended(step: CollectStep, outcome: Outcome | undefined): Done {
  const { switched: wanted, generation } = step.plan;
  if (wanted === undefined && !isSettled(step, generation)) return done({ result: 'requeue' });
  if (wanted === undefined)
    return done(outcome === undefined ? { result: 'settled' } : { result: 'settled', tidying: outcome as TidyOutcome });
  if (outcome?.result === 'failed') return done(outcome);
  const message = 'waiting for the old revision to be deleted before recreating it';
  return done({ result: 'waiting', on: 'service', reason: 'Provisioning', message });
}

/** A newer list, or a newer version of the resource, may show otherwise since the plan was made. */
function isSettled({ input, ledger }: CollectStep, generation: number): boolean {
  const id = currentClaim(ledger)?.id;
  const there = id !== undefined && input.view?.byId(id) !== undefined;
  return there && input.facts.generation === generation;
}

function waiting(message: string): Outcome {
  return { result: 'waiting', on: 'service', reason: 'Deleting', message };
}
