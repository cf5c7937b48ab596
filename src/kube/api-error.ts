// Classifies error responses of the API server.
import { StoreError, type StoreErrorCategory } from '../lib/store-error.ts';

/** `status` is 0 if there was no response. */
export class ApiError extends StoreError {
  readonly status: number;
  /** As the API server states it, for example `AlreadyExists`. */
  readonly reason: string | undefined;
  constructor(category: StoreErrorCategory, message: string, options: ApiErrorOptions = {}) {
    super(category, message, options);
    this.status = options.status ?? 0;
    this.reason = options.reason;
  }
}

interface ApiErrorOptions {
  readonly status?: number;
  readonly reason?: string | undefined;
  readonly cause?: unknown;
  readonly retryAfterMs?: number;
}

/** An error response. */
export interface ApiRefusal {
  readonly status: number;
  readonly contentType: string;
  /** The raw header Retry-After. */
  readonly retryAfter: string | undefined;
  readonly text: string;
}

interface StatusBody {
  readonly message?: unknown;
  readonly reason?: unknown;
}

const longestMessage = 1024;

/**
 * | response                                           | category    |
 * |----------------------------------------------------|-------------|
 * | 409                                                | conflict    |
 * | 422 about uid: the object was recreated            | conflict    |
 * | 404 as a Status object                             | gone        |
 * | 500 "failed to create typed patch object"          | invalid     |
 * | 400, 405, 406, 413, 415, other 422                 | invalid     |
 * | 403                                                | forbidden   |
 * | 429, and 503 with Retry-After                      | throttled   |
 * | everything else                                    | unreachable |
 *
 * A 404 in plain text is `unreachable`: the kind is not served, which does not mean that its objects are gone.
 */
export function refusalError(action: string, refusal: ApiRefusal): ApiError {
  const why = explain(refusal);
  const retryAfterMs = parseRetryAfter(refusal.retryAfter);
  const reason = parseStatus(refusal)?.reason;
  return new ApiError(categorize(refusal, why), `cannot ${action}: ${refusal.status} ${why}`, {
    status: refusal.status,
    reason: typeof reason === 'string' ? reason : undefined,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function categorize(refusal: ApiRefusal, why: string): StoreErrorCategory {
  switch (refusal.status) {
    case 409:
      return 'conflict';
    case 422:
      return /\buid\b/i.test(why) ? 'conflict' : 'invalid';
    case 404:
      return why === absentKind ? 'unreachable' : 'gone';
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
      return 'invalid';
    case 403:
      return 'forbidden';
    case 429:
      return 'throttled';
    case 503:
      return refusal.retryAfter === undefined ? 'unreachable' : 'throttled';
    case 500:
      // The API server answers 500 if an apply body does not match the schema, so a retry cannot help.
      return why.includes('failed to create typed patch object') ? 'invalid' : 'unreachable';
    default:
      return 'unreachable';
  }
}

/**
 * Whether an object of this name is there. Any other 409 means that two writes have met, also one of a quota that both count for: the object may
 * not be there.
 */
export const alreadyExists = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.reason === 'AlreadyExists';

/** Whether the API server does not serve the kind. */
export function kindAbsent(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.message.endsWith(absentKind);
}

const absentKind = 'the API server does not serve this kind (is its CustomResourceDefinition installed?)';

function explain(refusal: ApiRefusal): string {
  const status = parseStatus(refusal);
  // For a missing object the API server sends a Status object; for an unknown kind, plain text.
  if (refusal.status === 404 && status === undefined) return absentKind;
  if (status !== undefined && typeof status.message === 'string') return status.message.slice(0, longestMessage);
  return refusal.text.trim().slice(0, 200) || 'no explanation';
}

function parseStatus(refusal: ApiRefusal): StatusBody | undefined {
  if (!refusal.contentType.includes('json')) return undefined;
  try {
    const body: unknown = JSON.parse(refusal.text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The API server sends seconds. A date, which a proxy may send, is ignored. */
function parseRetryAfter(header: string | undefined): number | undefined {
  const seconds = Number(header);
  return header === undefined || !Number.isFinite(seconds) || seconds < 0 ? undefined : seconds * 1000;
}
