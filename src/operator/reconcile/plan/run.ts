// The plan for a run, which must not happen twice. Only its marker tells it from other runs, so it is found by that, or never again.
//
//  ledger           run in the service        plan
//  nothing sent     any                       start it, once it is not suspended, its references are there, and what it owns is made
//  lost             with a marker of ours     adopt the last one
//  lost             none                      refuse OutcomeUnknown
//  attempt open     with its marker           adopt it
//  attempt open     none                      look for it until the quarantine is over and two lists lack it, then refuse OutcomeUnknown;
//                                             or start another attempt, where spec.onUnknown allows it
//  attempt refused  none                      start another attempt, after a while; refused-run.ts: end, where nothing can change
//  with id          queued or running         wait; cancel it where the user asks for that, or its deadline has passed
//  with id          succeeded                 end
//  with id          failed                    start another attempt, after a delay, while retries are left, else end; while it was being cancelled: as if killed
//  with id          killed                    end; where it was suspended, wait, and start another attempt when it is resumed
//  with id          not in the list           existing.ts: report it, unless its end was seen and another attempt may follow
//  any              it ended before           delete its own cluster, and the object once its time to live is over
//
// After OutcomeUnknown, or when a run vanished, only the annotation run-again starts another attempt: nobody can tell such a run from one
// that took place and whose row somebody has deleted.
import { collectionOf, type RemoteObject } from '../kind.ts';
import { closeAttempt } from '../ledger/edits.ts';
import { type Claim, currentClaim, isRefused, isVoid, type Ledger, openAttempts } from '../ledger/ledger.ts';
import { attemptOf, runMarker } from '../ledger/naming.ts';
import { unreadableRowOf } from '../lists/unreadable-rows.ts';
import { type Outcome, refuse, waiting } from '../outcome.ts';
import { mappingContext, type PlanInput } from '../plan-input.ts';
import { isIdle } from '../resource/conditions.ts';
import { runTimes } from '../resource/run-times.ts';
import type { RunProgress } from '../runs.ts';
import { progressText } from '../status/messages.ts';
import { baseLedger, createPrecondition, foundByName, foundByTag, intendedLedger, specOf } from './create.ts';
import { failedRuns, retryDelay } from './run-delays.ts';
import { ended, planDiscard, planProvide, runKindOf, settingsOf } from './run-end.ts';
import { adopt, none } from './single-write.ts';
import type { Plan } from './types.ts';
import { isRepeated, isToRunAgain, outcomeUnknown, runAgainText } from './unknown-run.ts';

/** The plan for a run whose id is not known. */
export function planUnknownRun(input: PlanInput): Plan {
  const { ledger } = input;
  const claim = currentClaim(ledger);
  if (!ledger) return isLedgerLost(input) ? planLost(input) : planStart(input);
  if (!claim) return planStart(input);
  const found = foundByName(input, claim);
  if (found) return adopt(input, { claim, ledger, id: found.id });
  if (openAttempts(claim) === 0) return planStart(input);
  if (isSeenRefused(input, claim)) return planStart({ ...input, ledger: closeAttempt(ledger, claim.name) });
  const unknown = outcomeUnknown(input, claim);
  const again = isToRunAgain(input, claim) || isRepeated(input);
  return unknown.result === 'refused' && again ? planStart(input) : none(unknown);
}

/** Something was recorded for it. A resource that only waited so far has neither. */
export function isLedgerLost({ facts }: Pick<PlanInput, 'facts'>): boolean {
  const { externalName } = (facts.resource.status ?? {}) as { readonly externalName?: unknown };
  return facts.hasFinalizer || externalName !== undefined;
}

/** The markers in the list are all that is left. */
function planLost(input: PlanInput): Plan {
  const { uid } = input.facts.identity;
  const rows = foundByTag(input).toSorted((a, b) => (attemptOf(a.name, uid) ?? 0) - (attemptOf(b.name, uid) ?? 0));
  const claims = rows.map((row): Claim => ({ ...claimFor(input, row.name), id: row.id }));
  const last = claims.at(-1);
  if (last?.id !== undefined) {
    const ledger: Ledger = { ...baseLedger(input, last), claims: claims.slice(0, -1) };
    return adopt(input, { claim: claimFor(input, last.name), ledger, id: last.id });
  }
  const lost = claimFor(input, lostMarker(input));
  if (isToRunAgain(input, lost)) return planStart({ ...input, ledger: baseLedgerWith(input, lost) });
  const why = 'the ledger is lost, and the service has no run with a marker of this resource';
  return none(refuse('OutcomeUnknown', `${why}. ${runAgainText(lost)}`));
}

