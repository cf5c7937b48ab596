// Ends a pass: status where it differs, events where something happened, a line in the log, and when to look again.

import type { RawResource } from '../api/definition.ts';
import { currentClaim } from './ledger/ledger.ts';
import { type Happening, type Outcome, outcomeOfError } from './outcome.ts';
import { isProven } from './ownership/ownership.ts';
import type { Run } from './pass-state.ts';
import { StoreError } from './ports.ts';
import { type Verdict, verdictOf } from './requeue.ts';
import { conditionOf } from './resource/facts.ts';
import { nextStatus, standingOf } from './status/status.ts';
import type { Concluded } from './status/types.ts';
import { type Writing, writing } from './status/write-policy.ts';

/** "Created" and "became ready" are one event when they are no further apart; "deleting" and "deleted", too. */
const quickMs = 60_000;

export async function conclude(run: Run, outcome: Outcome, happenings: readonly Happening[]): Promise<Verdict> {
  countMisses(run, outcome);
  // Seen at work or as wanted, the change had been heard.
  if (outcome.result === 'settled' || (outcome.result === 'waiting' && outcome.on === 'service'))
    run.memory.unansweredChange = false;
  if (outcome.result === 'settled') {
    run.memory.settledGeneration = run.facts.generation;
    run.memory.settledAt = run.ports.clock.monotonic();
    run.memory.generationSeen = undefined;
    run.memory.sentChange = undefined;
  }
  const concluded = concludedOf(run, outcome);
  const written = await writeStatus(run, concluded);
  const final = written.failure ? concludedOf(run, written.failure) : concluded;
  if (!written.failure) tell(run, concluded, happenings);
  log(run, final.outcome, happenings);
  return verdictOf(final, {
    steadyMs: run.steadyMs(),
    look: run.look(),
    effected: run.effected && run.acting === run.kind,
    writing: written.writing,
  });
}

function concludedOf(run: Run, outcome: Outcome): Concluded {
  const { kind, facts, ledger, memory } = run;
  const claim = currentClaim(ledger);
  const id = claim?.id;
  const seen = id === undefined ? undefined : run.view?.byId(id);
  const answered = run.answered?.id === id ? run.answered : undefined;
  // What a forged ledger names is not shown to whoever forged it.
  const remote = seen && claim && isProven(run.situation(run.kind), claim, seen) ? seen : undefined;
  return {
    kind,
    facts,
    outcome,
    ledger,
    remote: answered ?? remote,
    resolutions: run.resolutions,
    memory,
    now: run.now(),
  };
}

function countMisses({ memory, ports }: Run, outcome: Outcome): void {
  if (outcome.result === 'failed' && outcome.observing) {
    memory.missedPolls = {
      count: (memory.missedPolls?.count ?? 0) + 1,
      since: memory.missedPolls?.since ?? ports.clock.monotonic(),
    };
  } else if (outcome.result !== 'unpermitted' && outcome.result !== 'conflict') memory.missedPolls = undefined;
}

/** A failed status write ends the pass as that failure; what was done is in the ledger and will be said then. */
async function writeStatus(
  run: Run,
  concluded: Concluded,
): Promise<{ readonly writing?: Writing; readonly failure?: Outcome }> {
  const status = nextStatus(concluded);
  if (!status) return {};
  const decision = writing(concluded, status);
  if (decision.write !== 'now') return { writing: decision };
  try {
    run.wrote(await run.ports.store.writeStatus(run.resource, status));
    run.memory.lastStatusWriteAt = run.ports.clock.monotonic();
    return { writing: decision };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.category !== 'conflict' && error.category !== 'gone') logFailure(run, error);
    return { failure: outcomeOfError(error) };
  }
}

/** Says in status that a new generation is being worked on, before anything slow is done for it (status.md rule 4). */
export async function announce(run: Run, outcome: Outcome): Promise<void> {
  const { facts, ports } = run;
  if (facts.observedGeneration === -1 || facts.observedGeneration === facts.generation) return;
  const status = nextStatus(concludedOf(run, outcome));
  if (!status) return;
  run.wrote(await ports.store.writeStatus(run.resource, status));
  run.memory.lastStatusWriteAt = ports.clock.monotonic();
}

