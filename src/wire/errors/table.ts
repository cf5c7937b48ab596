// The classification of failures: from method, phase, status and body to a category and the certainty about the effect.
import { redact } from './redaction.ts';
import {
  type Answered,
  type Certainty,
  type ErrorVerdict,
  type Failure,
  type Method,
  type RequestLine,
  ServiceError,
} from './service-error.ts';
import { cleanText, type ErrorBody, quotable, readErrorBody, redirectTarget } from './shapes.ts';
import { causeOf, speaksTls } from './transport-causes.ts';

type Why = Pick<ErrorVerdict, 'category' | 'why' | 'needsUser' | 'isOutdated'>;

const nameTaken = /(?:^|_)NAME_ALREADY_EXISTS$|^DB_DUPLICATE_ENTRY$/i;
const referredTo = /^INVALID_REFERENCE$|(?:^|_)IN_USE$/i;
/** Deletes are refused under this name for two reasons. Only this one goes away by waiting, unlike protection and foreign ownership. */
const stillUsed = /\bused\b|\bin use\b|\breferenced\b|\bexecution|^Job deletion failed/i;

const quoted = (body: ErrorBody): string => {
  const name = body.errorName === undefined || /^\d*$/.test(body.errorName) ? '' : ` (${body.errorName})`;
  return body.text === '' ? `it gave no reason${name}` : `${quotable(body.text)}${name}`;
};

const isInUse = (method: Method, status: number, body: ErrorBody): boolean => {
  const { errorName: name } = body;
  if (method !== 'DELETE' || name === undefined || (status !== 400 && status !== 409)) return false;
  return referredTo.test(name) || (name === 'DELETION_FAILED' && stillUsed.test(body.text));
};

const isTaken = (method: Method, status: number, { errorName }: ErrorBody): boolean =>
  method !== 'DELETE' && (status === 400 || status === 409) && errorName !== undefined && nameTaken.test(errorName);

// ------------------------------------------------------------------------------------------------------------------------
// status            body                 category      certainty of a write
// 2xx               not what it must be  malformed     open        a 200 may hold a 404 written out as text: read again
// 3xx               any                  malformed     answered    redirects are not followed: the redirecting server did nothing
// 1xx               any                  malformed     open
// 401               any                  unauthorized  definite    JSON: the token; text: the tenant does not fit the token
// 403               any                  unauthorized  definite
// 404               own                  notFound      answered    the only 404 that proves anything about an object; malformed
//                                                                  where the request is about a whole collection
// 404, 405          framework            malformed     answered    the service does not know the path: endpoint or dialect
// 404, 405          other                malformed     open        it is not known who answered
// 408, 425          any                  unreachable   open
// 409, name taken, in use                conflict      answered    (open unless own)
// 429               any                  throttled     definite
// 400               asks for TLS         unreachable   open        the endpoint needs https://
// other 4xx         own                  rejected      answered    400 with NOT_FOUND: something the body refers to is missing
// other 4xx         other                rejected      open        a proxy may have answered
// 5xx               any                  serverFault   open
// not answered                           by its cause  open; definite when the request was never sent
// ------------------------------------------------------------------------------------------------------------------------
const judgeStatus = ({ method, collection = false }: RequestLine, answer: Answered, body: ErrorBody): Why => {
  const { status } = answer;
  if (status >= 500 && status < 600) return { category: 'serverFault', why: explainFault(status, body) };
  if (status < 400 || status > 499) return { category: 'malformed', why: explainOdd(answer) };
  switch (status) {
    case 401:
      return { category: 'unauthorized', why: explainUnauthorized(body) };
    case 403:
      return { category: 'unauthorized', why: `the credentials do not allow it: ${quoted(body)}` };
    case 404:
    case 405:
      if (body.shape === 'own' && status === 404 && !collection)
        return { category: 'notFound', why: `the service has no such object: ${quoted(body)}` };
      return { category: 'malformed', why: explainUnknownPath(body) };
    case 408:
    case 425:
      return { category: 'unreachable', why: 'the service did not take the request in time' };
    case 429:
      return { category: 'throttled', why: 'the service asks for fewer requests' };
    default:
      return judgeRefusal(method, status, body);
  }
};

/** How Go, nginx and Apache answer plain HTTP on a port for TLS. */
const expectsTls =
  /HTTP request (?:to an HTTPS server|was sent to HTTPS port)|plain HTTP to an SSL-enabled server port/i;

