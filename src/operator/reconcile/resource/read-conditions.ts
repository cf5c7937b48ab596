// The conditions of a status, read leniently: one mangled by hand counts as far as it can be read.
import { z } from 'zod';
import { memoize } from '../../../lib/memoize.ts';
import { type Condition, condition, heldReasons, type Reason } from '../../api/shared-api.ts';

const roughStatus = z.object({
  observedGeneration: z.int().catch(-1),
  conditions: z.array(z.unknown()).catch([]),
});

interface ReadStatus {
  readonly observedGeneration: number;
  readonly conditions: readonly Condition[];
}

export function readStatus(status: unknown): ReadStatus {
  return typeof status === 'object' && status !== null ? statuses(status) : parseStatus(status);
}

const statuses = memoize(parseStatus);

function parseStatus(status: unknown): ReadStatus {
  const rough = roughStatus.safeParse(status ?? {}).data ?? { observedGeneration: -1, conditions: [] };
  const conditions = rough.conditions.flatMap((one) => condition.safeParse(one).data ?? []).filter(isWritten);
  return { observedGeneration: rough.observedGeneration, conditions };
}

/** Not one of the default that the API server shows of a new object. */
function isWritten({ observedGeneration }: Condition): boolean {
  return observedGeneration !== -1;
}

export function conditionOf(status: Pick<ReadStatus, 'conditions'>, type: string): Condition | undefined {
  return status.conditions.find((one) => one.type === type);
}

function readyReasonOf(status: Pick<ReadStatus, 'conditions'>): string | undefined {
  return conditionOf(status, 'Ready')?.reason;
}

/** A run that waits until the user resumes it: none is in progress in the service. */
export function isSuspended(status: Pick<ReadStatus, 'conditions'>): boolean {
  return readyReasonOf(status) === 'Suspended';
}

/** Nothing is done until a user resumes it, approves its plan or wants it again. */
export function isHeld(status: Pick<ReadStatus, 'conditions'>): boolean {
  return heldReasons.includes(readyReasonOf(status) ?? '');
}

/** It is not ready, and waits for a person: to resume it, to approve its plan, to want it again, or to make what it is to adopt. */
export function awaitsPerson(status: Pick<ReadStatus, 'conditions'>): boolean {
  const isAbsent = readyReasonOf(status) === ('ExternalNotFound' satisfies Reason);
  return conditionOf(status, 'Ready')?.status !== 'True' && (isHeld(status) || isAbsent);
}

/** A run that waits for its cluster or for its retry: none is in progress in the service. */
export function isIdle(status: Pick<ReadStatus, 'conditions'>): boolean {
  return ['Suspended', 'WaitingForCluster', 'Retrying'].includes(readyReasonOf(status) ?? '');
}
