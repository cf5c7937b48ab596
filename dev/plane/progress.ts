// Prints progress to a waiting user: at once, and then at least every ten seconds.

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

/** Milliseconds as minutes and seconds: `2:05`. */
export function minutes(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The message of an error with those of its causes: `fetch` hides the reason of a failure in the innermost one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors.map(reasonOf).join('; ') : reasonOfCause(error);
  return [error.message, inner].filter((part) => part !== '').join(': ');
}

function reasonOfCause(error: Error): string {
  return error.cause === undefined ? '' : reasonOf(error.cause);
}
