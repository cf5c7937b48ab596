// The step machine of a change: intent, one request, and what a refusal takes back. PURE.
import { dropChange } from '../ledger/edits.ts';
import { type Ledger } from '../ledger/ledger.ts';
import { outcomeOfError } from '../outcome.ts';
import { type Done, done, type Effect, reported } from './effects.ts';
import { ledgerOf, type PlanOf, type Step, sendDeadlineMs } from './step.ts';

export function nextUpdate(step: Step<PlanOf<'update'>>): Effect | Done {
  const { plan, input } = step;
  const last = step.trail.at(-1);
  if (!last) return { effect: 'intend-change', ledger: plan.ledger };
  if (last.of === 'intend-change') {
    if (!input.isSuperseded && input.now.monotonic - last.sentAt <= sendDeadlineMs)
      return { effect: 'change', id: plan.id, change: plan.change };
    return takenBack(step, done({ result: 'conflict' }));
  }
  const sent = step.trail.findLast((one) => one.of === 'change');
  if (sent?.of !== 'change') return done({ result: 'conflict' });
  if (!sent.error) return reported(plan.report);
  // A try that the service refused or never received could not take effect: it does not count as one without effect.
  const refused = sent.error.certainty !== 'open';
  const failed = done(outcomeOfError(sent.error, plan.doing));
  return refused && last.of === 'change' ? takenBack(step, failed) : failed;
}

/** A try that surely has no effect leaves the ledger before `end`; one that repeats an earlier request stays for that. */
function takenBack(step: Step<PlanOf<'update'>>, end: Done): Effect | Done {
  const { repeats, madeFrom, replaced } = step.plan;
  if (repeats) return end;
  const ledger = untried(unstopped(step), madeFrom);
  return { effect: 'close', ledger: replaced ? { ...ledger, change: replaced } : ledger };
}

/** The ledger, in which a run was not stopped if the first request for that was surely not sent: its user may want it to go on. */
function unstopped(step: Step<PlanOf<'update'>>): Ledger {
  const ledger = ledgerOf(step);
  const { claim } = step.plan;
  const isAnswered = step.trail.some((one) => one.of === 'change' && one.error?.certainty === 'answered');
  if (claim.stopped !== undefined || isAnswered) return ledger;
  const claims = ledger.claims.map((one) => {
    const { stopped: _unsent, ...rest } = one;
    return one.name === claim.name ? rest : one;
  });
  return { ...ledger, claims };
}

/** The ledger without the last try of its change, and without what that try was to make. */
function untried(intended: Ledger, madeFrom: Ledger['madeFrom']): Ledger {
  const { madeFrom: _unmade, ...rest } = intended;
  const ledger: Ledger = madeFrom ? { ...rest, madeFrom } : (rest as Ledger);
  const { change } = ledger;
  if (change?.doubts) return { ...ledger, change: undoubted(change) };
  if (!change || change.tries <= 1) return dropChange(ledger);
  return { ...ledger, change: { ...change, tries: change.tries - 1 } };
}

/** One earlyStatus less. */
function undoubted({ doubts = 0, ...change }: NonNullable<Ledger['change']>): NonNullable<Ledger['change']> {
  return doubts > 1 ? { ...change, doubts: doubts - 1 } : change;
}
