// Carries out one plan: asks the protocol for the next effect, performs it, and hands the answer back, until it is done.

import type { Permit } from '../../client/throttle/budget.ts';
import { noteChange, noteDelete } from '../key-memory.ts';
import type { Call } from '../kind.ts';
import { type Claim, type Ledger, serialiseLedger } from '../ledger/ledger.ts';
import { usersOf } from '../observe/referrers.ts';
import { kindOf } from '../ownership/ownership.ts';
import type { Run } from '../pass-state.ts';
import type { Plan } from '../plan/types.ts';
import { keyOf, keyText, StoreError } from '../ports.ts';
import { type Answer, type Done, done, type Effect, type LedgerWrite } from '../protocol/effects.ts';
import { next } from '../protocol/protocol.ts';
import { observe, serviceError, sight, survey, usable } from './reads.ts';

/** How long a pass waits for a send permit before it gives its place to others. */
const permitWaitMs = 100;
/** No sequence is longer; one that is would be a bug of the protocol. */
const longestSequence = 24;
/** A ledger write that says what happened is repeated, with the new version of the object, so often. */
const recordTries = 5;

export async function drive(run: Run, plan: Plan): Promise<Done> {
  run.acting = kindOf(run.kind, claimOf(plan));
  const trail: Answer[] = [];
  let permit: Permit | undefined;
  try {
    while (trail.length < longestSequence) {
      const step = next({ plan, ledger: run.ledger, situation: run.situation(), trail });
      if (step.effect === 'done') return step;
      // Permit first, then intent, then the request: so that the intent's two seconds are not spent queueing.
      if (opensWrite(step)) {
        if (!run.ports.leadership.leading()) return done({ result: 'conflict' });
        permit ??= await takePermit(run);
        if (!permit) return done({ result: 'unpermitted' });
      }
      trail.push(await perform(run, step, permit));
      if (closesWrite(step)) permit?.release();
    }
  } finally {
    permit?.release();
  }
  throw new Error(`cannot finish a ${plan.action}: the protocol did not end after ${longestSequence} effects`);
}

/** A sequence is about objects of one route. */
function claimOf(plan: Plan): Claim | undefined {
  if ('claims' in plan) return plan.claims[0];
  return 'claim' in plan ? plan.claim : undefined;
}

function opensWrite({ effect }: Effect): boolean {
  return effect === 'pin-and-intend' || effect === 'intend-change' || effect === 'delete';
}

/** The permit goes back before the next read: a read takes one of its own. */
function closesWrite({ effect }: Effect): boolean {
  return effect === 'post' || effect === 'change' || effect === 'delete';
}

async function takePermit(run: Run): Promise<Permit | undefined> {
  if (run.service.state !== 'usable') return undefined;
  const user = keyText(run.facts.key);
  return run.service.service.budget.take({ user, withinMs: permitWaitMs, signal: run.context.signal });
}

async function perform(run: Run, effect: Effect, permit: Permit | undefined): Promise<Answer> {
  const sentAt = run.ports.clock.monotonic();
  switch (effect.effect) {
    case 'observe':
      return observe(run, sentAt);
    case 'survey':
      return survey(run, sentAt);
    case 'sight':
      return sight(run, effect.id, sentAt);
    case 'pin-and-intend':
    case 'intend-change':
    case 'own':
    case 'record':
    case 'close':
      await writeLedger(run, effect.ledger, effect.effect);
      return { of: effect.effect, sentAt, at: run.ports.clock.monotonic() };
    case 'release':
      await run.ports.store.release(run.resource);
      return { of: 'release', sentAt, at: run.ports.clock.monotonic() };
    case 'post':
    case 'change':
    case 'delete':
      return write(run, effect, call(run, permit));
  }
}

function call(run: Run, permit: Permit | undefined): Call {
  if (!permit) throw new Error('cannot write to the service: there is no permit');
  // A replica that may have lost the lease writes nothing any more.
  if (!run.ports.leadership.leading())
    throw new StoreError('conflict', 'cannot write to the service: another replica may lead');
  return { permit, signal: run.context.signal };
}

async function write(
  run: Run,
  effect: Extract<Effect, { effect: 'post' | 'change' | 'delete' }>,
  how: Call,
): Promise<Answer> {
  const { acting, memory, ports } = run;
  const external = acting.external(usable(run));
  const sentAt = ports.clock.monotonic();
  run.effected = true;
  const ended = () => {
    memory.lastEffectAt = ports.clock.monotonic();
    return memory.lastEffectAt;
  };
  try {
    if (effect.effect === 'post') {
      run.answered = await external.create(effect.body, how);
      return { of: 'post', sentAt, at: ended(), row: run.answered };
    }
    if (effect.effect === 'delete') await external.remove(effect.id, how);
    else run.answered = await external.change?.(effect.id, effect.change, how);
    if (effect.effect === 'delete') noteDelete(memory, effect.id, { at: ended() });
    else noteChange(memory, run.ledger?.change);
    return { of: effect.effect, sentAt, at: ended() };
  } catch (error) {
    const failure = serviceError(error);
    if (effect.effect === 'delete' && failure.certainty === 'open')
      noteDelete(memory, effect.id, { at: ended(), lost: failure.why });
    if (effect.effect === 'change') noteChange(memory, run.ledger?.change, failure.certainty);
    const answer = { sentAt, at: ended(), error: failure };
    if (effect.effect !== 'delete' || !failure.inUse) return { of: effect.effect, ...answer } as Answer;
    return { of: 'delete', ...answer, users: await usersOf(run, effect.id) };
  }
}

async function writeLedger(run: Run, ledger: Ledger, effect: LedgerWrite): Promise<void> {
  const { store } = run.ports;
  const text = serialiseLedger(ledger);
  if (effect !== 'record' && effect !== 'close') {
    run.wrote(await store.claim(run.resource, text));
    return;
  }
  // What happened stays true when somebody wrote in between: say it of the new version, as long as the ledger is as we left it.
  for (let tries = 1; ; tries += 1) {
    try {
      run.wrote(await store.claim(run.resource, text));
      return;
    } catch (error) {
      if (!(error instanceof StoreError) || error.category !== 'conflict' || tries >= recordTries) throw error;
      await reread(run, error);
    }
  }
}

async function reread(run: Run, conflict: StoreError): Promise<void> {
  const before = run.ledger;
  const { uid } = run.resource.metadata;
  const fresh = await run.ports.store.readFresh(keyOf(run.resource));
  if (!fresh || fresh.metadata.uid !== uid) throw conflict;
  run.wrote(fresh);
  if (JSON.stringify(run.ledger) !== JSON.stringify(before)) throw conflict;
}
