// Prints progress to a waiting user: at once, and then at least every ten seconds.
import { minutes } from '../../../src/lib/fetch/progress.ts';

export type Progress = (line: string) => void;

const REPEAT_AFTER_MS = 10_000;

/** Runs `work` and reports `describe()` with the elapsed time, as in `etcd: building from source (0:40)`. */
export async function reportWhile<T>(progress: Progress, describe: () => string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const report = (): void => progress(`${describe()} (${minutes(performance.now() - begun)})`);
  report();
  const timer = setInterval(report, REPEAT_AFTER_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
