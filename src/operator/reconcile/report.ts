// Ends a pass: writes status where it differs, emits events, logs one line, and decides when the next pass follows.
import type { RawResource } from '../api/definition.ts';
import { currentClaim, ledgerIn } from './ledger/ledger.ts';
import { type Blocker, isQuiet, type Outcome, outcomeOfError, type PassEvent } from './outcome.ts';
import { isProven } from './ownership/ownership.ts';
import { type EventNote, StoreError } from './pass-ports.ts';
import type { PassState } from './pass-state.ts';
import { adoptionText, observedLedger } from './plan/plan-adoption.ts';
import type { PassResult } from './plan-input.ts';
import { type Requeue, requeueOf } from './requeue.ts';
import { expiringText } from './resource/lifecycle.ts';
import { conditionOf } from './resource/read-conditions.ts';
import type { Standing } from './status/conditions.ts';
import { standingOf } from './status/standing.ts';
import { nextStatus } from './status/status.ts';
import { type StatusWrite, statusWriteOf } from './status/write-policy.ts';

/** Of what the service does at once, "created" and "became ready" within this time are one event; so are "deleting" and "deleted". */
const quickMs = 15_000;

export async function report(pass: PassState, outcome: Outcome, events: readonly PassEvent[]): Promise<Requeue> {
  countMisses(pass, outcome);
  // Seen at work or as wanted, the change had been received.
  if (outcome.result === 'settled' || (outcome.result === 'waiting' && outcome.on === 'service'))
    pass.memory.unansweredChange = false;
  if (outcome.result === 'settled') {
    pass.memory.settledGeneration = pass.facts.generation;
    pass.memory.settledAt = pass.ports.clock.monotonic();
    pass.memory.generationSeen = undefined;
    pass.memory.sentChange = undefined;
  }
  const result = resultOf(pass, outcome);
  const written = await writeStatus(pass, result);
  const final = written.failure ? resultOf(pass, written.failure) : result;
  if (written.writing?.write === 'now') emitAdopted(pass, result);
  if (!written.failure) emitEvents(pass, result, events);
  log(pass, final.outcome, events);
  return requeueOf(final, {
    steadyMs: pass.steadyMs(),
    sharedPoll: pass.sharedPoll(),
    hasSentWrite: pass.wrote === pass.kind,
    statusWrite: written.writing,
    aloneMs: pass.aloneMs,
  });
}

function resultOf(pass: PassState, outcome: Outcome): PassResult {
  const { kind, facts, memory } = pass;
  const ledger = pass.ledger ?? observedLedger(pass.planInput());
  const claim = currentClaim(ledger);
  const id = claim?.id;
  const seen = id === undefined ? undefined : pass.view?.byId(id);
  const answered = pass.answered?.id === id ? pass.answered : undefined;
  // Whoever forged a ledger is not shown what it names.
  const remote = seen && claim && isProven(pass.planInput(ledger), claim, seen) ? seen : undefined;
  return {
    kind,
    facts,
    outcome,
    ledger,
    remote: answered ?? remote,
    resolutions: pass.resolutions,
    memory,
    now: pass.now(),
    lifecycle: pass.lifecycle,
  };
}

function countMisses({ memory, ports }: PassState, outcome: Outcome): void {
  if (outcome.result === 'failed' && outcome.observing) {
    memory.missedPolls = {
      count: (memory.missedPolls?.count ?? 0) + 1,
      since: memory.missedPolls?.since ?? ports.clock.monotonic(),
    };
  } else if (!isQuiet(outcome)) memory.missedPolls = undefined;
}

/** A failed status write ends the pass as that failure; what was done is in the ledger and is reported later. */
async function writeStatus(
  pass: PassState,
  result: PassResult,
): Promise<{ readonly writing?: StatusWrite; readonly failure?: Outcome }> {
  const status = nextStatus(result);
  if (!status) return {};
  const decision = statusWriteOf(result, status);
  if (decision.write !== 'now') return { writing: decision };
  try {
    pass.resourceWritten(await pass.ports.store.writeStatus(pass.resource, status));
    pass.memory.lastStatusWriteAt = pass.ports.clock.monotonic();
    return { writing: decision };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.category !== 'conflict' && error.category !== 'gone') logFailure(pass, error);
    return { failure: outcomeOfError(error) };
  }
}