// --- events ------------------------------------------------------------------------------------------------------------

/** What is told only when it ends, or when it takes long. */
const begins: readonly string[] = ['Created', 'Replaced', 'Deleting'];

function tell(run: Run, concluded: Concluded, happenings: readonly Happening[]): void {
  const { facts } = concluded;
  for (const one of happenings) happened(run, one);
  const standing = standingOf(concluded);
  const before = conditionOf(facts, 'Ready');
  if (standing?.state === 'ready') becameReady(run, before?.status === 'True');
  else if (!isQuick(run) || standing?.state === 'stalled') tellBegun(run);
  if (standing?.state !== 'stalled' && standing?.state !== 'retrying' && standing?.state !== 'unobserved') return;
  const reason = standing.state === 'unobserved' ? 'ObservationFailed' : standing.reason;
  if (before?.reason === reason && before.status !== 'True') return;
  emit(run, { type: 'Warning', reason, action: facts.deleting ? 'Delete' : 'Observe', note: standing.message });
}

function happened(run: Run, happening: Happening): void {
  const { memory, ports } = run;
  const ends = happening.reason === 'Deleted' && memory.begun?.happening.reason === 'Deleting' && isQuick(run);
  if (ends) memory.begun = undefined;
  else tellBegun(run);
  if (begins.includes(happening.reason)) memory.begun = { at: ports.clock.monotonic(), happening };
  else emit(run, happening);
}

function isQuick({ memory, ports }: Run): boolean {
  return memory.begun !== undefined && ports.clock.monotonic() - memory.begun.at < quickMs;
}

function becameReady(run: Run, wasReady: boolean): void {
  const { happening } = run.memory.begun ?? {};
  const quick = isQuick(run);
  run.memory.begun = undefined;
  if (wasReady) return;
  if (happening && !quick) emit(run, happening);
  const note = quick ? `${happening?.note}, and is ready` : 'ready: the service has what the spec asks for';
  // Who edited it wants to find what came of that, and not only that all is well.
  if (quick && happening?.reason === 'Replaced') emit(run, { ...happening, note });
  else emit(run, { type: 'Normal', reason: 'Available', action: 'Observe', note });
}

function tellBegun(run: Run): void {
  const { happening } = run.memory.begun ?? {};
  run.memory.begun = undefined;
  if (happening) emit(run, happening);
}

interface Telling {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

function emit(run: Run, telling: Telling): void {
  run.ports.events.emit({ regarding: run.resource, ...telling });
}

// --- log ---------------------------------------------------------------------------------------------------------------

function fieldsOf(run: Run, resource: RawResource) {
  const { kind, namespace, name } = run.facts.key;
  const externalId = currentClaim(run.ledger)?.id;
  return {
    kind,
    namespace,
    name,
    generation: resource.metadata.generation,
    ...(externalId === undefined ? {} : { externalId }),
  };
}

function log(run: Run, concluded: Outcome, happenings: readonly Happening[]): void {
  const outcome = (concluded.result === 'settled' && concluded.tidying) || concluded;
  const durationMs = Math.round(run.ports.clock.monotonic() - run.startedAt);
  const fields = { ...fieldsOf(run, run.resource), outcome: outcome.result, durationMs };
  const { log: to } = run.ports;
  if (outcome.result === 'failed') {
    if (outcome.reason === 'InternalError') to.error({ ...fields, err: outcome.cause }, outcome.message);
    else to.warn(fields, outcome.message);
  } else if (outcome.result === 'refused') to.info(fields, `${outcome.reason}: ${outcome.message}`);
  else {
    const words = happenings.at(-1)?.note ?? ('message' in outcome ? outcome.message : outcome.result);
    to[run.effected ? 'info' : 'debug'](fields, words);
  }
}

function logFailure(run: Run, error: StoreError): void {
  run.ports.log.error({ ...fieldsOf(run, run.resource), err: error }, error.message);
}
