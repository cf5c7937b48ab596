// Waits for a state of objects that are observed.
import { CannotLook, Queued } from '../../../model/disk/transient.ts';
import { Interruption, isLate } from '../../../model/stages/interruption.ts';
import type { Observation, ObservationWait } from './informers.ts';

/** What was observed is read from the API server before it counts. If the two do not agree, they are compared again after this. */
export const recheckMs = 5_000;
/** A wait reads the state after this, in case a change was not observed. */
export const resyncMs = 10 * 60_000;

interface Condition {
  /** Whether it holds as far as it was observed. */
  readonly seems: () => boolean;
  /** Whether it holds as the API server has it now. */
  readonly holds: () => Promise<boolean>;
  /** What keeps it from holding, as far as it was observed. Each other problem is reported. When absent: nothing is known of that. */
  readonly problem?: () => string | undefined;
  /** What others have to do first, at a time that they choose. When absent: nothing. */
  readonly queue?: () => string | undefined;
  /** In ms: others want the place of a wait in a queue, which is given up after this without a change. When absent: nobody wants it. */
  readonly placeMs?: number | undefined;
}

/** After so many changes without an end, a place that others want is given up, too. */
const mostTurns = 10;

/** A deadline means nothing for what could not be observed by then. */
export function throwIfUnobserved({ problem }: Pick<Observation, 'problem'>, signal: AbortSignal): void {
  if (isLate(signal) && problem !== undefined) throw new CannotLook(`cannot look: ${problem}`);
}

/** What was in the way says more than that it took too long. */
function throwIfEnded(signal: AbortSignal, problem: string | undefined): void {
  if (isLate(signal) && problem !== undefined)
    throw new Interruption('deadline', `${(signal.reason as Error).message}: ${problem}`);
  signal.throwIfAborted();
}

/**
 * Resolves once the condition holds, and rejects with the reason of the signal when that aborts: at a deadline with the last problem, too, with
 * `CannotLook` if nothing could be observed, and with `Queued` if it waits for others. It closes the observation.
 */
export async function untilHolds(observed: Observation, condition: Condition, wait: ObservationWait): Promise<void> {
  const { signal, report } = wait;
  let told: string | undefined;
  let turns = 0;
  try {
    for (let isDue = false; ; ) {
      if (await observed.current(wait)) told = undefined;
      throwIfUnobserved(observed, signal);
      const queue = condition.queue?.();
      if (isLate(signal) && queue !== undefined) throw new Queued(queue);
      throwIfEnded(signal, told);
      const seems = condition.seems();
      if ((seems || isDue) && (await condition.holds())) return;
      const problem = condition.problem?.();
      if (problem !== undefined && problem !== told) report({ message: problem });
      told = problem ?? told;
      const placeMs = queue === undefined ? undefined : condition.placeMs;
      turns = placeMs === undefined ? 0 : turns + 1;
      if (queue !== undefined && placeMs !== undefined && (isDue || turns > mostTurns)) throw new Queued(queue);
      const changed = await observed.next(seems ? recheckMs : (placeMs ?? resyncMs), signal);
      isDue = changed.size === 0;
    }
  } finally {
    observed.close();
  }
}