const judgeRefusal = (method: Method, status: number, body: ErrorBody): Why => {
  if (isTaken(method, status, body)) return { category: 'conflict', why: `the name is taken: ${quoted(body)}` };
  if (isInUse(method, status, body)) return { category: 'conflict', why: `it is in use: ${quoted(body)}` };
  if (status === 400 && body.shape === 'text' && expectsTls.test(body.text)) return speaksTls;
  if (body.shape !== 'own')
    return {
      category: status === 409 ? 'conflict' : 'rejected',
      why: `refused, and not in the service's own form: ${quoted(body)}`,
    };
  return { category: status === 409 ? 'conflict' : 'rejected', why: `the service refused it: ${quoted(body)}` };
};

const explainUnauthorized = (body: ErrorBody): string => {
  if (body.shape !== 'text' && body.shape !== 'empty') return `the service does not accept the token: ${quoted(body)}`;
  return `the token does not belong to this tenant, so a new token of the same project will not help: ${quoted(body)}`;
};

const explainUnknownPath = (body: ErrorBody): string => {
  const byService = body.shape === 'own' || body.shape === 'framework';
  const who = byService ? 'the service does not know this path' : 'the path does not exist, or a proxy answers';
  const what = `${who}: check endpoint, tenant and dialect`;
  return body.text === '' ? what : `${what}: ${quoted(body)}`;
};

/** Uses only the service's own text, because a gateway may answer 502, 503 or 504 on different attempts. */
const explainFault = (status: number, body: ErrorBody): string => {
  if (body.shape === 'own' || body.shape === 'framework') return `the service failed: ${quoted(body)}`;
  return status === 503 ? 'the service is unavailable, or the token has no project' : 'the service is unavailable';
};

const brokenRead = /^\s*"<Response .*>"\s*$/s;

const explainOdd = ({ status, body, location, problem }: Answered): string => {
  if (status >= 300 && status < 400) {
    return `the service redirects to ${location}; redirects are not followed: set the endpoint to where the service is`;
  }
  if (brokenRead.test(body)) return 'the object changed while the service read it; it must be read again';
  if (status < 200 || status > 299) return 'the answer has a status that HTTP does not know';
  return `the answer does not follow the API: ${problem}`;
};

const certaintyOf = (status: number, body: ErrorBody): Certainty => {
  if (status === 401 || status === 403 || status === 429) return 'definite';
  if (status >= 300 && status < 400) return 'answered';
  const ended = status >= 400 && status < 500 && status !== 408 && status !== 425;
  return ended && (body.shape === 'own' || body.shape === 'framework') ? 'answered' : 'open';
};

const hour = 3_600_000;

/** `Retry-After` in ms. A date is relative to the answer's own `Date`, so no clock is needed. */
export const retryAfterMs = ({ retryAfter, date }: Answered): number | undefined => {
  if (retryAfter === undefined) return undefined;
  const text = retryAfter.trim();
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(date ?? '');
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), hour);
};

const judgeAnswer = (request: RequestLine, answer: Answered, secrets: readonly string[]): ErrorVerdict => {
  const { method } = request;
  const body = readErrorBody(answer.status, answer.body, secrets);
  const location = redirectTarget(answer.location, secrets);
  const problem = cleanText(answer.problem ?? 'its body has another form', secrets);
  const wait = retryAfterMs(answer);
  return {
    ...judgeStatus(request, { ...answer, location, problem }, body),
    certainty: certaintyOf(answer.status, body),
    detail: body.text,
    status: answer.status,
    ...(body.errorName !== undefined && { errorName: body.errorName }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    nameTaken: isTaken(method, answer.status, body),
    inUse: isInUse(method, answer.status, body),
    ownShape: body.shape === 'own',
  };
};

const unanswered = { detail: '', nameTaken: false, inUse: false, ownShape: false } as const;

type Unanswered = Exclude<Failure, { readonly phase: 'answered' }>;

const explainCause = ({ code, text = '' }: Unanswered, secrets: readonly string[]): Why => {
  const { why, ...cause } = causeOf(code);
  const clean = cleanText(text, secrets);
  return { ...cause, why: clean === '' ? why : `${why}: ${clean}` };
};

const judge = (request: RequestLine, failure: Failure, secrets: readonly string[]): ErrorVerdict => {
  switch (failure.phase) {
    case 'unsent': {
      const { category, ...cause } = explainCause(failure, secrets);
      return { ...unanswered, ...cause, category: failure.category ?? category, certainty: 'definite' };
    }
    case 'unanswered':
      return { ...unanswered, ...explainCause(failure, secrets), certainty: 'open' };
    case 'answered':
      return judgeAnswer(request, failure, secrets);
  }
};

/**
 * Classifies one failed request. Pure and total: no body, status or code makes it throw. `secrets` (the token that was sent) are removed from every
 * text, even if the service echoes them.
 */
export const classify = (request: RequestLine, failure: Failure, secrets: readonly string[] = []): ServiceError => {
  const { method, path } = request;
  return new ServiceError({ method, path: redact(path, secrets) }, judge(request, failure, secrets));
};
