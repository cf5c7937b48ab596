// Waiting on the injected clock.
import type { Clock } from '../ports.ts';

/** Resolves after `ms`, or as soon as the signal aborts. Never rejects. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.after(ms, wake);
    signal.addEventListener('abort', wake);
  });
}

interface WaitOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** Polls `condition` until it is true or `signal` aborts. */
export async function until(condition: () => boolean, { clock, everyMs, signal }: WaitOptions): Promise<void> {
  while (!condition() && !signal.aborted) await sleep(clock, everyMs, signal);
}

interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  /** The message of the error after `ms`. */
  readonly late: string;
}

/** Rejects if `task` takes longer than `ms`. A later rejection of `task` is ignored. */
export async function within<T>({ clock, ms, late }: TimeLimit, task: () => Promise<T>): Promise<T> {
  const expiry = Promise.withResolvers<never>();
  const cancel = clock.after(ms, () => expiry.reject(new Error(late)));
  try {
    return await Promise.race([task(), expiry.promise]);
  } finally {
    cancel();
  }
}
