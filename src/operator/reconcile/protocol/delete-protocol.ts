// The step machine of a deletion: by id, until proven gone, and not before every open create has had its time.
import { privateKindOf, type RemoteObject } from '../kind/kind.ts';
import { dropClaims, recordFoundId } from '../ledger/edits.ts';
import { type Claim, currentClaim } from '../ledger/ledger.ts';
import { unreadableRowOf, unreadableRowText } from '../lists/unreadable-rows.ts';
import {
  type Blocker,
  blockersOf,
  type Outcome,
  outcomeOfError,
  type PassEvent,
  type RemoteUser,
  shortText,
  wayOut,
} from '../outcome.ts';
import {
  claimText,
  isBorrowed,
  isFailedCreateOf,
  ownObjects,
  unprovenObject,
  unprovenText,
  unreadOwn,
} from '../ownership/ownership.ts';
import type { PlanInput } from '../plan-input.ts';
import { quarantineEnd, recentDelete } from '../quarantine.ts';
import { deleteRequested, deleteUnanswered, deletingText, deletionAwaited } from '../status/messages.ts';
import { type Done, done, type Effect, type EffectAnswer, reported } from './effects.ts';
import { isHidden, type PlanOf, type Step, sideOf } from './step.ts';

export function nextDelete(step: Step<PlanOf<'delete'>>): Effect | Done {
  const last = step.trail.at(-1);
  if (last?.of === 'release')
    return isHidden(step, step.plan.claims[0])
      ? done({ result: 'released' })
      : done({ result: 'released' }, gone(step));
  if (last?.of === 'close') return halfway(step);
  if (last?.of === 'delete') return afterDelete(step, last, subjectOf(step));
  if (last && 'error' in last && last.error) return done(outcomeOfError(last.error, `delete ${subjectOf(step)}`));
  const { memory } = step.input;
  const view = step.plan.claims[0] ? sideOf(step, step.plan.claims[0]).view : step.input.view;
  if (!view || view.listSentAt <= (memory.lastEffectAt ?? -1)) return { effect: 'observe' };
  for (const claim of step.plan.claims) {
    const [found = unreadOwn(step.input, claim)] = ownObjects(step.input, claim);
    const effect = nextClaim(step, claim, found);
    if (effect) return effect;
  }
  if (step.plan.later.length === 0 && !step.plan.keeps) return { effect: 'release' };
  const { ledger } = step;
  // What is gone leaves the ledger, so that a later pass begins with the rest.
  return ledger
    ? {
        effect: 'close',
        ledger: dropClaims(
          ledger,
          step.plan.claims.map((one) => one.name),
        ),
      }
    : halfway(step);
}

function halfway(step: Step<PlanOf<'delete'>>): Done {
  const hidden = privateKindOf(step.input.kind)?.definition.kind.toLowerCase() ?? 'rest';
  const next = step.plan.later.length === 0 ? '' : `; its ${hidden} is next`;
  const message = `${subjectOf(step)} is deleted${next}`;
  return done({ result: 'progressed', reason: 'Deleting', message }, gone(step));
}

/** Deletes one object while the resource stays. Later passes confirm that it is gone. */
export function nextDeleteObject(step: Step<PlanOf<'delete-object'>>): Effect | Done {
  const { id, subject, why, report } = step.plan;
  const last = step.trail.at(-1);
  if (last?.of !== 'delete') return { effect: 'delete', id };
  if (!last.error) return reported(report);
  const failed = afterDelete(step, last, subject);
  if (!('reason' in failed.outcome) || failed.outcome.reason !== 'Deleting') return failed;
  return {
    ...failed,
    outcome: { ...failed.outcome, reason: 'Provisioning', message: `${why}: ${failed.outcome.message}` },
  };
}

function subjectOf(step: Step<PlanOf<'delete'>>): string {
  const [claim] = step.plan.claims;
  const { kind, facts } = step.input;
  return claim ? claimText(kind, claim) : `${kind.definition.kind} ${facts.key.name}`;
}

