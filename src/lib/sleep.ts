// Waiting on the injected clock.
import type { Clock } from './ports.ts';

/** Resolves after `ms`, or at once when the signal aborts; never rejects. */
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
