// Waiting with a limit: for a task that may hang, and for a condition that nothing announces.
import type { Clock } from './ports.ts';

export interface Limit {
  readonly clock: Clock;
  readonly ms: number;
  /** What to say when the time is over. */
  readonly late: string;
}

/** The answer of `task`, or an error with the text `late` after `ms`; a task that fails only after that is not heard any more. */
export async function within<T>({ clock, ms, late }: Limit, task: () => Promise<T>): Promise<T> {
  const expiry = Promise.withResolvers<never>();
  const cancel = clock.after(ms, () => expiry.reject(new Error(late)));
  try {
    return await Promise.race([task(), expiry.promise]);
  } finally {
    cancel();
  }
}

export interface WaitOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** Resolves once `condition` holds, which is looked at every `everyMs`, or once `signal` is aborted. */
export async function until(condition: () => boolean, { clock, everyMs, signal }: WaitOptions): Promise<void> {
  while (!condition() && !signal.aborted) {
    const turn = Promise.withResolvers<void>();
    const end = () => turn.resolve();
    const cancel = clock.after(everyMs, end);
    signal.addEventListener('abort', end);
    await turn.promise;
    signal.removeEventListener('abort', end);
    cancel();
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
