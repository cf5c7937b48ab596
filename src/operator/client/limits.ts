// How fast, and how much at once, may be sent to one service, and how large a message may be.
import type { Size } from './json/extent.ts';

/** Of the bytes of a job binary, and of any request: services keep 5 MiB unless told otherwise. */
export const maxBinaryBytes = 8 * 1024 * 1024;

/** Bytes, in which there are no values to count. */
export const largestBinary: Size = {
  bytes: maxBinaryBytes,
  values: Number.POSITIVE_INFINITY,
  depth: Number.POSITIVE_INFINITY,
};

/** Nobody nests what an interface describes any deeper. */
const depth = 64;

/** Of one object in an answer, and of what else is read in one go: some tens of ms. Of a larger one only its outline is read. */
export const largestPiece: Size = { bytes: 1024 * 1024, values: 8_000, depth };

/** Of an answer with one object whose outline is read where it is larger than a piece. A cluster of 15,000 machines fits. */
export const largestRow: Size = { ...largestPiece, bytes: 8 * 1024 * 1024 };

/** Of all that is kept of an outline. */
export const largestOutline: Size = { bytes: 4 * 1024 * 1024, values: 100_000, depth };

/** Of one list. */
const mostRows = 50_000;
/** Of the others it is kept how many they are. */
export const mostUnreadable = 1_000;
/** Each costs the time of a good one. */
const mostRefused = 10_000;

export const fullText =
  `it has more than ${mostRows} entries, or ${mostRefused} that cannot be read: ` +
  'check that spec.endpoint is the service, and delete there what is not needed';

/** A list of more than anybody can have made is refused. */
export const isFull = (rows: number, refused: number): boolean => rows >= mostRows || refused >= mostRefused;

/** Of the details of a plugin and the hints for a job, which may have thousands of configurations: read only where somebody asks for them. */
export const largestDetails: Size = { bytes: maxBinaryBytes, values: 200_000, depth };

const kibibytes = (bytes: number): string => `${Math.ceil(bytes / 1024)} KiB`;

/** Of a piece with so many bytes that is larger than `most`, as the end of a sentence: what is wrong with it, and what can be done. */
export const tooLargeText = (bytes: number, most: Size): string =>
  `too large to be read, with ${kibibytes(bytes)} where at most ${kibibytes(most.bytes)} and ` +
  `${most.values} values are read, nested no deeper than ${most.depth}: shorten or delete it in the service`;

/** What is wrong with an answer of more than `most` bytes. `told`: how many, by its head; what came until now depends on chance. */
export function excessText(most: number, told?: number): string {
  const limit = kibibytes(most);
  const has = told === undefined ? `more than ${limit}` : `${kibibytes(told)}, of which at most ${limit} are read`;
  return `it has ${has}; shorten or delete in the service what it is about`;
}

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
