// Limits of the rate and of the size of messages.
import type { Size } from './json/extent.ts';

export const maxRequestBytes = 8 * 1024 * 1024;

const depth = 64;

/** The maximum of anything that is parsed in one go, except for clusters. It takes some ms. */
export const largestPiece: Size = { bytes: 1024 * 1024, values: 8_000, depth };

/** The maximum of a cluster, which takes up to 100 ms. One of 15,000 machines fits. */
const largestCluster: Size = { bytes: 8 * 1024 * 1024, values: 250_000, depth };

/** The maximum of one object of a collection. */
export function mostOf({ large }: { readonly large?: true }): Size {
  return large ? largestCluster : largestPiece;
}

const mostRows = 50_000;
/** Further unreadable rows are only counted. */
export const mostUnreadable = 1_000;
const mostRefused = 10_000;

export const fullText =
  `it has more than ${mostRows} entries, or ${mostRefused} that cannot be read: ` +
  'check that spec.endpoint is correct, and delete what is not needed from the service';

export function isFull(rows: number, refused: number): boolean {
  return rows >= mostRows || refused >= mostRefused;
}

function kibibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}

/** The end of a sentence about a piece that exceeds `most`. */
export function tooLargeText(bytes: number, most: Size): string {
  return (
    `too large to be read (${kibibytes(bytes)}); the limits are ${kibibytes(most.bytes)}, ${most.values} values and ` +
    `${most.depth} levels. Shorten or delete it in the service`
  );
}

/** `length` is the Content-Length of the answer, if it has one. */
export function excessText(most: number, length?: number): string {
  const limit = kibibytes(most);
  const has = length === undefined ? `more than ${limit}` : `${kibibytes(length)}, but at most ${limit} are read`;
  return `it has ${has}. Shorten or delete the object in the service`;
}

export interface Limits {
  readonly requestsPerSecond: number;
  /** Requests that may be sent at once after an idle time. */
  readonly burst: number;
  readonly maxInFlight: number;
}

/** What a user allows at most. Where nothing is set, the service decides by its answers. */
export type Ceiling = { readonly [name in keyof Limits]?: Limits[name] | undefined };

/** Throws a RangeError for limits that would block all requests. */
export function checkLimits(limits: Limits): Limits {
  const { requestsPerSecond, burst, maxInFlight } = limits;
  if (!(requestsPerSecond > 0 && Number.isFinite(requestsPerSecond)))
    throw new RangeError('requestsPerSecond is not positive');
  if (!(burst >= 1)) throw new RangeError('burst is below 1');
  if (!(maxInFlight >= 1)) throw new RangeError('maxInFlight is below 1');
  return limits;
}
