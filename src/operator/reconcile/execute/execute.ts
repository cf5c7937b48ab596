// Carries out a plan: asks the protocol for the next effect, performs it and hands the answer back, until it is done.
import type { Certainty } from '../../../wire/errors/service-error.ts';
import { routes } from '../../../wire/routes.ts';
import type { Permit } from '../../client/throttle/budget.ts';
import { noteChange, noteDelete, noteIntent } from '../key-memory.ts';
import type { ObjectKind } from '../kind/kind.ts';
import { type Claim, type Ledger, serialiseLedger } from '../ledger/ledger.ts';
import { referringUsers, usersOf } from '../observe/referrers.ts';
import { remoteUsersOf } from '../observe/remote-users.ts';
import { isInUse } from '../observe/use.ts';
import type { Outcome } from '../outcome.ts';
import { kindOf } from '../ownership/ownership.ts';
import { keyOf, type NewObject, StoreError } from '../pass-ports.ts';
import type { PassState } from '../pass-state.ts';
import type { Plan } from '../plan/next-step.ts';
import { type Done, done, type Effect, type EffectAnswer, type LedgerWrite } from '../protocol/effects.ts';
import { next } from '../protocol/protocol.ts';
import { isUnrecorded, scheduleKind, scheduleOwnerOf } from '../resource/scheduled.ts';
import { WritePermits } from './permits.ts';
import { getById, listReferrers, listRestMs, observe, serviceError, usable } from './reads.ts';

/** Limit on effects: a longer sequence would be a bug of the protocol. */
const longestSequence = 24;
/** How often to look whether a JobSchedule has recorded a time, which takes it one pass. */
const unrecordedMs = 2_000;
/** Tries of a ledger write that records what happened, each with the new version of the object. */
const recordTries = 5;

export async function execute(pass: PassState, plan: Plan): Promise<Done> {
  const kind = kindOf(pass.kind, claimOf(plan));
  const trail: EffectAnswer[] = [];
  const isStart = plan.action === 'create' && kind.identity === 'once';
  const permits = new WritePermits(pass, { isStart });
  try {
    while (trail.length < longestSequence) {
      const step = next({ plan, ledger: pass.ledger, input: pass.planInput(), trail });
      if (step.effect === 'done') return step;
      if (step.effect === 'release' && isUnrecordedNow(pass)) return done(waitForSchedule(pass));
      const restMs = step.effect === 'observe' && step.unhurried ? listRestMs(pass, kind) : 0;
      if (restMs > 0) return done({ result: 'requeue', afterMs: restMs });
      // Something has come to use it since the plan was made.
      if ('onlyIdle' in plan && plan.onlyIdle && isInUse(pass) !== false) return done({ result: 'requeue' });
      // First the permit, then the intent, then the request: the two seconds after the intent are not spent in a queue.
      if (opensWrite(step)) {
        const obstacle = await permits.acquire();
        if (obstacle) return done(obstacle);
      }
      if (step.effect === 'delete' && (await isDeleteOutdated(pass, plan))) return done({ result: 'conflict' });
      const answer = await perform({ pass, plan, kind, permit: permits.permit }, step);
      if (answer.of === 'delete' && answer.error?.isOutdated) return done({ result: 'conflict' });
      trail.push(answer);
      if (closesWrite(step)) permits.release();
    }
  } finally {
    permits.release();
  }
  throw new Error(`cannot finish a ${plan.action}: the protocol did not end after ${longestSequence} effects`);
}

/**
 * The ledger announces no DELETE, so no write conflicts with a version that forbids it, however long the lists before it took. Nor with a resource that has
 * come to use the object since the plan was made.
 */
async function isDeleteOutdated(pass: PassState, plan: Plan): Promise<boolean> {
  if (plan.action === 'delete' && (await referringUsers(pass)).length > 0) return true;
  return pass.isOutdated;
}

/** All objects of a sequence are of one route. */
function claimOf(plan: Plan): Claim | undefined {
  if ('claims' in plan) return plan.claims[0];
  return 'claim' in plan ? plan.claim : undefined;
}

function opensWrite({ effect }: Effect): boolean {
  return effect === 'pin-and-intend' || effect === 'intend-change' || effect === 'delete';
}

