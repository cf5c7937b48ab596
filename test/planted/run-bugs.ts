// Bugs that would run a job twice.
import type * as keyMemory from '../../src/operator/reconcile/key-memory.ts';
import { closeAttempt, noteRefusal } from '../../src/operator/reconcile/ledger/edits.ts';
import { currentClaim, openAttempts } from '../../src/operator/reconcile/ledger/ledger.ts';
import type * as naming from '../../src/operator/reconcile/ledger/naming.ts';
import type * as run from '../../src/operator/reconcile/plan/runs/run-start.ts';
import type { PlanInput } from '../../src/operator/reconcile/plan-input.ts';
import type * as refusedRun from '../../src/operator/reconcile/refused-run.ts';
import type { Bug } from './bug.ts';
import { replacing } from './ground.ts';
import { closed, next } from './protocol-bugs.ts';

type PlanUnknownRun = typeof run.planUnknownRun;
type IsUnsentIntent = typeof keyMemory.isUnsentIntent;
type EndIfRefused = typeof refusedRun.endIfRefused;

/** The attempt without an answer counts as one that never happened. */
function forgotten(input: PlanInput, how: 'unsent' | 'refused'): PlanInput {
  const { ledger } = input;
  const claim = currentClaim(ledger);
  if (!ledger || !claim || openAttempts(claim) === 0) return input;
  const over = closeAttempt(ledger, claim.name);
  return { ...input, ledger: how === 'unsent' ? over : noteRefusal(over, claim.name, new Date(0).toISOString()) };
}

const lost = { world: { kind: 'run', replicas: 1, bounds: { losses: 1 } } } as const;

export const runBugs: readonly Bug[] = [
  {
    name: 'a run without an answer is asked for again, with the same marker',
    breaks: 'I15',
    suite: lost,
    plant: replacing<PlanUnknownRun>('run-start.planUnknownRun', (real) => (input) => real(forgotten(input, 'unsent'))),
  },
  {
    name: 'another attempt follows one whose outcome is not known',
    breaks: 'I15',
    suite: lost,
    plant: replacing<PlanUnknownRun>(
      'run-start.planUnknownRun',
      (real) => (input) => real(forgotten(input, 'refused')),
    ),
  },
  {
    name: 'a run without an answer has failed',
    breaks: 'I15',
    suite: lost,
    plant: replacing<EndIfRefused>(
      'refused-run.endIfRefused',
      (real) => (pass, outcome) =>
        outcome.result === 'failed'
          ? { result: 'ended', reason: 'Failed', message: outcome.message }
          : real(pass, outcome),
    ),
  },
  {
    name: 'all attempts have one marker',
    breaks: 'I15',
    suite: { world: { kind: 'run', replicas: 1, bounds: { refusals: 1 } } },
    plant: { 'naming.runMarker': (): typeof naming.runMarker => (uid) => `${uid}-1` },
  },
  {
    name: 'a run that may be repeated is repeated while it may still begin',
    breaks: 'I15',
    suite: { world: { kind: 'repeatable', replicas: 1, bounds: { losses: 1, ticks: 1 } } },
    plant: replacing<PlanUnknownRun>(
      'run-start.planUnknownRun',
      (real) => (input) =>
        real({ ...input, quarantineMs: 0, memory: { ...input.memory, missingSince: Number.NEGATIVE_INFINITY } }),
    ),
  },
  {
    name: 'what is announced and not found counts as not sent',
    breaks: '(I2|I5|I15)',
    suite: lost,
    plant: { 'key-memory.isUnsentIntent': (): IsUnsentIntent => (_memory, claim) => openAttempts(claim) > 0 },
  },
  {
    name: 'an intent of another process counts as one of its own, which was not sent',
    breaks: '(I2|I5|I15)',
    suite: { world: { kind: 'run', replicas: 2, bounds: { losses: 1 } } },
    plant: replacing<IsUnsentIntent>(
      'key-memory.isUnsentIntent',
      (real) => (memory, claim) => real(memory, claim, claim.attempts?.by ?? ''),
    ),
  },
  {
    name: 'a broken connection closes the attempt',
    breaks: 'I2',
    suite: lost,
    plant: next((step, real) => {
      const last = step.trail.at(-1);
      return last?.of === 'post' && 'error' in last && last.error.certainty === 'open' ? closed(step) : real(step);
    }),
  },
  {
    name: 'an execution is let go before its JobSchedule has recorded its time',
    breaks: 'I16',
    suite: { tests: 'operator/schedules/interleavings', only: 'which ran, is deleted' },
    plant: { 'scheduled.isUnrecorded': () => () => false },
  },
];
