// The step machine of a create: observe, intend, send, record; and what each kind of failure leaves open. PURE.
import type { ServiceError } from '../../../wire/errors/service-error.ts';
import type { UnreadableRow } from '../../client/list/list-view.ts';
import { objectsNamed, privateKindOf, type RemoteObject } from '../kind/kind.ts';
import { closeAttempt, noteRefusal, openAttempt, recordFoundId, recordId, withClaim } from '../ledger/edits.ts';
import { type Claim, currentClaim, type Ledger, openAttempts } from '../ledger/ledger.ts';
import { makeCurrent } from '../ledger/revision-history.ts';
import { unreadableRowOf, unreadableRowText } from '../lists/unreadable-rows.ts';
import { type Outcome, outcomeOfError, refuse } from '../outcome.ts';
import {
  foundClaim,
  isFailedCreateOf,
  kindOf,
  nameConflict,
  ownNamed,
  preferredObject,
} from '../ownership/ownership.ts';
import { anotherRun } from '../plan/runs/run-start.ts';
import { refusalPatienceMs, refusedRetryMs } from '../plan/runs/time-to-fail.ts';
import { progressText, workingText } from '../status/messages.ts';
import { type Done, done, type Effect, type EffectAnswer } from './effects.ts';
import { isHidden, ledgerOf, type PlanOf, type Step, sendDeadlineMs, sideOf, what } from './step.ts';

function iso(wall: number): string {
  return new Date(wall).toISOString();
}

