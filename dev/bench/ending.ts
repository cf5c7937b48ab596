// Aborts work when a process that it needs has ended.
import { setTimeout as pause } from 'node:timers/promises';

/** A connection breaks before the end of the process behind it is reported. */
const reportMs = 1_000;

/** Rejects with the reason of `ended` as soon as there is one; `work` may go on for as long as what it waits for has not ended. */
export async function unlessEnded<T>(ended: AbortSignal, work: () => Promise<T>): Promise<T> {
  ended.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onEnd = (): void => reject(ended.reason);
  ended.addEventListener('abort', onEnd, { once: true });
  try {
    return await Promise.race([promise, work()]);
  } catch (error) {
    await Promise.race([promise, pause(reportMs)]);
    throw error;
  } finally {
    ended.removeEventListener('abort', onEnd);
  }
}
