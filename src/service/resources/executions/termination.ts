// How the program of a run ended, from its exit code and what its engine knows. PURE.
import { constants } from 'node:os';
import type { Termination } from '../../../wire/jobs.ts';
import type { RunEnd } from '../../backends/job-engine.ts';

/** A part of `info`. Empty if nothing is known of a program. */
export function terminationOf({ returnCode, cause }: Pick<RunEnd, 'returnCode' | 'cause'>): {
  readonly termination?: Termination;
} {
  const signal = returnCode === undefined ? undefined : signalOf(returnCode);
  const reason = cause ?? (returnCode === undefined ? undefined : reasonOf(returnCode, signal));
  return reason === undefined ? {} : { termination: { reason, ...(signal !== undefined && { signal }) } };
}

const reasonOf = (code: number, signal: string | undefined) => {
  if (code === 0) return 'Completed';
  return signal === undefined ? 'Error' : 'Signal';
};

/** Shells and container runtimes report a signal as 128 and its number. */
const signalOf = (code: number): string | undefined =>
  Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
