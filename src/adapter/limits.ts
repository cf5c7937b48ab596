// How fast, and how much at once, may be sent to one service, and how large a message may be.

/** Of a request, of an answer that is about one object, and of the bytes of a job binary: services keep 5 MiB unless told otherwise. */
export const maxRowBytes = 8 * 1024 * 1024;

export interface Limits {
  readonly requestsPerSecond: number;
  /** Requests that may be sent at once after a quiet time. */
  readonly burst: number;
  readonly maxInFlight: number;
}

/** Throws a RangeError for limits under which nothing could ever be sent. */
export function checkLimits(limits: Limits): Limits {
  const { requestsPerSecond, burst, maxInFlight } = limits;
  if (!(requestsPerSecond > 0 && Number.isFinite(requestsPerSecond)))
    throw new RangeError('requestsPerSecond is not positive');
  if (!(burst >= 1)) throw new RangeError('burst is below 1');
  if (!(maxInFlight >= 1)) throw new RangeError('maxInFlight is below 1');
  return limits;
}
