// The step machine: how a plan is carried out without leaking or doubling anything. PURE; the driver performs the effects.
//
// `next` is called before the first effect and again after each answer, with the input as it is then. Guarantees:
// the finalizer and the intent are durable before the first POST; a POST follows its intent within two seconds or not at all;
// an attempt is closed only when it is certain that it left nothing, or when what it left is recorded; nothing is sent twice.
import { outcomeOfError } from '../outcome.ts';
import { refusedObject } from '../plan/runs/refused-object.ts';
import { nextUpdate } from './change-protocol.ts';
import { nextCollect } from './collect-protocol.ts';
import { nextCreate } from './create-protocol.ts';
import { nextDelete, nextDeleteObject } from './delete-protocol.ts';
import { type Done, done, type Effect, reported } from './effects.ts';
import { type PlanOf, type Step, what } from './step.ts';

export function next(step: Step): Effect | Done {
  const { plan } = step;
  switch (plan.action) {
    case 'none':
      return done(plan.outcome);
    case 'create':
      return nextCreate({ ...step, plan });
    case 'update':
      return nextUpdate({ ...step, plan });
    case 'write-ledger':
      return nextWritten({ ...step, plan });
    case 'forget':
      return nextForget({ ...step, plan });
    case 'collect':
      return nextCollect({ ...step, plan });
    case 'delete-object':
      return nextDeleteObject({ ...step, plan });
    case 'delete':
      return nextDelete({ ...step, plan });
    case 'provide':
      return nextProvide({ ...step, plan });
    case 'discard':
      return step.trail.length === 0 ? { effect: 'discard', owned: plan.owned } : done(plan.outcome, plan.event);
    case 'expire':
      return step.trail.length === 0 ? { effect: 'expire' } : reported(plan);
    case 'release':
      return step.trail.length === 0 ? { effect: 'release' } : done({ result: 'released' }, plan.event);
  }
}

/** A later pass decides whether an existing object is its own. If no event of it arrives, it is gone, and that pass creates another. */
function nextProvide({ plan, input, trail }: Step<PlanOf<'provide'>>): Effect | Done {
  const [answer] = trail;
  if (answer?.of !== 'provide') return { effect: 'provide', object: plan.object };
  if (answer.refusal !== undefined) return done(refusedObject(input, plan.object, answer));
  return answer.result === 'created' ? done(plan.outcome, plan.event) : done({ result: 'conflict' });
}

/** The write may have received a newer version of the resource, whose spec was not compared yet. */
function nextWritten({ plan, input, trail }: Step<PlanOf<'write-ledger'>>): Effect | Done {
  const { write, ledger, report, generation = input.facts.generation } = plan;
  if (trail.length === 0) return { effect: write, ledger };
  return generation === input.facts.generation ? reported(report) : done({ result: 'requeue' });
}

/** A service that lost objects may have restored them since the last LIST. If their ids were forgotten, nothing would own them. */
function nextForget(step: Step<PlanOf<'forget'>>): Effect | Done {
  const last = step.trail.at(-1);
  const { id, claim, ledger } = step.plan;
  if (!last) return { effect: 'get-by-id', id };
  const subject = `${what(step, claim)} (${id})`;
  // The next pass makes the other one.
  if (last.of !== 'get-by-id') return done({ result: 'requeue' });
  if (last.error) return done(outcomeOfError(last.error, `look for ${subject}`));
  if (!last.row) return { effect: 'close', ledger };
  const message = `${subject} is missing from the list of the service, which still has it; polling again`;
  return done({ result: 'failed', reason: 'ObservationFailed', message, observing: true, cause: undefined });
}