/** The permit is returned before the next read, which takes one of its own. */
function closesWrite({ effect }: Effect): boolean {
  return effect === 'post' || effect === 'change' || effect === 'delete';
}

/** A sequence in progress. `kind`: of the objects that it works on. */
interface Sequence {
  readonly pass: PassState;
  readonly plan: Plan;
  readonly kind: ObjectKind;
  readonly permit: Permit | undefined;
}

async function perform({ pass, plan, kind, permit }: Sequence, effect: Effect): Promise<EffectAnswer> {
  const sentAt = pass.ports.clock.monotonic();
  switch (effect.effect) {
    case 'observe':
      return observe(pass, kind, sentAt);
    case 'list-referrers':
      return listReferrers(pass, kind, sentAt);
    case 'get-by-id':
      return getById(pass, kind, { id: effect.id, sentAt });
    case 'pin-and-intend':
      noteIntent(pass.memory, intended(effect.ledger, plan), 'unsent');
      return ledgerWritten(pass, effect, sentAt);
    case 'intend-change':
    case 'own':
    case 'record':
    case 'close':
      return ledgerWritten(pass, effect, sentAt);
    case 'release':
      await pass.ports.store.release(pass.resource);
      return { of: 'release', sentAt, at: pass.ports.clock.monotonic() };
    case 'provide':
      requireLead(pass, 'create an object');
      return { of: 'provide', sentAt, ...(await provide(pass, effect.object)), at: pass.ports.clock.monotonic() };
    case 'discard':
      requireLead(pass, 'delete an object');
      await pass.ports.store.remove(effect.owned);
      return { of: 'discard', sentAt, at: pass.ports.clock.monotonic() };
    case 'expire':
      requireLead(pass, 'delete the object');
      if (isUnrecordedNow(pass))
        throw new StoreError('conflict', 'cannot delete the object: its JobSchedule has not recorded its time yet');
      await pass.ports.store.remove(pass.resource);
      return { of: 'expire', sentAt, at: pass.ports.clock.monotonic() };
    case 'post':
    case 'change':
    case 'delete':
      return write(pass, kind, { effect, permit: permitToSend(pass, permit), claim: intended(pass.ledger, plan) });
  }
}

function requireLead({ ports }: PassState, doing: string): void {
  if (!ports.leadership.leading()) throw new StoreError('conflict', `cannot ${doing}: another replica may lead`);
}

function isUnrecordedNow({ ports, resource }: PassState): boolean {
  return isUnrecorded(resource, ports.clock.wall(), (key) => ports.store.read(key));
}

/** Else the JobSchedule would create another execution for the same time, which would run a second time. */
function waitForSchedule({ resource }: PassState): Outcome {
  const name = scheduleOwnerOf(resource)?.name ?? '';
  const message = `waiting for JobSchedule ${name} to record the scheduled time of this execution, which would run again otherwise. Deleting the JobSchedule ends the wait`;
  const blocker = { kind: scheduleKind, name, reason: 'DependencyNotReady', message } as const;
  return { result: 'waiting', on: 'time', reason: 'Deleting', message, blockedOn: [blocker], afterMs: unrecordedMs };
}

type Provided =
  | { readonly refusal: string; readonly category: 'invalid' | 'forbidden' }
  | { readonly result: 'created' | 'exists' };

async function provide({ ports }: PassState, object: NewObject): Promise<Provided> {
  try {
    return { result: await ports.store.create(object) };
  } catch (error) {
    // By the schema, a quota, an admission policy or RBAC: only the user can help.
    if (error instanceof StoreError && (error.category === 'invalid' || error.category === 'forbidden'))
      return { refusal: error.message, category: error.category };
    throw error;
  }
}

/** Asked again with the connection open: a login or a connection may have taken long. */
function isStillWanted(pass: PassState, { effect }: Effect): boolean {
  return effect === 'delete' ? !pass.isOutdated : !pass.isSuperseded;
}

/** Throws unless a write may be sent now. */
function permitToSend(pass: PassState, permit: Permit | undefined): Permit {
  if (!permit) throw new Error('cannot write to the service: there is no permit');
  // A replica that may have lost the lease does not write.
  if (!pass.ports.leadership.leading())
    throw new StoreError('conflict', 'cannot write to the service: another replica may lead');
  return permit;
}

