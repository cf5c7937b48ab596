// How long after a failed run the next one is started. PURE.
import type { Claim } from '../ledger/ledger.ts';
import type { PlanInput } from '../plan-input.ts';

/** Each claim with an id is a run that took place. One that was suspended did not fail. */
export function failedRuns({ ledger }: Pick<PlanInput, 'ledger'>): number {
  return ledger?.claims.filter(({ id, stopped }) => id !== undefined && stopped === undefined).length ?? 0;
}

/** As a Job of Kubernetes has them, in ms. */
const [firstDelayMs, longestDelayMs] = [10_000, 360_000];

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