function lostMarker({ facts }: PlanInput): string {
  const { externalName } = (facts.resource.status ?? {}) as { readonly externalName?: unknown };
  const { uid } = facts.identity;
  const isOwn = typeof externalName === 'string' && attemptOf(externalName, uid) !== undefined;
  return isOwn ? externalName : runMarker(uid, 1);
}

const baseLedgerWith = (input: PlanInput, claim: Claim): Ledger => ({ ...baseLedger(input, claim), claims: [claim] });

function claimFor({ kind }: PlanInput, name: string): Claim {
  return { role: 'main', collection: collectionOf(kind), name };
}

/** The service refused it, and a LIST that was begun after that lacks it. */
function isSeenRefused({ kind, view, now }: PlanInput, claim: Claim): boolean {
  if (!isRefused(claim) || openAttempts(claim) !== 1 || !view || unreadableRowOf(kind, view, claim)) return false;
  const listWall = now.wall - (now.monotonic - view.listSentAt);
  return listWall > Date.parse(claim.attempts?.refusedAt ?? '');
}

/** Another attempt, or the first one. */
export function planStart(input: PlanInput): Plan {
  const settings = settingsOf(input);
  if (settings.cancel) return none(ended(input, 'Cancelled', 'cancelled before it was started'));
  if (settings.suspend) return planDiscard(input, suspended) ?? none(suspended);
  const provided = planProvide(input);
  if (provided) return provided;
  const obstacle = createPrecondition(input);
  if (obstacle) return none(obstacle);
  const claim = nextAttempt(input);
  const desired = input.kind.desired(specOf(input), mappingContext(input, claim.name));
  const ledger = intendedLedger(input, claim, desired);
  return { action: 'create', claim, ledger, body: desired.body, earlyStatus: startingRun };
}

const startingRun = waiting('service', 'Provisioning', 'starting the run in the service');
const suspended = waiting('kubernetes', 'Suspended', 'suspended: it is started when spec.suspend is false');

/** A marker that was announced and surely never received is used again. */
function nextAttempt(input: PlanInput): Claim {
  const { uid } = input.facts.identity;
  const known = currentClaim(input.ledger);
  if (known && isUnsent(known) && attemptOf(known.name, uid) !== undefined) return known;
  const last = Math.max(0, ...(input.ledger?.claims ?? []).map(({ name }) => attemptIn(name)));
  return claimFor(input, runMarker(uid, last + 1));
}

const isUnsent = (claim: Claim): boolean => isVoid(claim) && claim.attempts !== undefined && !isRefused(claim);

/** The number in the marker of any owner of the ledger. */
const attemptIn = (marker: string): number => attemptOf(marker, marker.slice(0, marker.lastIndexOf('-'))) ?? 0;

/** The plan for a run that the list has. */
export function planKnownRun(input: PlanInput, claim: Claim, remote: RemoteObject): Plan {
  const run = runKindOf(input).progress(remote);
  const own = run.message === undefined ? '' : `: ${run.message}`;
  switch (run.state) {
    case 'succeeded':
      return none(ended(input, 'Succeeded', `the run succeeded${own}`));
    case 'failed':
      // It may fail while it is cancelled: then it ends, or goes on, for the reason of that.
      if (claim.stopped !== undefined) return planKilled(input, claim, own);
      return isRetried(input)
        ? planRetry(input, claim, `${exitOf(run)}${own}`)
        : none(ended(input, 'Failed', `the run failed${exitOf(run)}${own}`));
    case 'killed':
      return planKilled(input, claim, own);
    case 'queued':
    case 'running':
    case 'stopping':
      return planUnderWay(input, { claim, remote, run });
  }
}

/** Unless the words of the service have it already. */
const exitOf = ({ exit, message = '' }: RunProgress): string =>
  exit === undefined || message.includes(exit) ? '' : ` with ${exit}`;

function isRetried(input: PlanInput): boolean {
  const { cancel, retries } = settingsOf(input);
  return !cancel && failedRuns(input) <= retries;
}

export function planRetry(input: PlanInput, claim: Claim, own = ''): Plan {
  const { delayMs, leftMs } = retryDelay(input, claim);
  if (leftMs <= 0 || settingsOf(input).suspend) return planStart(input);
  const message = `the run failed${own}. It is followed by another one after ${delayMs / 1_000} s, as spec.retries asks`;
  return none({ ...waiting('time', 'Retrying', message), afterMs: leftMs, untimed: true });
}

