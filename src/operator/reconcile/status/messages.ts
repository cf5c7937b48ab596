// Messages of conditions that the plan and the protocol share: each keeps its words from one pass to the next, because each change of
// a condition is a write of the status and an event. PURE.
import type { SentDelete } from '../key-memory.ts';
import type { Health, ObjectKind } from '../kind/kind.ts';
import type { RunProgress } from '../kind/run-types.ts';
import type { Claim } from '../ledger/ledger.ts';

/** From the answer to the create until the object is ready. */
export function workingText({ definition }: ObjectKind, { name }: Claim, { message }: Health): string {
  return `the service is working on ${definition.kind} ${name}${message ? `: ${message}` : ''}`;
}

/** While a run has not ended. */
export function progressText({ state, message }: RunProgress): string {
  const own = message === undefined ? '' : `: ${message}`;
  return state === 'queued'
    ? `the service has accepted the run and has not started it${own}`
    : `the run is in progress${own}`;
}

export const deletionAwaited = 'waiting for the service to delete it';
export function deleteRequested(subject: string): string {
  return `asked the service to delete ${subject}`;
}

/** While the effect of a DELETE that was sent does not show. */
export function deletingText(health: Health, { lost }: SentDelete): string {
  if (lost !== undefined && health.state !== 'deleting') return deleteUnanswered(lost);
  return `${deletionAwaited}${health.message ? `: ${health.message}` : ''}`;
}

/** The same for each try, so that a service that fails for hours causes one event. */
export function deleteUnanswered(why: string): string {
  return `the service may be deleting it; the answer to the request was lost: ${why}`;
}
