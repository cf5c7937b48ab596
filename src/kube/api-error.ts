// Classifies error responses of the API server.
import { StoreError, type StoreErrorCategory } from '../lib/store-error.ts';

/** `status` is 0 if there was no answer of the API server itself: none at all, or one of a proxy between. */
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

/** What the API server sends with each refusal. Any other answer is from a proxy in between, and proves nothing about an object. */
interface StatusBody {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly message?: unknown;
  readonly reason?: unknown;
}

const longestMessage = 1024;

/**
 * | response                                                   | category    |
 * |------------------------------------------------------------|-------------|
 * | 409                                                        | conflict    |
 * | 422 about uid: the object was recreated                    | conflict    |
 * | 404 with the reason NotFound, of a kind that is served     | gone        |
 * | 500 "failed to create typed patch object"                  | invalid     |
 * | 400, 405, 406, 413, 415, other 422                         | invalid     |
 * | 403                                                        | forbidden   |
 * | 429, and 503 with Retry-After, whatever the body is        | throttled   |
 * | everything else, and other bodies than a Status object     | unreachable |
 */
export function refusalError(action: string, refusal: ApiRefusal): ApiError {
  const status = parseStatus(refusal);
  const reason = typeof status?.reason === 'string' ? status.reason : undefined;
  const retryAfterMs = parseRetryAfter(refusal.retryAfter);
  const why = explain(refusal, status);
  const isOfServer = status !== undefined || why === absentKind || refusal.status === 429 || refusal.status >= 500;
  return new ApiError(categorize(refusal, why, status), `cannot ${action}: ${refusal.status} ${why}`, {
    status: isOfServer ? refusal.status : 0,
    reason,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function categorize(refusal: ApiRefusal, why: string, status: StatusBody | undefined): StoreErrorCategory {
  if (refusal.status === 429 || (refusal.status === 503 && refusal.retryAfter !== undefined)) return 'throttled';
  if (status === undefined) return 'unreachable';
  switch (refusal.status) {
    case 409:
      return 'conflict';
    case 422:
      return /\buid\b/i.test(why) ? 'conflict' : 'invalid';
    case 404:
      return status.reason === 'NotFound' && why !== absentKind ? 'gone' : 'unreachable';
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
      return 'invalid';
    case 403:
      return 'forbidden';
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
export function alreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason === 'AlreadyExists';
}

/** Whether the API server does not serve the kind. */
export function kindAbsent(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.message.endsWith(absentKind);
}

const absentKind = 'the API server does not serve this kind (is its CustomResourceDefinition installed?)';

/** Of a path that is not served: as text for an unknown group, and as the message of a Status for an unknown kind of a known one. */
const absentTexts: readonly unknown[] = ['404 page not found', 'the server could not find the requested resource'];

function explain({ status: code, text }: ApiRefusal, status: StatusBody | undefined): string {
  const said = status === undefined ? text.trim() : status.message;
  if (code === 404 && absentTexts.includes(said)) return absentKind;
  if (status !== undefined && typeof said === 'string') return said.slice(0, longestMessage);
  const begin = text.trim().slice(0, 200) || 'no explanation';
  return status !== undefined || code === 429 || code >= 500 ? begin : `not from the API server: ${begin}`;
}

function parseStatus(refusal: ApiRefusal): StatusBody | undefined {
  if (!refusal.contentType.includes('json')) return undefined;
  try {
    const body = JSON.parse(refusal.text) as Partial<StatusBody> | null;
    return body?.kind === 'Status' && body.apiVersion === 'v1' ? (body as StatusBody) : undefined;
  } catch {
    return undefined;
  }
}

/** The API server sends seconds. A date, which a proxy may send, is ignored. */
function parseRetryAfter(header: string | undefined): number | undefined {
  const seconds = Number(header);
  return header === undefined || !Number.isFinite(seconds) || seconds < 0 ? undefined : seconds * 1000;
}
