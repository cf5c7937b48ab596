// How often and for how long something is tried that is refused, has failed or is gone, until the run that needs it has failed. PURE.
import type { ServiceError } from '../../../../wire/errors/service-error.ts';
import type { Outcome } from '../../outcome.ts';
import type { PlanInput } from '../../plan-input.ts';
import { correctionMs } from '../preconditions.ts';

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

type Patient = Pick<PlanInput, 'facts' | 'service'>;

/**
 * For how long (ms) the service has to refuse the same request until its run has failed. Undefined: the answer is no refusal, or a quota may be freed
 * at any time.
 */
export function refusalPatienceMs(
  { category, certainty, errorName, isQuota }: ServiceError,
  input: Patient,
): number | undefined {
  if (certainty !== 'answered' || (category !== 'rejected' && category !== 'notFound') || isQuota) return undefined;
  return patienceMs(errorName, input);
}

/** What an error of another name means is not known, so it is retried until the progress deadline. */
function patienceMs(errorName: string | undefined, input: Patient): number {
  if (ofRequest.includes(errorName ?? '')) return correctionMs;
  return ofReferences.includes(errorName ?? '') ? twoPollsMs(input) : input.facts.progressDeadlineMs;
}

function twoPollsMs({ service }: Pick<PlanInput, 'service'>): number {
  return Math.max(recreationMs, service.state === 'usable' ? 2_000 * service.pollSeconds : 0);
}

/** The outcome of a run for references that cannot be used. Somebody may still put right what it refers to, but its own spec stays as it is. */
export function untilFailed(input: PlanInput, outcome: Outcome): Outcome {
  if (outcome.result === 'refused') {
    const wrong = input.resolutions.find((one) => one.state === 'wrong');
    return { failsAfterMs: patienceMs(wrong?.errorName, input), ...outcome };
  }
  const failed = input.resolutions.flatMap((one) => (one.state === 'awaited' && one.hasFailed ? [one] : []));
  if (outcome.result !== 'waiting' || failed.length === 0) return outcome;
  // A service that lost what it knew may know it again from a backup, and the owner of the object may have another one made.
  const mayReturn = failed.every(({ isGone }) => isGone);
  return { ...outcome, failsAfterMs: mayReturn ? input.facts.progressDeadlineMs : twoPollsMs(input) };
}
