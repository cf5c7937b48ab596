// What can go wrong between us and the service, as one error class. Which answer is which error: `error-table.ts`.

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
 * What is known about the effect of a failed write.
 * definite: it surely had none (never sent, 401, 403, 429). answered: the service itself answered a 4xx, so the request has ended;
 * a LIST begun after the answer tells what it left. open: it may have been done, or may still be.
 */
export type Certainty = 'definite' | 'answered' | 'open';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RequestLine {
  readonly method: Method;
  /** Without the endpoint and without the query. */
  readonly path: string;
  /** True: it is about a whole collection, so a 404 cannot mean that an object is not there. */
  readonly collection?: boolean;
}

/** How a request ended badly. `code`: the system's or library's error code, or one of the adapter's own in `error-causes.ts`. */
export type Failure =
  | { readonly phase: 'unsent'; readonly code: string; readonly text?: string; readonly category?: Category }
  | { readonly phase: 'unanswered'; readonly code: string; readonly text?: string }
  | ({ readonly phase: 'answered' } & Answered);

export interface Answered {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
  /** The `Date` header: what a `Retry-After` that is a date is measured from. */
  readonly date?: string | undefined;
  readonly location?: string | undefined;
  /** What is wrong with the body of a 2xx. */
  readonly problem?: string | undefined;
}

/** The judgement of one failure. */
export interface ErrorVerdict {
  readonly category: Category;
  readonly certainty: Certainty;
  /** One sentence part for people: what is wrong, with the service's own text where there is one. */
  readonly why: string;
  /** The service's own text, cleaned of what changes between tries, at most 500 characters. */
  readonly detail: string;
  readonly status?: number;
  readonly errorName?: string;
  readonly retryAfterMs?: number;
  /** A create was refused because its name is in use, in any of the spellings that services have for it. */
  readonly nameTaken: boolean;
  /** A delete was refused because something still refers to the object. */
  readonly inUse: boolean;
  /** The body has the three attributes of section 7 and `error_code` equals the status. Only then does a 404 mean "not there". */
  readonly ownShape: boolean;
}

/** Every failure of a request to the service. Its texts hold no secret. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly request: RequestLine;
  readonly category: Category;
  readonly certainty: Certainty;
  readonly why: string;
  readonly detail: string;
  readonly status: number | undefined;
  readonly errorName: string | undefined;
  /** Milliseconds that the service asked to wait, at most an hour. */
  readonly retryAfterMs: number | undefined;
  readonly nameTaken: boolean;
  readonly inUse: boolean;
  readonly ownShape: boolean;

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
  }
}

/** The sentence for people: `cannot <verb> <thing>: <why>`. The same trouble gives the same sentence on every try. */
export function explain(verb: string, thing: string, error: ServiceError): string {
  return `cannot ${verb} ${thing}: ${error.why}`;
}