function planKilled(input: PlanInput, { stopped }: Claim, own: string): Plan {
  switch (stopped) {
    case 'cancel':
      return none(ended(input, 'Cancelled', 'cancelled, as spec.cancel asks'));
    case 'deadline':
      return none(ended(input, 'DeadlineExceeded', 'cancelled, because it ran longer than spec.activeDeadlineSeconds'));
    case 'suspend':
      return planStart(input);
    case undefined:
      return none(
        ended(
          input,
          'Failed',
          `the run was cancelled or suspended in the service by somebody else, or its cluster went away${own}`,
        ),
      );
  }
}

/**
 * Its end was seen, and the status that says so is as new as the ledger: nothing of it is under way, whether the service keeps its row or not. Of an ended
 * run the status has a condition instead.
 */
export function wasSeenOver({ facts }: PlanInput, { name }: Claim): boolean {
  const { externalName, state } = (facts.resource.status ?? {}) as {
    readonly externalName?: unknown;
    readonly state?: unknown;
  };
  return (isIdle(facts) || state === 'Suspended') && externalName === name;
}

/** It is in no list any more, and how it ended is not known. */
export function planVanishedRun(input: PlanInput, claim: Claim): Plan {
  if (isToRunAgain(input, claim)) return planStart(input);
  const why = `the run ${claim.name} (${claim.id}) was deleted in the service, not by this operator, before its end was seen`;
  return none(refuse('ExternalDeleted', `${why}. ${runAgainText(claim)}`));
}

interface UnderWay {
  readonly claim: Claim;
  readonly remote: RemoteObject;
  readonly run: RunProgress;
}

function planUnderWay(input: PlanInput, at: UnderWay): Plan {
  const due = deadlineOf(input, at);
  const why = at.claim.stopped ?? wantedStop(input, due);
  if (why) return planStop(input, at, why);
  const reason = at.run.state === 'queued' ? 'Queued' : 'Running';
  const afterMs = due === undefined ? {} : { afterMs: due - input.now.wall };
  return none({ ...underWay(reason, progressText(at.run)), ...afterMs });
}

/** A run may take as long as it likes: only spec.activeDeadlineSeconds limits it. */
const underWay = (reason: 'Queued' | 'Running' | 'Cancelling', message: string): Outcome => ({
  ...waiting('service', reason, message),
  untimed: reason !== 'Queued',
});

function wantedStop(input: PlanInput, due = Number.POSITIVE_INFINITY): Claim['stopped'] {
  const { cancel, suspend } = settingsOf(input);
  if (cancel) return 'cancel';
  if (suspend) return 'suspend';
  return input.now.wall >= due ? 'deadline' : undefined;
}

/** In wall-clock ms. */
function deadlineOf(input: PlanInput, { claim, run }: UnderWay): number | undefined {
  const { activeDeadlineMs } = settingsOf(input);
  const { startedAt } = runTimes(input, claim, run);
  return activeDeadlineMs === undefined || startedAt === undefined ? undefined : startedAt + activeDeadlineMs;
}

const stopWords = {
  cancel: 'spec.cancel asks for that',
  suspend: 'spec.suspend asks for that',
  deadline: 'it ran longer than spec.activeDeadlineSeconds',
} as const;

/** A cancellation without visible effect is repeated after this time, in ms. */
const repeatMs = 60_000;
/** One that the service is working on is repeated only when it seems stuck. */
const stuckMs = 10 * 60_000;

function planStop(input: PlanInput, { claim, remote, run }: UnderWay, stopped: NonNullable<Claim['stopped']>): Plan {
  const { ledger, facts, now } = input;
  if (!ledger) throw new Error('cannot cancel a run: there is no ledger');
  const outcome = underWay('Cancelling', `cancelling the run, because ${stopWords[stopped]}`);
  const sent = claim.stopped === undefined ? undefined : Date.parse(ledger.change?.sentAt ?? '');
  const patienceMs = run.state === 'stopping' ? stuckMs : repeatMs;
  if (sent !== undefined && now.wall - sent < patienceMs) return none(outcome);
  const change = {
    generation: facts.generation,
    target: { cancel: 1 },
    sentAt: new Date(now.wall).toISOString(),
    tries: (ledger.change?.tries ?? 0) + 1,
  };
  const claims = ledger.claims.map((one) => (one === claim ? { ...claim, stopped } : one));
  const event = { type: 'Normal', reason: 'Cancelling', action: 'Update', note: outcomeText(outcome) } as const;
  return {
    action: 'update',
    claim,
    id: remote.id,
    ledger: { ...ledger, claims, change },
    madeFrom: ledger.madeFrom,
    repeats: false,
    change: undefined,
    doing: `cancel the run ${claim.name}`,
    earlyStatus: outcome,
    report: { outcome, event },
  };
}

const outcomeText = (outcome: Outcome): string => ('message' in outcome ? outcome.message : '');
