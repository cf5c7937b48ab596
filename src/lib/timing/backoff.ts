// How long to wait after failures in a row. PURE.

export interface BackoffRange {
  /** Failures in a row, this one included. */
  readonly failures: number;
  readonly firstMs?: number;
  readonly maxMs?: number;
}

/** Doubles with each failure, from `firstMs` (1 s) to `maxMs` (1 min). */
export function backoffLimitMs({ failures, firstMs = 1_000, maxMs = 60_000 }: BackoffRange): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}

/**
 * Anywhere up to the limit (full jitter); `chance` is uniform in [0, 1). After a Retry-After (`afterMs`) up to a tenth is added, so that
 * not all who were sent away come back at once.
 */
export function backoffMs(range: BackoffRange & { readonly afterMs?: number }, chance: number): number {
  const { afterMs = 0 } = range;
  return Math.max(backoffLimitMs(range) * chance, afterMs * (1 + 0.1 * chance));
}