/** Writes in status that a new generation is being worked on, before anything slow is done for it (status.md rule 4). */
export async function writeEarlyStatus(pass: PassState, outcome: Outcome): Promise<void> {
  const { facts, ports } = pass;
  if (facts.observedGeneration === -1 || facts.observedGeneration === facts.generation) return;
  const status = nextStatus(resultOf(pass, outcome));
  if (!status) return;
  pass.resourceWritten(await ports.store.writeStatus(pass.resource, status));
  pass.memory.lastStatusWriteAt = ports.clock.monotonic();
}

// --- events ------------------------------------------------------------------------------------------------------------

/** Events that are held back until the create or deletion ends or takes long, so that a quick one emits one event. */
const begins: readonly string[] = ['Created', 'Replaced', 'Deleting'];

function emitEvents(pass: PassState, result: PassResult, events: readonly PassEvent[]): void {
  const { facts } = result;
  for (const one of events) emitOrHoldBack(pass, one);
  emitDeletionBlocked(pass, result);
  emitPlan(pass, result);
  emitExpiring(pass, result);
  const standing = standingOf(result);
  const before = conditionOf(facts, 'Ready');
  if (standing?.state === 'ready') becameReady(pass, before?.status === 'True', standing);
  else if (!isQuick(pass) || standing?.state === 'stalled') emitHeldBack(pass);
  if (standing?.state !== 'stalled' && standing?.state !== 'retrying' && standing?.state !== 'unobserved') return;
  const reason = standing.state === 'unobserved' ? 'ObservationFailed' : standing.reason;
  if (before?.reason === reason && before.status !== 'True') return;
  emit(pass, { type: 'Warning', reason, action: facts.deleting ? 'Delete' : 'Observe', note: standing.message });
}

/** With the first status that has a copy of the ledger: from then on, the spec need not state what is adopted. */
function emitAdopted(pass: PassState, { facts, kind, ledger }: PassResult): void {
  const note = adoptionText(kind, ledger);
  if (note === undefined) return;
  const { ledger: before } = (facts.resource.status ?? {}) as { readonly ledger?: unknown };
  const isTold = typeof before === 'string' && ledgerIn(before)?.adopted === ledger?.adopted;
  if (isTold || facts.deleting || facts.ledger.state !== 'ours' || facts.foreign.length > 0) return;
  emit(pass, { type: 'Normal', reason: 'Adopted', action: 'Observe', note });
}

/** Once for each deadline that comes near, and once when it is held back. */
function emitExpiring(pass: PassState, { facts, lifecycle }: PassResult): void {
  const note = lifecycle && expiringText(lifecycle);
  // What is due is not announced any more.
  if (note === undefined || lifecycle?.isDue || conditionOf(facts, 'Expiring')?.message === note) return;
  if (lifecycle?.isHeld) emit(pass, { type: 'Warning', reason: 'ExpiryHeld', action: 'Delete', note });
  else emit(pass, { type: 'Normal', reason: 'Expiring', action: 'Observe', note });
}

/** Once, when the deletion begins to wait for them. */
function emitDeletionBlocked(pass: PassState, { facts, outcome }: PassResult): void {
  if (!facts.deleting || outcome.result !== 'waiting' || outcome.on !== 'kubernetes') return;
  const { blockedOn: before = [] } = (facts.resource.status ?? {}) as { readonly blockedOn?: readonly Blocker[] };
  const isInUse = ({ reason }: Pick<Blocker, 'reason'>): boolean => reason === 'InUse';
  if (outcome.blockedOn?.some(isInUse) !== true || before.some(isInUse)) return;
  emit(pass, { type: 'Warning', reason: 'DeletionBlocked', action: 'Delete', note: outcome.message });
}

