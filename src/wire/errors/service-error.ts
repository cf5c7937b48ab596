// The error class for all failed requests to the service. `table.ts` maps answers to errors.

export const categories = [
  'unreachable',
  'throttled',
  'unauthorized',
  'notFound',
  'conflict',
  'rejected',
  'serverFault',
  'malformed',
] as const;
export type Category = (typeof categories)[number];

/**
 * What is known about the effect of a failed write. definite: it had none (never sent, 401, 403, 429). answered: the service itself answered a 4xx,
 * or anybody a redirect, so the request has ended, and a LIST that begins after the answer shows its effect. open: it may have been done, or may
 * still be.
 */
export type Certainty = 'definite' | 'answered' | 'open';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RequestLine {
  readonly method: Method;
  /** Without the endpoint and the query. */
  readonly path: string;
  /** Whether the request is about a whole collection, so that a 404 does not mean that an object is missing. */
  readonly collection?: boolean;
}

/** How a request failed. `code`: an error code of the system, the HTTP library or the client: see `causes.ts`. */
export type Failure =
  | { readonly phase: 'unsent'; readonly code: string; readonly text?: string; readonly category?: Category }
  | { readonly phase: 'unanswered'; readonly code: string; readonly text?: string }
  | ({ readonly phase: 'answered' } & Answered);

export interface Answered {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
  /** The `Date` header, which a `Retry-After` with a date is relative to. */
  readonly date?: string | undefined;
  readonly location?: string | undefined;
  /** The problem with the body of a 2xx. */
  readonly problem?: string | undefined;
}

export interface ErrorVerdict {
  readonly category: Category;
  readonly certainty: Certainty;
  /** The reason as part of a sentence, with the service's own text if there is one. */
  readonly why: string;
  /** The service's own text without parts that change between attempts, at most 500 characters. */
  readonly detail: string;
  readonly status?: number;
  readonly errorName?: string;
  readonly retryAfterMs?: number;
  /** Whether a create was refused because its name is in use, in any spelling that services have for it. */
  readonly nameTaken: boolean;
  /** Whether a delete was refused because something still refers to the object. */
  readonly inUse: boolean;
  /**
   * Whether the body has the three attributes of section 7 and `error_code` equals the status. Only then does a 404 mean that the object is missing.
   */
  readonly ownShape: boolean;
  /** The settings of the Connection are wrong: no try will succeed until a user changes them. */
  readonly needsUser?: true;
  /** The request was not sent, because what it was decided by has changed. */
  readonly isOutdated?: true;
}

/** A failed request to the service. Its texts contain no secrets. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly request: RequestLine;
  readonly category: Category;
  readonly certainty: Certainty;
  readonly why: string;
  readonly detail: string;
  readonly status: number | undefined;
  readonly errorName: string | undefined;
  /** How long the service asks to wait, at most an hour. */
  readonly retryAfterMs: number | undefined;
  readonly nameTaken: boolean;
  readonly inUse: boolean;
  readonly ownShape: boolean;
  /** No try is likely to succeed until a user changes something: credentials, an address, or what the request asks for. */
  readonly needsUser: boolean;
  /** A quota is used up. It may be freed by anybody, at any time. */
  readonly isQuota: boolean;
  /** It was not sent, because what it was decided by has changed: it has to be decided anew. */
  readonly isOutdated: boolean;

  constructor(request: RequestLine, verdict: ErrorVerdict) {
    super(`cannot ${request.method} ${request.path}: ${verdict.why}`);
    this.request = { method: request.method, path: request.path };
    this.category = verdict.category;
    this.certainty = verdict.certainty;
    this.why = verdict.why;
    this.detail = verdict.detail;
    this.status = verdict.status;
    this.errorName = verdict.errorName;
    this.retryAfterMs = verdict.retryAfterMs;
    this.nameTaken = verdict.nameTaken;
    this.inUse = verdict.inUse;
    this.ownShape = verdict.ownShape;
    this.isQuota = isQuota(verdict);
    this.isOutdated = verdict.isOutdated ?? false;
    this.needsUser = verdict.needsUser ?? needsUser(request, verdict);
  }
}

const isQuota = ({ errorName = '' }: ErrorVerdict): boolean => /quota/i.test(errorName);

const needsUser = ({ method }: RequestLine, verdict: ErrorVerdict): boolean => {
  const { category, status } = verdict;
  switch (category) {
    case 'unauthorized':
      return true;
    case 'malformed':
      // A path that is not there.
      return status === 404 || status === 405;
    case 'rejected':
    case 'notFound':
      return (method === 'POST' || method === 'PUT') && !isQuota(verdict);
    default:
      return false;
  }
};

/**
 * The error without the text of the answer, which may repeat any part of a secret file. The name of the error stays if it is a plain word
 * of the interface.
 */
export const withoutText = (error: ServiceError): ServiceError => {
  if (error.status === undefined) return error;
  const { request, errorName, retryAfterMs, status, category, certainty, nameTaken, inUse, ownShape } = error;
  const name = errorName !== undefined && /^[A-Z_]{1,40}$/.test(errorName) ? errorName : undefined;
  const why = `the service answered ${status}${name === undefined ? '' : ` (${name})`}; its text is not shown, because the request contained a Secret`;
  return new ServiceError(request, {
    category,
    certainty,
    nameTaken,
    inUse,
    ownShape,
    why,
    detail: '',
    status,
    ...(name !== undefined && { errorName: name }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(error.needsUser && { needsUser: true }),
  });
};

/** The message `cannot <verb> <thing>: <why>`. The same problem gives the same message on every attempt. */
export const explain = (verb: string, thing: string, error: ServiceError): string =>
  `cannot ${verb} ${thing}: ${error.why}`;
