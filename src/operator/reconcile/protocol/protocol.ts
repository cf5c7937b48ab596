// The step machine: how a plan is carried out without ever leaking or doubling anything. Pure; the driver does what it says.
//
// `next` is asked before the first effect and again after each answer, with the input as it is then. Guarantees:
// the finalizer and the intent are durable before the first POST; a POST follows its intent within two seconds or not at all;
// an attempt is closed only when it is certain that it left nothing, or when what it left is recorded; nothing is sent twice.

import { recordFoundId } from '../ledger/edits.ts';
import { makeCurrent } from '../ledger/revision-history.ts';
import { type Happening, outcomeOfError } from '../outcome.ts';
import { nextUpdate } from './change.ts';
import { nextCollect, switched } from './collect.ts';
import { nextCreate } from './create.ts';
import { nextDelete, nextRemove } from './delete.ts';
import { type Done, done, type Effect } from './effects.ts';
import { type PlanOf, type Step, what, withClaim } from './step.ts';

export function next(step: Step): Effect | Done {
  const { plan } = step;
  switch (plan.action) {
    case 'none':
      return done(plan.outcome);
    case 'create':
      return nextCreate({ ...step, plan });
    case 'adopt':
      return nextAdopt({ ...step, plan });
    case 'update':
      return nextUpdate({ ...step, plan });
    case 'close-change':
      return nextClosed({ ...step, plan });
    case 'mark':
      // Nothing to say: the next pass looks at what is there.
      return step.trail.length === 0 ? { effect: 'close', ledger: plan.ledger } : done({ result: 'conflict' });
    case 'own':
      return nextOwn({ ...step, plan });
    case 'clear':
      return nextClear({ ...step, plan });
    case 'forget':
      return nextForget({ ...step, plan });
    case 'switch':
      return step.trail.length === 0 ? { effect: 'record', ledger: plan.ledger } : switched(step, plan.claim);
    case 'collect':
      return nextCollect({ ...step, plan });
    case 'delete-duplicate':
      return nextDuplicate({ ...step, plan });
    case 'disclaim':
      return nextDisclaimed({ ...step, plan });
    case 'delete':
      return nextDelete({ ...step, plan });
    case 'remove':
      return nextRemove({ ...step, plan });
    case 'release':
      return step.trail.length === 0 ? { effect: 'release' } : done({ result: 'released' }, released(plan));
  }
}

/** Saying that it is done may have taken a new version of the resource: a spec that was edited meanwhile was not compared yet. */
function nextClosed({ plan, input, trail }: Step<PlanOf<'close-change'>>): Effect | Done {
  if (trail.length === 0) return { effect: 'close', ledger: plan.ledger };
  return done({ result: input.facts.generation === plan.generation ? 'settled' : 'conflict' });
}

function nextAdopt(step: Step<PlanOf<'adopt'>>): Effect | Done {
  const { plan } = step;
  if (step.trail.length === 0) {
    const ledger = recordFoundId(withClaim(plan.ledger, plan.claim), plan.claim.name, plan.id);
    return { effect: 'record', ledger: makeCurrent(ledger, plan.claim.name) };
  }
  const message = `${what(step, plan.claim)} was found in the service`;
  return done(
    { result: 'progressed', reason: 'Provisioning', message },
    { type: 'Normal', reason: 'Adopted', action: 'Observe', note: `${message} (${plan.id})` },
  );
}

function nextOwn({ plan, trail }: Step<PlanOf<'own'>>): Effect | Done {
  if (trail.length === 0) return { effect: 'own', ledger: plan.ledger };
  const named = plan.ledger.claims.map(
    ({ collection, name, id }) => `${collection} ${name}${id === undefined ? '' : ` (${id})`}`,
  );
  const note = `took over what the ledger names: ${named.join(', ') || 'nothing yet'}`;
  // Nothing to say in status: the next pass looks at what is there.
  return done({ result: 'conflict' }, { type: 'Normal', reason: 'Adopted', action: 'Observe', note });
}

function nextDisclaimed({ plan, trail }: Step<PlanOf<'disclaim'>>): Effect | Done {
  if (trail.length === 0) return { effect: 'close', ledger: plan.ledger };
  return done(
    { result: 'progressed', reason: 'Deleting', message: plan.note },
    { type: 'Warning', reason: 'Released', action: 'Delete', note: plan.note },
  );
}

function nextClear(step: Step<PlanOf<'clear'>>): Effect | Done {
  const last = step.trail.at(-1);
  const { id, claim } = step.plan;
  if (!last) return { effect: 'delete', id };
  const subject = what(step, claim);
  if (last.of === 'delete' && last.error)
    return done(outcomeOfError(last.error, `delete ${id}, which a refused create of ${subject} left`));
  const note = `deleted ${id}, which a create of ${subject} left in the service although it was refused`;
  // As a failure, so that refusal and removal do not chase each other: the next try comes later each time.
  const message = `the service refused to create ${subject}, and what that left was deleted; it is tried again`;
  return done(
    { result: 'failed', reason: 'ExternalRejected', message, cause: undefined },
    { type: 'Normal', reason: 'Deleted', action: 'Delete', note },
  );
}

/** A service that lost objects may have found them again since they were last looked for: forgotten, they would be nobody's. */
function nextForget(step: Step<PlanOf<'forget'>>): Effect | Done {
  const last = step.trail.at(-1);
  const { id, claim, ledger } = step.plan;
  if (!last) return { effect: 'sight', id };
  const subject = `${what(step, claim)} (${id})`;
  // Nothing to say: the next pass makes the other one.
  if (last.of !== 'sight') return done({ result: 'conflict' });
  if (last.error) return done(outcomeOfError(last.error, `look for ${subject}`));
  if (!last.row) return { effect: 'close', ledger };
  const message = `the service lacks ${subject} in its list and still has it; polling again`;
  return done({ result: 'failed', reason: 'ObservationFailed', message, observing: true, cause: undefined });
}

function nextDuplicate(step: Step<PlanOf<'delete-duplicate'>>): Effect | Done {
  const last = step.trail.at(-1);
  if (!last) return { effect: 'delete', id: step.plan.id };
  const note = `deleted ${step.plan.id}, a second ${what(step, step.plan.claim)} that a late answer had left`;
  if (last.of === 'delete' && last.error)
    return done(outcomeOfError(last.error, `delete ${step.plan.id}, a second ${what(step, step.plan.claim)}`));
  return done(
    { result: 'progressed', reason: 'Provisioning', message: note },
    { type: 'Normal', reason: 'Deleted', action: 'Delete', note },
  );
}

function released(plan: PlanOf<'release'>): Happening {
  return {
    type: plan.reason === 'Deleted' ? 'Normal' : 'Warning',
    reason: plan.reason,
    action: 'Delete',
    note: plan.note,
  };
}
