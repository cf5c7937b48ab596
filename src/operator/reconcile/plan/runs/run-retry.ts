// Whether another run follows one that has failed, as spec.retries asks, and after which delay. PURE.
import type { Claim } from '../../ledger/ledger.ts';
import { waiting } from '../../outcome.ts';
import type { PlanInput } from '../../plan-input.ts';
import { none, type Plan } from '../next-step.ts';
import { settingsOf } from './run-end.ts';
import { planStart } from './run-start.ts';

/** As a Job of Kubernetes has them, in ms. */
const [firstDelayMs, longestDelayMs] = [10_000, 360_000];

export function isRetried(input: PlanInput): boolean {
  const { cancel, retries } = settingsOf(input);
  return !cancel && failedRuns(input) <= retries;
}

export function planRetry(input: PlanInput, claim: Claim, own = ''): Plan {
  const { delayMs, leftMs } = retryDelay(input, claim);
  if (leftMs <= 0 || settingsOf(input).suspend) return planStart(input);
  const message = `the run failed${own}. It is followed by another one after ${delayMs / 1_000} s, as spec.retries asks`;
  return none({ ...waiting('time', 'Retrying', message), afterMs: leftMs, untimed: true });
}

/** Each claim with an id is a run that took place. One that was suspended did not fail. */
function failedRuns({ ledger }: Pick<PlanInput, 'ledger'>): number {
  return ledger?.claims.filter(({ id, stopped }) => id !== undefined && stopped === undefined).length ?? 0;
}

/**
 * In ms. Counted from when this process saw the failure, so that no other clock matters: a restart of the operator begins it anew. Where the row of the run
 * is gone, and this process has not seen the failure, nothing is left of it.
 */
export function retryDelay(
  input: Pick<PlanInput, 'ledger' | 'memory' | 'now'>,
  { name }: Claim,
): { readonly delayMs: number; readonly leftMs: number } {
  const { failed } = input.memory;
  const delayMs = Math.min(firstDelayMs * 2 ** (failedRuns(input) - 1), longestDelayMs);
  return { delayMs, leftMs: failed?.run === name ? failed.at + delayMs - input.now.monotonic : 0 };
}
