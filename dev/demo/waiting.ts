// Waits for a condition with a time limit, and reports why it is not met.
import { setTimeout as pause } from 'node:timers/promises';

export interface Bound {
  readonly withinMs: number;
  readonly everyMs?: number;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal;
}

/** The result of a probe while the condition is not met. Any other result ends the wait. */
export class NotYet {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** The first answer of `probe` that is not NotYet. Throws `cannot <what>: ... within N s` with the last reason; errors of `probe` pass. */
export async function waitUntil<T>(what: string, probe: () => Promise<T | NotYet>, bound: Bound): Promise<T> {
  const begun = performance.now();
  for (;;) {
    bound.signal?.throwIfAborted();
    const answer = await probe();
    if (!(answer instanceof NotYet)) return answer;
    if (performance.now() - begun > bound.withinMs) {
      throw new Error(`cannot ${what}: not within ${bound.withinMs / 1000} s; ${answer.why}`);
    }
    await pause(bound.everyMs ?? 100);
  }
}
