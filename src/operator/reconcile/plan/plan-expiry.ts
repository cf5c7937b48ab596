// The plan for a resource that expires: the resource is deleted as by a user, or only its object is deleted. PURE.
//
//  ledger     deadline                 onExpiry   plan
//  expired    any                      any        another cluster is asked for, and this one is gone or untouched: forget that it expired
//  expired    any                      any        something may be left: plan-delete.ts, and the resource stays; else: nothing more
//  any        has passed, announced    Delete     delete the resource
//  any        has passed, announced    Release    record that it expired; no run is started on it from then on
//  no id      has passed               any        create nothing
import { currentClaim, type Ledger } from '../ledger/ledger.ts';
import { type Outcome, waiting } from '../outcome.ts';
import { mayBeThere } from '../ownership/ownership.ts';
import { claimOf, type PlanInput } from '../plan-input.ts';
import { recentDelete } from '../quarantine.ts';
import { type ExpiredMark, expiredMark, expiredText, isRenewed, type LifecycleFinding } from '../resource/lifecycle.ts';
import { none, type Plan } from './next-step.ts';
import { planDelete } from './plan-delete.ts';

/** After the DELETE, its event wakes the key. */
const deletedMs = 10_000;

/** The object went, or is going, and the resource stays. `wrong`: with its spec, from which no other object can be made. */
export function planExpired(input: PlanInput, wrong: Outcome | undefined): Plan | undefined {
  const { ledger, facts, now, kind } = input;
  if (!ledger?.expired || kind.identity !== 'named') return undefined;
  const { expired, ...rest } = ledger;
  const isLeft = ledger.claims.some((one) => mayBeThere(kind, one));
  if (isRenewed(facts, expired, now) && (!isLeft || isUntouched(input)))
    return wrong ? none(wrong) : renew(rest as Ledger, expired);
  if (isLeft) return keeping(planDelete(input), ledger);
  return none(expiredOutcome(input, expired));
}

/** The user has changed his mind before the DELETE: it waited for a run to end. */
function isUntouched(input: PlanInput): boolean {
  const { ledger, view, kind } = input;
  const id = currentClaim(ledger)?.id;
  const row = id === undefined ? undefined : view?.byId(id);
  if (row === undefined) return false;
  const health = kind.health(row);
  return health.state !== 'deleting' && recentDelete(input, row, health) === undefined;
}

function expiredOutcome({ facts, now }: PlanInput, expired: ExpiredMark): Outcome {
  return { result: 'expired', reason: expired.reason, message: expiredText(facts, expired, now) };
}

/** `renewedFrom`: the annotation that may have asked for it is handled. */
function renew(ledger: Ledger, { id }: ExpiredMark): Plan {
  const note = 'another cluster is created in place of the one that expired';
  return {
    action: 'write-ledger',
    write: 'own',
    ledger: { ...ledger, ...(id === undefined ? {} : { renewedFrom: id }) },
    report: {
      outcome: { result: 'progressed', reason: 'Provisioning', message: note },
      event: { type: 'Normal', reason: 'Renewed', action: 'Create', note },
    },
  };
}

/** As the deletion of the resource, except that it keeps the finalizer. */
function keeping(plan: Plan, ledger: Ledger): Plan {
  if (plan.action === 'delete') return { ...plan, keeps: true };
  if (plan.action !== 'release') return plan;
  const { event } = plan;
  const outcome = { result: 'progressed', reason: 'Deleting', message: event.note } as const;
  return { action: 'write-ledger', write: 'own', ledger: { ...ledger, claims: [] }, report: { outcome, event } };
}

/** A deadline has passed, and was announced for long enough. */
export function planDue(input: PlanInput): Plan | undefined {
  const { lifecycle } = input;
  return lifecycle?.isDue && lifecycle.expiry?.hasPassed ? expire(input, lifecycle, lifecycle.expiry) : undefined;
}

/** A deadline has passed before there was an object. */
export function planLate(input: PlanInput): Plan | undefined {
  const { lifecycle } = input;
  if (!lifecycle?.expiry?.hasPassed || claimOf(input) !== undefined) return undefined;
  return none(notCreated(input, lifecycle));
}

function expire(
  input: PlanInput,
  { settings }: LifecycleFinding,
  expiry: NonNullable<LifecycleFinding['expiry']>,
): Plan {
  const { ledger, facts, now } = input;
  const onlyIdle = expiry.reason === 'Idle';
  const note = `${expiry.message}: ${settings.releases ? 'the operator deletes it in the service' : 'the operator deletes this Cluster'}`;
  const event = { type: 'Normal', reason: 'Expired', action: 'Delete', note } as const;
  if (!settings.releases)
    return { action: 'expire', outcome: { result: 'requeue', afterMs: deletedMs }, event, onlyIdle };
  const mark = expiredMark({ facts, id: currentClaim(ledger)?.id, expiry, wall: now.wall });
  if (!ledger) return none(expiredOutcome(input, mark));
  const report = { outcome: { result: 'requeue' }, event } as const;
  return { action: 'write-ledger', write: 'own', ledger: { ...ledger, expired: mark }, report, onlyIdle };
}

/** Nothing is made for a moment only. */
function notCreated({ facts, now }: PlanInput, { expiry, settings, nextInMs }: LifecycleFinding): Outcome {
  const why = 'nothing is created, because spec.lifecycle.deleteAt has passed. Change or remove it to have a cluster';
  if (settings.releases && expiry)
    return {
      result: 'expired',
      reason: expiry.reason,
      message: expiredText(facts, expiredMark({ facts, id: undefined, expiry, wall: expiry.at }), now),
    };
  return { ...waiting('time', 'Expired', why), untimed: true, afterMs: Math.max(1_000, nextInMs ?? 0) };
}