/** What a claim still needs to go, where `found` is an object of it; undefined: nothing, it is gone and cannot come back. */
export function nextClaim(step: Step, claim: Claim, found: RemoteObject | undefined): Effect | Done | undefined {
  const { input } = step;
  const { kind, view } = sideOf(step, claim);
  const current = step.ledger?.claims.find((one) => one.name === claim.name) ?? claim;
  if (found) {
    // Exactly one open attempt and its object: recording it ends the quarantine. What a refused create left says nothing about another open one.
    const remnant = isFailedCreateOf(kind, current, found);
    if (current.id === undefined && step.ledger && !remnant)
      return { effect: 'record', ledger: recordFoundId(step.ledger, claim.name, found.id) };
    return remove(step, claim, found);
  }
  if (!view) throw new Error('cannot judge: the service was not looked at');
  const unproven = unprovenObject(input, current);
  if (unproven) return done(waitingFor(`${unprovenText(input, current, unproven)}. It is not deleted. ${wayOut}`));
  const doubt = unreadableRowOf(kind, view, current);
  if (doubt)
    return done(waitingFor(`${unreadableRowText(doubt)}: it is not known whether the object is gone. ${wayOut}`));
  return confirmGone(step, current) ?? quarantine(step, current);
}

function remove(step: Step, claim: Claim, found: RemoteObject): Effect | Done {
  if (isKept(step.input, claim)) return done({ result: 'conflict' });
  const health = sideOf(step, claim).kind.health(found);
  const sent = recentDelete(step.input, found, health);
  return sent ? done(waitingFor(deletingText(health, sent))) : { effect: 'delete', id: found.id };
}

/** By its user, since the plan was made: a ledger write may have read a newer version of the resource. */
function isKept({ facts }: PlanInput, claim: Claim): boolean {
  if (facts.policy === 'Observe') return true;
  return facts.deleting && (facts.deletionPolicy === 'Orphan' || isBorrowed(claim, facts));
}

/**
 * A LIST that lacks it is not enough: another one begun after that must lack it, too. All deletions share these lists. Unless the service has
 * accepted our DELETE, a GET must answer 404 between them.
 */
function confirmGone(step: Step, claim: Claim): Effect | Done | undefined {
  const { memory } = step.input;
  const { kind, view } = sideOf(step, claim);
  // A given object stays when it leaves the list, which is all that was asked for.
  if (claim.id === undefined || kind.identity === 'given') return undefined;
  const goneAt = memory.goneGets?.get(claim.id) ?? missedSince(step, claim.id);
  if (goneAt !== undefined)
    return (view?.listSentAt ?? 0) > goneAt ? undefined : { effect: 'observe', unhurried: true };
  const seen = step.trail.some((one) => one.of === 'get-by-id' && one.row?.id === claim.id);
  if (seen)
    return done(waitingFor('the service no longer lists the object but still returns it; waiting until it is gone'));
  return { effect: 'get-by-id', id: claim.id };
}

/** When the first LIST that lacked it was sent, after the service had accepted our DELETE. */
function missedSince({ ledger, input: { memory } }: Step, id: string): number | undefined {
  const sent = memory.deletesSent?.get(id);
  return sent && sent.lost === undefined && currentClaim(ledger)?.id === id ? memory.missingSince : undefined;
}

/** An open create may still take effect, also with a name that a delete has just freed. */
function quarantine(step: Step, claim: Claim): Effect | Done | undefined {
  const { input } = step;
  const until = quarantineEnd(input, claim);
  if (until === undefined) return undefined;
  const { now } = input;
  if (now.wall < until) return done(quarantined(input, claim, until));
  // Only a LIST begun after the quarantine allows the release.
  const listWall = now.wall - (now.monotonic - (sideOf(step, claim).view?.listSentAt ?? 0));
  return listWall >= until ? undefined : { effect: 'observe' };
}

const stopWaiting =
  'To stop waiting, set spec.deletionPolicy to Orphan; the create may then leave an object in the service';