/** Once for each plan, and once for each approval that is ignored: the message that says so is in the status until another one is. */
function emitPlan(pass: PassState, { facts, outcome }: PassResult): void {
  if (!('plan' in outcome) || outcome.plan === undefined) return;
  const { message: note, plan } = outcome;
  const ignored = 'ignored' in outcome ? outcome.ignored : undefined;
  const { plan: before } = (facts.resource.status ?? {}) as { readonly plan?: { readonly hash?: string } };
  const isTold = ignored === undefined || conditionOf(facts, 'Ready')?.message.includes(ignored) === true;
  if (!isTold) emit(pass, { type: 'Warning', reason: 'PlanChanged', action: 'Observe', note });
  else if (before?.hash !== plan.hash) emit(pass, { type: 'Normal', reason: 'PlanPending', action: 'Observe', note });
}

function emitOrHoldBack(pass: PassState, event: PassEvent): void {
  const { memory, ports } = pass;
  const ends = event.reason === 'Deleted' && memory.begun?.event.reason === 'Deleting' && isQuick(pass);
  if (ends) memory.begun = undefined;
  else emitHeldBack(pass);
  if (begins.includes(event.reason) && !takesTime(pass)) memory.begun = { at: ports.clock.monotonic(), event };
  else emit(pass, event);
}

/** The service works on a cluster or a run for a while, also to stop it, so the event of its beginning is emitted at once. */
function takesTime({ kind: { identity } }: PassState): boolean {
  return identity === 'named' || identity === 'once';
}

function isQuick({ memory, ports }: PassState): boolean {
  return memory.begun !== undefined && ports.clock.monotonic() - memory.begun.at < quickMs;
}

type Ready = Pick<Extract<Standing, { readonly state: 'ready' }>, 'reason' | 'message'>;

function becameReady(pass: PassState, wasReady: boolean, { reason, message }: Ready): void {
  const { event } = pass.memory.begun ?? {};
  const quick = isQuick(pass);
  pass.memory.begun = undefined;
  if (wasReady) return;
  if (event && !quick) emit(pass, event);
  if (reason === 'Succeeded') {
    const note = quick ? `${event?.note}: ${message}` : message;
    return emit(pass, { type: 'Normal', reason, action: 'Observe', note });
  }
  const note = quick ? `${event?.note}, and is ready` : 'ready: the service has what the spec asks for';
  // Who edited it wants to find what came of the edit, and not only that it is ready.
  if (quick && event?.reason === 'Replaced') emit(pass, { ...event, note });
  else emit(pass, { type: 'Normal', reason: 'Available', action: 'Observe', note });
}

function emitHeldBack(pass: PassState): void {
  const { event } = pass.memory.begun ?? {};
  pass.memory.begun = undefined;
  if (event) emit(pass, event);
}

function emit(pass: PassState, event: Omit<EventNote, 'regarding'>): void {
  pass.ports.events.emit({ regarding: pass.resource, ...event });
}

// --- log ---------------------------------------------------------------------------------------------------------------

function fieldsOf(pass: PassState, resource: RawResource) {
  const { kind, namespace, name } = pass.facts.key;
  const externalId = currentClaim(pass.ledger)?.id;
  return {
    kind,
    namespace,
    name,
    generation: resource.metadata.generation,
    ...(externalId === undefined ? {} : { externalId }),
  };
}

function log(pass: PassState, result: Outcome, events: readonly PassEvent[]): void {
  const outcome = (result.result === 'settled' && result.tidying) || result;
  const durationMs = Math.round(pass.ports.clock.monotonic() - pass.startedAt);
  const fields = { ...fieldsOf(pass, pass.resource), outcome: outcome.result, durationMs };
  const { log: to } = pass.ports;
  if (outcome.result === 'failed') {
    if (outcome.reason === 'InternalError') to.error({ ...fields, err: outcome.cause }, outcome.message);
    else to.warn(fields, outcome.message);
  } else if (outcome.result === 'refused') to.info(fields, `${outcome.reason}: ${outcome.message}`);
  else {
    const words = events.at(-1)?.note ?? ('message' in outcome ? outcome.message : outcome.result);
    // Kubernetes may refuse the event of what is left behind, as it does in a namespace that is being deleted.
    to[pass.wrote || events.some(({ type }) => type === 'Warning') ? 'info' : 'debug'](fields, words);
  }
}

function logFailure(pass: PassState, error: StoreError): void {
  pass.ports.log.error({ ...fieldsOf(pass, pass.resource), err: error }, error.message);
}
