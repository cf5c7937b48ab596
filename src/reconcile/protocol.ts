// The step machine: how a plan is carried out without ever leaking or doubling anything. Pure; the driver does what it says.
//
// `next` is asked before the first effect and again after each answer, with the situation as it is then. Guarantees:
// the finalizer and the intent are durable before the first POST; a POST follows its intent within two seconds or not at all;
// an attempt is closed only when it is certain that it left nothing, or when what it left is recorded; nothing is sent twice.
import { type Answer, type Done, done, type Effect, type Happening } from './effects.ts';
import type { RemoteObject } from './kind.ts';
import { type Claim, closeAttempt, closeChange, type Ledger, openAttempt, recordFoundId, recordId } from './ledger.ts';
import { keeper } from './obstacles.ts';
import { outcomeOfError } from './outcome.ts';
import type { Plan } from './plan.ts';
import { nextDelete } from './protocol-delete.ts';
import type { Situation } from './situation.ts';

/** A write of the service is sent within so many ms of the ledger write that announced it, else not at all. */
export const sendDeadlineMs = 2_000;

export interface Step<P extends Plan = Plan> {
  readonly plan: P;
  /** The ledger as it stands in Kubernetes now. */
  readonly ledger: Ledger | undefined;
  readonly situation: Situation;
  /** The answers of this sequence so far, oldest first. */
  readonly trail: readonly Answer[];
}

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
      return step.trail.length === 0 ? { effect: 'close', ledger: plan.ledger } : done({ result: 'settled' });
    case 'delete-duplicate':
      return nextDuplicate({ ...step, plan });
    case 'delete':
      return nextDelete({ ...step, plan });
    case 'release':
      return step.trail.length === 0 ? { effect: 'release' } : done({ result: 'released' }, released(plan));
  }
}

type PlanOf<A extends Plan['action']> = Extract<Plan, { action: A }>;

export function what(step: Step, claim: Claim): string {
  return `${step.situation.kind.definition.kind} ${claim.name}`;
}

function iso(wall: number): string {
  return new Date(wall).toISOString();
}

// --- create -----------------------------------------------------------------------------------------------------------

function nextCreate(step: Step<PlanOf<'create'>>): Effect | Done {
  const last = step.trail.at(-1);
  switch (last?.of) {
    case undefined:
      return mustLook(step) ? { effect: 'observe' } : intend(step);
    case 'observe':
      return afterObserve(step, last);
    case 'pin-and-intend':
      return afterIntent(step, last);
    case 'post':
      return afterPost(step, last);
    case 'record':
      return recorded(step);
    case 'close':
      return afterClose(step);
    default:
      throw new Error(`cannot go on with a create after ${last?.of}`);
  }
}

/** On an empty ledger nothing can be there. Otherwise a complete LIST, begun after our last effect, must have shown no object of the name. */
function mustLook({ situation, plan }: Step<PlanOf<'create'>>): boolean {
  if (situation.facts.virgin) return false;
  const { view, memory } = situation;
  if (view?.listSentAt === undefined || !view.complete) return true;
  return view.listSentAt <= (memory.lastEffectAt ?? -1) || view.byName(plan.claim.name).length > 0;
}

function intend({ plan, situation }: Step<PlanOf<'create'>>): Effect {
  return { effect: 'pin-and-intend', ledger: openAttempt(plan.ledger, plan.claim, iso(situation.now.wall)) };
}

/** Measured from the start of the intent's write: the time on the way counts, too. */
function afterIntent(step: Step<PlanOf<'create'>>, last: Answer): Effect {
  if (step.situation.now.monotonic - last.sentAt <= sendDeadlineMs) return { effect: 'post', body: step.plan.body };
  return { effect: 'close', ledger: closeAttempt(ledgerOf(step), step.plan.claim.name) };
}

function ledgerOf(step: Step): Ledger {
  if (!step.ledger) throw new Error('cannot go on: the ledger is gone');
  return step.ledger;
}

function postOf(step: Step) {
  return step.trail.findLast((one) => one.of === 'post');
}

function afterPost(step: Step<PlanOf<'create'>>, post: Extract<Answer, { of: 'post' }>): Effect {
  const { name } = step.plan.claim;
  if ('row' in post) return { effect: 'record', ledger: recordId(ledgerOf(step), name, post.row.id) };
  if (post.error.certainty === 'definite') return { effect: 'close', ledger: closeAttempt(ledgerOf(step), name) };
  return { effect: 'observe' };
}

