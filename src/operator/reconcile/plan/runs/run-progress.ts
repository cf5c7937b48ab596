// The plan for a run that the service has: wait, cancel it, hand it to run-retry.ts where it has failed, or say how it ended. PURE.
import type { RemoteObject } from '../../kind/kind.ts';
import type { RunProgress } from '../../kind/run-types.ts';
import { closeChange } from '../../ledger/edits.ts';
import type { Claim } from '../../ledger/ledger.ts';
import { type Outcome, refuse, waiting } from '../../outcome.ts';
import type { PlanInput } from '../../plan-input.ts';
import { isIdle } from '../../resource/read-conditions.ts';
import { runTimes } from '../../resource/run-times.ts';
import { progressText } from '../../status/messages.ts';
import { none, type Plan } from '../next-step.ts';
import { isToRunAgain, runAgainText } from './run-again.ts';
import { ended, runKindOf, settingsOf } from './run-end.ts';
import { isRetried, planRetry } from './run-retry.ts';
import { planStart } from './run-start.ts';

/** The plan for a run that the list has. */
export function planKnownRun(input: PlanInput, claim: Claim, remote: RemoteObject): Plan {
  const run = runKindOf(input).progress(remote);
  const own = run.message === undefined ? '' : `: ${run.message}`;
  switch (run.state) {
    case 'succeeded':
      return none(ended(input, 'Succeeded', `the run succeeded${own}`));
    case 'failed':
      // A run that fails while it is being cancelled ends for the reason of the cancellation.
      if (claim.stopped !== undefined) return planKilled(input, claim, own);
      return isRetried(input)
        ? planRetry(input, claim, `${exitOf(run)}${own}`)
        : none(ended(input, run.endedBy ?? 'Failed', `the run failed${exitOf(run)}${own}${remedyOf(run)}`));
    case 'killed':
      return planKilled(input, claim, own);
    case 'queued':
    case 'running':
    case 'stopping':
      return planUnderWay(input, { claim, remote, run });
  }
}

/** Unless the words of the service have it already. */
function exitOf({ exit, message = '' }: RunProgress): string {
  return exit === undefined || message.includes(exit) ? '' : ` with ${exit}`;
}

/** For the others, the service names one. */
function remedyOf({ endedBy }: RunProgress): string {
  if (endedBy !== 'Signal') return '';
  return '. If the program did not choose this exit code, find out what sent the signal, such as a computer that is out of memory';
}

/** That its approved cancellation was carried out is counted before its end is reported: nothing is written after that. */
function cancelCounted({ facts, ledger }: PlanInput, { stopped }: Claim): Plan | undefined {
  if (facts.policy !== 'Plan' || stopped === undefined || !ledger?.change || ledger.plans === undefined)
    return undefined;
  const report = { outcome: { result: 'requeue' } } as const;
  return { action: 'write-ledger', write: 'close', ledger: closeChange(ledger), report };
}

function planKilled(input: PlanInput, claim: Claim, own: string): Plan {
  return cancelCounted(input, claim) ?? planAfterKill(input, claim, own);
}

function planAfterKill(input: PlanInput, { stopped }: Claim, own: string): Plan {
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

interface RunInput {
  readonly claim: Claim;
  readonly remote: RemoteObject;
  readonly run: RunProgress;
}

function planUnderWay(input: PlanInput, at: RunInput): Plan {
  const due = deadlineOf(input, at);
  const why = at.claim.stopped ?? wantedStop(input, due);
  if (why) return planStop(input, at, why);
  const reason = at.run.state === 'queued' ? 'Queued' : 'Running';
  const afterMs = due === undefined ? {} : { afterMs: due - input.now.wall };
  return none({ ...underWay(reason, progressText(at.run), at.run.waitsInQueue), ...afterMs });
}

/** A run may take as long as it likes: only spec.activeDeadlineSeconds limits it. So may a queue that others fill. */
function underWay(reason: 'Queued' | 'Running' | 'Cancelling', message: string, waitsInQueue = false): Outcome {
  return {
    ...waiting('service', reason, message),
    untimed: reason !== 'Queued' || waitsInQueue,
  };
}

function wantedStop(input: PlanInput, due = Number.POSITIVE_INFINITY): Claim['stopped'] {
  const { cancel, suspend } = settingsOf(input);
  if (cancel) return 'cancel';
  if (suspend) return 'suspend';
  return input.now.wall >= due ? 'deadline' : undefined;
}

/** In wall-clock ms. */
function deadlineOf(input: PlanInput, { claim, run }: RunInput): number | undefined {
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

function planStop(input: PlanInput, { claim, remote, run }: RunInput, stopped: NonNullable<Claim['stopped']>): Plan {
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
    differs: [],
    doing: `cancel the run ${claim.name}`,
    earlyStatus: outcome,
    report: { outcome, event },
  };
}

function outcomeText(outcome: Outcome): string {
  return 'message' in outcome ? outcome.message : '';
}