/** The service is listed during the wait. Once the object is found, it is recorded and the wait is over. */
function quarantined({ service, now, quarantineMs, facts }: PlanInput, claim: Claim, until: number): Outcome {
  const pollMs = service.state === 'usable' ? service.pollSeconds * 1000 : Number.POSITIVE_INFINITY;
  const clock = (ms: number) => `${new Date(ms).toISOString().slice(11, 16)} UTC`;
  // An old revision is collected while its resource stays: then there is nothing to hurry.
  const way = facts.deleting ? `. ${stopWaiting}` : '';
  const message = `a create sent at ${clock(until - quarantineMs)} may still take effect; waiting until ${clock(until)}${way}`;
  const blocker = { kind: 'Quarantine', name: claim.name, reason: 'MayStillAppear', message } as const;
  return {
    result: 'waiting',
    on: 'time',
    reason: 'Deleting',
    message,
    afterMs: Math.min(pollMs, until - now.wall),
    blockedOn: [blocker],
  };
}

type DeleteAnswer = Extract<EffectAnswer, { of: 'delete' }>;

function afterDelete(step: Step, last: DeleteAnswer, subject: string): Done {
  const { error } = last;
  const event = { type: 'Normal', reason: 'Deleting', action: 'Delete', note: deleteRequested(subject) } as const;
  if (!error) return done(waitingFor(deletionAwaited), event);
  // The service's own 404: the next observation confirms it.
  if (error.category === 'notFound' && error.ownShape) return done(waitingFor(deletionAwaited));
  if (error.inUse) return done(inUse(step.input, last, error.detail));
  // It may have been received: the polls will tell, and it is sent again after a minute.
  if (error.certainty === 'open') return done(waitingFor(deleteUnanswered(error.why)), event);
  if (error.category === 'rejected' || error.category === 'conflict') {
    const way = step.input.facts.deleting ? '. To leave it in the service, set spec.deletionPolicy to Orphan' : '';
    const message = `the service refuses to delete ${subject}: ${error.why}. It is retried${way}`;
    return done({ result: 'failed', reason: 'ExternalDeleteFailing', message, cause: error });
  }
  return done(outcomeOfError(error, `delete ${subject}`));
}

/** Where no resource refers to it, only the service knows what does. */
function inUse({ facts }: PlanInput, { users = [], remoteUsers = [] }: DeleteAnswer, detail: string): Outcome {
  const why = `the service still uses it: ${detail}`;
  const wait = { result: 'waiting', on: 'service', reason: 'Deleting' } as const;
  if (users.length > 0) return { ...wait, message: why, blockedOn: blockersOf(users, facts.key) };
  const shown = remoteUsers.slice(0, remoteUsersShown).map((user) => ({ user, text: remedyFor(user) }));
  const more = remoteUsers.length - shown.length;
  const remedies = shown.length > 0 ? shown.map(({ text }) => text) : ['Delete what uses it, if nobody needs that'];
  const rest = more > 0 ? [`${more} more objects use it`] : [];
  // The deletion of an object whose resource stays is retried without the user.
  const message = facts.deleting ? [why, ...remedies, ...rest, wayOut].join('. ') : why;
  const blockedOn = shown.map(
    ({ user, text }): Blocker => ({ kind: user.kind, name: user.id, reason: 'InUse', message: text }),
  );
  const unknown: Blocker = { kind: facts.connection.kind, name: facts.connection.name, reason: 'InUse', message };
  return { ...wait, message, blockedOn: blockedOn.length > 0 ? blockedOn : [unknown] };
}

const remoteUsersShown = 5;

function remedyFor({ kind, id, name, owner }: RemoteUser): string {
  const uses = `${kind} ${shortText(name)} (${shortText(id)}) uses it`;
  if (owner !== undefined) return `${uses} and belongs to ${owner}: delete that resource first`;
  return `${uses} and belongs to no resource: delete it in the service if nobody needs it`;
}

function waitingFor(message: string): Outcome {
  return { result: 'waiting', on: 'service', reason: 'Deleting', message };
}

/** The image itself stays; only its registration is removed. */
function gone({ plan, input }: Step<PlanOf<'delete'>>): PassEvent {
  const isGiven = input.kind.identity === 'given';
  const names = plan.claims.map(({ name, id }) => (isGiven || !id ? name : `${name} (${id})`)).join(', ');
  const note = isGiven ? `${names} is no longer registered with the service` : `${names} is gone from the service`;
  return { type: 'Normal', reason: 'Deleted', action: 'Delete', note };
}