interface Write {
  readonly effect: Extract<Effect, { effect: 'post' | 'change' | 'delete' }>;
  readonly permit: Permit;
  /** What is created, with its attempts. */
  readonly claim: Claim | undefined;
}

async function write(
  pass: PassState,
  kind: ObjectKind,
  { effect, permit: given, claim }: Write,
): Promise<EffectAnswer> {
  const { memory, ports } = pass;
  const service = usable(pass);
  const sentAt = ports.clock.monotonic();
  const permit: Permit = { ...given, isStillWanted: () => isStillWanted(pass, effect) };
  pass.wrote = kind;
  const ended = (certainty: Certainty = 'answered') => {
    memory.lastEffectAt = ports.clock.monotonic();
    if (effect.effect === 'post' && kind.identity === 'once') service.starts.ended(certainty);
    return memory.lastEffectAt;
  };
  try {
    if (effect.effect === 'post') {
      noteIntent(memory, claim, 'sent');
      pass.answered = await kind.create(service, effect.body, permit);
      return { of: 'post', sentAt, at: ended(), row: pass.answered };
    }
    if (effect.effect === 'delete') await service.remove(routes[kind.route], effect.id, permit);
    else pass.answered = await changing(kind).sendChange(service, effect.id, effect.change, permit);
    if (effect.effect === 'delete') noteDelete(memory, effect.id, { at: ended() });
    else noteChange(memory, pass.ledger?.change);
    return { of: effect.effect, sentAt, at: ended() };
  } catch (error) {
    const failure = serviceError(error);
    // Should its close not be recorded, the next pass still knows.
    if (effect.effect === 'post' && failure.certainty === 'definite') noteIntent(memory, claim, 'unsent');
    if (effect.effect === 'delete' && failure.certainty === 'open')
      noteDelete(memory, effect.id, { at: ended(), lost: failure.why });
    if (effect.effect === 'change') noteChange(memory, pass.ledger?.change, failure.certainty);
    const answer = { sentAt, at: ended(failure.certainty), error: failure };
    if (effect.effect !== 'delete' || !failure.inUse) return { of: effect.effect, ...answer } as EffectAnswer;
    const users = await usersOf(pass, effect.id);
    const remoteUsers = users.length > 0 ? [] : await remoteUsersOf(pass, kind, effect.id);
    return { of: 'delete', ...answer, users, remoteUsers };
  }
}

/** Only kinds whose objects change plan a change. */
function changing(kind: ObjectKind) {
  if (kind.identity === 'content' || kind.identity === 'private')
    throw new Error(`cannot change a ${kind.definition.kind}`);
  return kind;
}

function intended(ledger: Ledger | undefined, plan: Plan): Claim | undefined {
  const name = claimOf(plan)?.name;
  return ledger?.claims.find((one) => one.name === name);
}

type WritesLedger = Extract<Effect, { readonly effect: LedgerWrite }>;

async function ledgerWritten(pass: PassState, effect: WritesLedger, sentAt: number): Promise<EffectAnswer> {
  await writeLedger(pass, effect.ledger, effect.effect);
  return { of: effect.effect, sentAt, at: pass.ports.clock.monotonic() };
}

async function writeLedger(pass: PassState, ledger: Ledger, effect: LedgerWrite): Promise<void> {
  const { store } = pass.ports;
  const text = serialiseLedger(ledger);
  if (effect !== 'record' && effect !== 'close') {
    pass.resourceWritten(await store.claim(pass.resource, text));
    return;
  }
  // What happened stays true if another client wrote in between: it is recorded in the new version, provided that the ledger is as we left it.
  for (let tries = 1; ; tries += 1) {
    try {
      pass.resourceWritten(await store.claim(pass.resource, text));
      return;
    } catch (error) {
      if (!(error instanceof StoreError) || error.category !== 'conflict' || tries >= recordTries) throw error;
      await reread(pass, error);
    }
  }
}

async function reread(pass: PassState, conflict: StoreError): Promise<void> {
  const before = pass.ledger;
  const { uid } = pass.resource.metadata;
  const fresh = await pass.ports.store.readFresh(keyOf(pass.resource));
  if (!fresh || fresh.metadata.uid !== uid) throw conflict;
  pass.resourceWritten(fresh);
  if (JSON.stringify(pass.ledger) !== JSON.stringify(before)) throw conflict;
}
