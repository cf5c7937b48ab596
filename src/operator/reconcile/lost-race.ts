// A pass that lost a race for its resource, because somebody else has changed it meanwhile.
import { outcomeOfError } from './outcome.ts';

/** The watch is about to deliver that change. */
export const afterLostRace = { next: 'retry', maxMs: 1_000 } as const;

/** Repeats such a pass soon. The controller handles any other error: it logs and retries. */
export async function repeatLostRace<Requeue>(pass: () => Promise<Requeue>): Promise<Requeue | typeof afterLostRace> {
  try {
    return await pass();
  } catch (error) {
    if (outcomeOfError(error).result !== 'conflict') throw error;
    return afterLostRace;
  }
}
