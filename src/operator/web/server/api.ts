// Answers /api/objects: authenticates, limits, and lets a client keep what it has.
import { createHash } from 'node:crypto';
import type { Clock } from '../../../lib/ports.ts';
import { TokenBucket } from '../../../lib/timing/token-bucket.ts';
import { within } from '../../../lib/timing/wait.ts';
import { permissionsOf, ReviewError, type Reviews, type WebUser } from '../access/permissions.ts';
import { overviewOf, type Sources } from '../view/overview.ts';
import { type Question, readQuestion } from '../view/question.ts';
import { problem, type WebReply } from './reply.ts';
import type { WebRequest } from './web-server.ts';

interface ApiOptions {
  readonly sources: Sources;
  readonly reviews: Reviews;
  readonly clock: Clock;
  /** Why there are no objects yet; undefined once the caches are synced. */
  readonly unready: () => string | undefined;
}

/** Of all users together: an answer reads the whole cache, which takes 40 ms for 10,000 objects. */
const answerRate = { perSecond: 10, burst: 60 } as const;
const longestMs = 15_000;
const retryAfter = { 'retry-after': '5' } as const;

export function createApi(options: ApiOptions): (request: WebRequest) => Promise<WebReply> {
  const bucket = new TokenBucket(options.clock, answerRate);
  const { clock } = options;
  return async (request) => {
    try {
      return await within({ clock, ms: longestMs, late: 'late' }, async () => reply(options, bucket, request));
    } catch (error) {
      if (error instanceof ReviewError) return problem(error.status, error.message, retryAfter);
      if (error instanceof Error && error.message === 'late')
        return problem(503, 'the API server answers too slowly: try again', retryAfter);
      throw error;
    }
  };
}

async function reply(options: ApiOptions, bucket: TokenBucket, request: WebRequest): Promise<WebReply> {
  const { sources, reviews, unready } = options;
  const token = bearerOf(request.authorization);
  if (token === undefined) return unauthorized('send a bearer token in the header Authorization');
  const user = await reviews.userOf(token);
  if (user === undefined) return unauthorized('the token is not valid');
  const question = readQuestion(request.query, sources.definitions);
  if (typeof question === 'string') return problem(400, question);
  const reason = unready();
  if (reason !== undefined) return problem(503, reason, retryAfter);
  if (bucket.waitMs() > 0) return problem(429, 'too many requests: try again', retryAfter);
  bucket.take();
  const answer = await overviewOf(sources, { question, permissions: permissionsOf(reviews, user) });
  if (answer === undefined) return problem(403, forbidden(user, question));
  return fresh(JSON.stringify(answer), request.ifNoneMatch);
}

/** 304 if the client has the answer already. */
function fresh(body: string, known: string | undefined): WebReply {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const type = 'application/json';
  return known === etag
    ? { status: 304, type, body: '', headers: { etag } }
    : { status: 200, type, body, headers: { etag } };
}

/** Any of the characters that RFC 6750 allows, so that nothing else reaches the API server. */
function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(?<token>[A-Za-z0-9._~+/-]+=*)$/i.exec(header ?? '')?.groups?.['token'];
}

function unauthorized(message: string): WebReply {
  return problem(401, message, { 'www-authenticate': 'Bearer' });
}

function forbidden({ name }: WebUser, { resource = 'any kind', namespace }: Question): string {
  const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
  const remedy = namespace === undefined ? 'the permission to list them' : 'the role view there';
  return `the user ${name.slice(0, 256)} may not list ${resource}${where}: ask for ${remedy}`;
}