function afterObserve(step: Step<PlanOf<'create'>>, last: Extract<Answer, { of: 'observe' }>): Effect | Done {
  const post = postOf(step);
  const { claim } = step.plan;
  if (last.error) return done(outcomeOfError(last.error, `create ${what(step, claim)}`));
  const found = judge(step, claim);
  if (!post) {
    if (found)
      return { effect: 'record', ledger: recordFoundId(withClaim(step.plan.ledger, claim), claim.name, found.id) };
    return step.situation.view?.complete ? intend(step) : done(unreadable(step, claim));
  }
  if ('row' in post) throw new Error('cannot judge: the create had succeeded');
  if (found) return { effect: 'record', ledger: foundAfter(step, post.error.nameTaken, found) };
  // The request has ended with a refusal, and a later LIST shows that it left nothing.
  const ended = post.error.certainty === 'answered' && step.situation.view?.complete === true;
  if (ended) return { effect: 'close', ledger: closeAttempt(ledgerOf(step), claim.name, iso(step.situation.now.wall)) };
  return done(outcomeOfError(post.error, `create ${what(step, claim)}`));
}

/** "Name taken" ends the attempt that got it: the object is then of an earlier one. */
function foundAfter(step: Step<PlanOf<'create'>>, nameTaken: boolean, found: RemoteObject): Ledger {
  const { name } = step.plan.claim;
  const ledger = nameTaken ? closeAttempt(ledgerOf(step), name) : ledgerOf(step);
  return recordFoundId(ledger, name, found.id);
}

/** Ours: it bears the pinned name, which only this resource can have given. */
function judge({ situation }: Step, claim: Claim): RemoteObject | undefined {
  return situation.view && keeper(situation.view.byName(claim.name), claim.id, situation.mentioned);
}

function withClaim(ledger: Ledger, claim: Claim): Ledger {
  const known = ledger.claims.some((one) => one.name === claim.name && one.collection === claim.collection);
  return known ? ledger : { ...ledger, claims: [...ledger.claims, claim] };
}

function unreadable(step: Step, claim: Claim) {
  const message = `cannot create ${what(step, claim)}: the service's list has entries that cannot be read, so whether it exists is not known`;
  return { result: 'failed', reason: 'UpstreamError', message, cause: undefined } as const;
}

function recorded(step: Step<PlanOf<'create'>>): Done {
  const post = postOf(step);
  const made = post && 'row' in post;
  const message = `${what(step, step.plan.claim)} was ${made ? 'created' : 'found'} in the service`;
  const reason = made ? 'Created' : 'Adopted';
  return done(
    { result: 'progressed', reason: 'Provisioning', message },
    { type: 'Normal', reason, action: 'Create', note: message },
  );
}

function afterClose(step: Step<PlanOf<'create'>>): Done {
  const post = postOf(step);
  if (post && 'error' in post) return done(outcomeOfError(post.error, `create ${what(step, step.plan.claim)}`));
  const message = 'the API server took too long to record the intent to create; trying again';
  return done({ result: 'failed', reason: 'InternalError', message, cause: undefined });
}

// --- adopt, scale, duplicates -------------------------------------------------------------------------------------------

function nextAdopt(step: Step<PlanOf<'adopt'>>): Effect | Done {
  const { plan } = step;
  if (step.trail.length === 0) {
    return { effect: 'record', ledger: recordFoundId(withClaim(plan.ledger, plan.claim), plan.claim.name, plan.id) };
  }
  const message = `${what(step, plan.claim)} was found in the service`;
  return done(
    { result: 'progressed', reason: 'Provisioning', message },
    { type: 'Normal', reason: 'Adopted', action: 'Observe', note: `${message} (${plan.id})` },
  );
}

function nextUpdate(step: Step<PlanOf<'update'>>): Effect | Done {
  const { plan, situation } = step;
  const last = step.trail.at(-1);
  if (!last) return { effect: 'intend-change', ledger: plan.ledger };
  if (last.of === 'intend-change') {
    if (situation.now.monotonic - last.sentAt <= sendDeadlineMs)
      return { effect: 'change', id: plan.id, change: plan.change };
    return { effect: 'close', ledger: untried(ledgerOf(step)) };
  }
  const sent = step.trail.findLast((one) => one.of === 'change');
  if (sent?.of !== 'change') return done({ result: 'conflict' });
  if (!sent.error) {
    const event: Happening = { type: 'Normal', reason: 'Scaling', action: 'Scale', note: `scaling ${plan.summary}` };
    return done({ result: 'waiting', on: 'service', reason: 'Scaling', message: `scaling ${plan.summary}` }, event);
  }
  // A try that the service refused, or never saw, had no chance of an effect: it does not count as one without.
  const refused = sent.error.certainty !== 'open';
  if (refused && last.of === 'change') return { effect: 'close', ledger: untried(ledgerOf(step)) };
  return done(outcomeOfError(sent.error, `scale ${what(step, plan.claim)} (${plan.summary})`));
}

/** The ledger without the last try of its change. */
function untried(ledger: Ledger): Ledger {
  const { change } = ledger;
  if (!change || change.tries <= 1) return closeChange(ledger);
  return { ...ledger, change: { ...change, tries: change.tries - 1 } };
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
