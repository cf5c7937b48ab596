// Request bodies: JSON, text or bytes, depending on the endpoint (section 5).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJson } from '../../../lib/json.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import { Refusal } from '../../model/refusal.ts';
import { endpointOf } from '../../resources/endpoints/endpoint.ts';
import type { TakeTurn } from './turns.ts';

const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** Upstream treats a body without Content-Length as empty. */
const isUnread = (dialect: Dialect, request: FastifyRequest): boolean =>
  dialect !== 'neutral' && endpointOf(request) !== undefined && request.headers['content-length'] === undefined;

const unlabelled = (what: string): Refusal =>
  Refusal.by('otherType', `cannot read body: Content-Type ${what}; send application/json`);

/**
 * Section 5: bodies are JSON unless the route says otherwise, and must be labeled so, because a form on a web page can send any text. An empty body
 * is an empty object.
 */
function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  if (request.is404 || request.method === 'DELETE') return undefined;
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const isForm = type !== undefined && forms.includes(type);
  const reads = endpointOf(request)?.reads;
  if (reads === 'bytes') return isForm ? Buffer.alloc(0) : bytes;
  const text = bytes.toString();
  if (reads === 'text') {
    if (isForm) throw Refusal.by('form', `cannot read body: its type is ${type}, a form`);
    return text;
  }
  if (text === '') return {};
  if (type !== 'application/json') throw unlabelled(type === undefined ? 'is missing' : `is ${type}`);
  try {
    return parseJson(text);
  } catch (error) {
    throw Refusal.by('notJson', `cannot read body: ${(error as Error).message}`);
  }
}

/** Must be mounted before the routes. `takeTurn`: a body is parsed when it is its turn, so that what is made of others does not wait in memory. */
export function mountBodies(app: FastifyInstance, dialect: Dialect, takeTurn: TakeTurn): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    takeTurn(request, () => {
      let body: unknown;
      try {
        body = parseBody(request, isUnread(dialect, request) ? Buffer.alloc(0) : (bytes as Buffer));
      } catch (error) {
        return done(error as Error);
      }
      done(null, body);
    });
  });
}