export function nextCreate(step: Step<PlanOf<'create'>>): Effect | Done {
  const last = step.trail.at(-1);
  switch (last?.of) {
    case undefined:
      return isProtectedFirst(step) ? { effect: 'own', ledger: step.plan.ledger } : begin(step);
    case 'own':
      return begin(step);
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

/**
 * Whoever adds the finalizer waits for a deletion that may be under way. Runs of a service are started one after the other, and none waits for that with
 * its turn: what is announced is sent at once, so that a process is seldom killed in between.
 */
function isProtectedFirst({ input }: Step): boolean {
  return input.kind.identity === 'once' && !input.facts.hasFinalizer;
}

function begin(step: Step<PlanOf<'create'>>): Effect {
  return mustObserve(step) ? { effect: 'observe' } : intend(step);
}

/** With an empty ledger nothing can exist, unless it was there before us. Otherwise a LIST begun after our last effect must show neither an object of the name nor a row that may be one. */
function mustObserve(step: Step<PlanOf<'create'>>): boolean {
  const { input, plan } = step;
  const { kind, view } = sideOf(step, plan.claim);
  if (input.facts.neverManaged && kind.identity !== 'given') return false;
  if (!view || unreadableRowOf(kind, view, plan.claim)) return true;
  return view.listSentAt <= (input.memory.lastEffectAt ?? -1) || objectsNamed(kind, view, plan.claim.name).length > 0;
}

/** Only of a run does it matter who announced it: another object is found by its name, or made again. */
function intend({ plan, input }: Step<PlanOf<'create'>>): Effect {
  const by = input.kind.identity === 'once' ? input.process : undefined;
  return { effect: 'pin-and-intend', ledger: openAttempt(plan.ledger, plan.claim, iso(input.now.wall), by) };
}

/** Measured from the start of the intent's write: its time in transit counts. */
function afterIntent(step: Step<PlanOf<'create'>>, last: EffectAnswer): Effect {
  const { now, isSuperseded } = step.input;
  // What it refers to may be about to go, because nobody waits for this request; another resource is creating the object; or its user wants something else.
  if (!isSuperseded && now.monotonic - last.sentAt <= sendDeadlineMs) return { effect: 'post', body: step.plan.body };
  return { effect: 'close', ledger: closeAttempt(ledgerOf(step), step.plan.claim.name) };
}

function postOf(step: Step) {
  return step.trail.findLast((one) => one.of === 'post');
}

function afterPost(step: Step<PlanOf<'create'>>, post: Extract<EffectAnswer, { of: 'post' }>): Effect {
  const { name } = step.plan.claim;
  if ('row' in post)
    return { effect: 'record', ledger: makeCurrent(recordId(ledgerOf(step), name, post.row.id), name) };
  if (post.error.certainty === 'definite') return { effect: 'close', ledger: closeAttempt(ledgerOf(step), name) };
  return { effect: 'observe' };
}

function afterObserve(step: Step<PlanOf<'create'>>, last: Extract<EffectAnswer, { of: 'observe' }>): Effect | Done {
  const post = postOf(step);
  const { claim } = step.plan;
  if (last.error) return afterBlind(step, last.error);
  const found = judge(step, claim);
  if (!post) {
    if (step.input.isSuperseded) return done({ result: 'conflict' });
    if (found) return isRemnant(step, found) ? done({ result: 'requeue' }) : recordFound(step, found);
    const conflict = nameConflict(step.input, claim);
    if (conflict) return done(conflict);
    const doubt = doubtIn(step, claim);
    return doubt ? done(unreadable(step, claim, doubt)) : intend(step);
  }
  if ('row' in post) throw new Error('cannot judge: the create had succeeded');
  const answered = isEnded(step, post.error);
  const noted = refusal(step, post.error);
  const closed = closeAttempt(noted ?? ledgerOf(step), claim.name);
  if (isHeldUnseen(step, post.error, closed)) return refused(step, post.error);
  const left = found !== undefined && answered && isRemnant({ ...step, ledger: closed }, found);
  if (found && !left) return { effect: 'record', ledger: foundAfter(step, post.error, found) };
  // The request was refused, and a later LIST shows what it left: nothing, or a row for the next pass to delete.
  if (answered && !doubtIn(step, claim)) return { effect: 'close', ledger: closed };
  return noted ? { effect: 'close', ledger: noted } : refused(step, post.error);
}

/** Only a LIST shows what a refused create left, so the refusal is remembered until one does. */
function afterBlind(step: Step<PlanOf<'create'>>, error: ServiceError): Effect | Done {
  const post = postOf(step);
  const noted = post && 'error' in post ? refusal(step, post.error) : undefined;
  return noted ? { effect: 'close', ledger: noted } : done(failure(step, error));
}

/** The ledger with the refusal. "Name taken" leaves nothing itself: what has the name is from an earlier attempt. */
function refusal(step: Step<PlanOf<'create'>>, error: ServiceError): Ledger | undefined {
  if (!isEnded(step, error) || error.nameTaken) return undefined;
  return noteRefusal(ledgerOf(step), step.plan.claim.name, iso(step.input.now.wall));
}

/**
 * The answer ends the request. A run is not sent twice, and nothing but its marker would show a second one: there, only a refusal of what
 * was asked for and a redirect count, and not a failure of the service.
 */
function isEnded({ input }: Step, { certainty, status = 0 }: ServiceError): boolean {
  return certainty === 'answered' && (input.kind.identity !== 'once' || (status >= 300 && status < 500));
}

/**
 * The name is taken and no list shows by what. It may be an object of ours that the lists lack for a while: an attempt stays open, so that
 * it is looked for before the name is given up, and during the whole quarantine when the resource is deleted.
 */
function isHeldUnseen(step: Step<PlanOf<'create'>>, error: ServiceError, closed: Ledger): boolean {
  const { plan } = step;
  const { view, kind } = sideOf(step, plan.claim);
  if (kind.identity === 'given') return false;
  const last = openAttempts(closed.claims.find((one) => one.name === plan.claim.name)) === 0;
  return error.nameTaken && last && view !== undefined && objectsNamed(kind, view, plan.claim.name).length === 0;
}

/** In the words of the service, unless another object plainly has the name. */
function refused(step: Step<PlanOf<'create'>>, error: ServiceError): Done {
  const { claim } = step.plan;
  const conflict = error.certainty === 'definite' ? undefined : nameConflict(step.input, claim);
  return done(conflict ?? failure(step, error));
}

/** A run has the name of its resource: its marker is another one in each attempt, so each message would be a new one. */
function subject(step: Step, claim: Claim): string {
  const { kind, facts } = step.input;
  return kind.identity === 'once' ? `${kind.definition.kind} ${facts.key.name}` : what(step, claim);
}

function failure(step: Step<PlanOf<'create'>>, error: ServiceError): Outcome {
  const { claim, body } = step.plan;
  const hidden = claim.role === 'private' ? privateKindOf(step.input.kind) : undefined;
  const invalid = hidden?.invalid(error, body);
  if (invalid !== undefined) return refuse('InvalidSpec', invalid);
  const remedy = sideOf(step, claim).kind.remedy(error, anotherRun(step.input));
  const outcome = outcomeOfError(error, `create ${subject(step, claim)}`, remedy);
  return step.input.kind.identity === 'once' && outcome.result === 'failed' ? ofRun(step, error, outcome) : outcome;
}

/** What is refused is not asked for again at once: each try is another attempt. */
function ofRun({ input }: Step, error: ServiceError, outcome: Extract<Outcome, { result: 'failed' }>): Outcome {
  if (error.certainty !== 'answered') return outcome;
  const failsAfterMs = refusalPatienceMs(error, input);
  const retryAfterMs = Math.max(refusedRetryMs, outcome.retryAfterMs ?? 0);
  return { ...outcome, retryAfterMs, ...(failsAfterMs === undefined ? {} : { failsAfterMs }) };
}

function recordFound({ plan, input }: Step<PlanOf<'create'>>, found: RemoteObject): Effect {
  const claim = foundClaim(input.kind, plan.claim);
  const ledger = recordFoundId(withClaim(plan.ledger, claim), claim.name, found.id);
  return { effect: 'record', ledger: makeCurrent(ledger, claim.name) };
}

/** "Name taken" ends the attempt that received it: the object is from an earlier one. So does any refusal where the id is given. */
function foundAfter(step: Step<PlanOf<'create'>>, error: ServiceError, found: RemoteObject): Ledger {
  const { kind } = step.input;
  const { name } = step.plan.claim;
  const ended = error.nameTaken || (kind.identity === 'given' && error.certainty === 'answered');
  const ledger = ended ? closeAttempt(ledgerOf(step), name) : ledgerOf(step);
  const claims = ledger.claims.map((one) => (one.name === name ? foundClaim(kind, one) : one));
  return makeCurrent(recordFoundId({ ...ledger, claims }, name, found.id), name);
}

/** What a create left although it was refused, judged by the ledger as it is or is about to be. */
function isRemnant({ input, ledger, plan }: Step<PlanOf<'create'>>, found: RemoteObject): boolean {
  const claim = ledger?.claims.find((one) => one.name === plan.claim.name);
  return claim !== undefined && isFailedCreateOf(kindOf(input.kind, claim), claim, found);
}

/** Ours: it has the pinned name, which only this resource can have given, or is proven to be made by it. */
function judge(step: Step, claim: Claim): RemoteObject | undefined {
  const { input } = step;
  return sideOf(step, claim).view && preferredObject(ownNamed(input, claim), claim.id, input.referencedIds);
}

function doubtIn(step: Step, claim: Claim): UnreadableRow | undefined {
  const { kind, view } = sideOf(step, claim);
  if (!view) throw new Error('cannot judge: the service was not looked at');
  return unreadableRowOf(kind, view, claim);
}

function unreadable(step: Step, claim: Claim, doubt: UnreadableRow) {
  const message = `cannot create ${subject(step, claim)}: ${unreadableRowText(doubt)}, so it is not known whether it exists`;
  return { result: 'failed', reason: 'UpstreamError', message, cause: undefined } as const;
}

const madeWords = {
  named: 'created in the service',
  content: 'created in the service',
  /** It was there before. */
  given: 'registered',
  once: 'started in the service',
} as const;

/** What the object replaces: another one, or a run that the service did not say anything of. */
function placeOf({ input, plan }: Step<PlanOf<'create'>>, former: Claim | undefined): string {
  if (former?.id !== undefined) return ` in place of ${former.name}`;
  const isUnknown = input.kind.identity === 'once' && openAttempts(former) > 0 && former?.name !== plan.claim.name;
  return isUnknown ? ` in place of ${former?.name}, whose outcome is unknown` : '';
}

function recorded(step: Step<PlanOf<'create'>>): Done {
  const post = postOf(step);
  const made = post && 'row' in post;
  const former = step.plan.claim.role === 'private' ? undefined : currentClaim(step.plan.ledger);
  const place = placeOf(step, former);
  const note = `${subject(step, step.plan.claim)} was ${made ? madeWords[step.input.kind.identity] : 'found in the service'}${place}`;
  const row = made ? post.row : judge(step, step.plan.claim);
  const { kind } = sideOf(step, step.plan.claim);
  const health = row && kind.health(row);
  const message = health?.state === 'busy' ? workingText(kind, step.plan.claim, health) : note;
  const { kind: own } = step.input;
  const reason = place ? (own.identity === 'once' ? 'Retried' : 'Replaced') : made ? 'Created' : 'Adopted';
  const run = row && own.identity === 'once' ? own.progress(row) : undefined;
  const outcome: Outcome =
    run?.state === 'queued'
      ? { result: 'progressed', reason: 'Queued', message: progressText(run) }
      : { result: 'progressed', reason: 'Provisioning', message };
  if (made && isHidden(step, step.plan.claim)) return done(outcome);
  return done(outcome, { type: 'Normal', reason, action: 'Create', note });
}

function afterClose(step: Step<PlanOf<'create'>>): Done {
  const post = postOf(step);
  if (post && 'error' in post) return refused(step, post.error);
  if (step.input.isSuperseded) return done({ result: 'conflict' });
  const message = 'the API server took too long to record the intent to create; trying again';
  return done({ result: 'waiting', on: 'service', reason: 'Provisioning', message });
}
