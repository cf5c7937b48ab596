// How long a run that cannot be started is tried, and how long after a failed one the next is started. PURE.
import type { ServiceError } from '../../../wire/errors/errors.ts';
import type { Claim } from '../ledger/ledger.ts';
import type { PlanInput } from '../plan-input.ts';

/** A corrected Job that was applied together with the run arrives within this time, in ms. */
export const correctionMs = 5_000;
/** Between two tries of a request that was refused, at least, in ms. */
export const refusedRetryMs = 10_000;
/** Within this time and two polls, the operator notices that a referenced object is missing in the service, and creates it again. In ms. */
const recreationMs = 60_000;

/** Errors about what was sent. */
const ofRequest: readonly string[] = [
  'VALIDATION_ERROR',
  'INVALID_DATA',
  'MALFORMED_REQUEST_BODY',
  'INVALID_JOB_EXECUTION_INFO',
];
/** Errors about what the request refers to. */
const ofReferences: readonly string[] = ['INVALID_REFERENCE', 'NOT_FOUND'];

/**
 * For how long (ms) the service has to refuse the same request until its run has failed. Undefined: the answer is no refusal, or a quota may be freed
 * at any time. What an error of another name means is not known, so it is retried until the progress deadline.
 */
export function patienceMs(
  { category, certainty, errorName = '', isQuota }: ServiceError,
  { facts, service }: Pick<PlanInput, 'facts' | 'service'>,
): number | undefined {
  if (certainty !== 'answered' || (category !== 'rejected' && category !== 'notFound') || isQuota) return undefined;
  if (ofRequest.includes(errorName)) return correctionMs;
  if (!ofReferences.includes(errorName)) return facts.progressDeadlineMs;
  return Math.max(recreationMs, service.state === 'usable' ? 2_000 * service.pollSeconds : 0);
}

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
