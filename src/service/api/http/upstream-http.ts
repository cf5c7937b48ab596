// What upstream does with every request: it adds a request id, and answers only in JSON.
import type { FastifyInstance } from 'fastify';
import type { Random } from '../../../lib/ports.ts';
import { createId } from '../../model/records/identifiers.ts';
import { invalidData } from '../../model/refusal.ts';
import { endpointOf } from '../../resources/endpoints/endpoint.ts';

export const idHeader = 'x-openstack-request-id';

/** Only the first id is random, because reading must not change the identifiers of later records. */
export function createRequestIds(random: Random): () => string {
  const begin = createId(random).slice(0, -12);
  let count = 0;
  return () => {
    count += 1;
    return `req-${begin}${count.toString(16).padStart(12, '0')}`;
  };
}

const isBlank = (accept: string | undefined): accept is undefined => accept === undefined || accept.trim() === '';

/** Whether one of the comma-separated media ranges contains the type. */
const admits = (accept: string, wanted: string): boolean =>
  accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const holding = ['*/*', `${wanted.split('/')[0]}/*`, wanted];
    return holding.includes(type) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

/** Whether a client with this Accept header accepts JSON. */
const admitsJson = (accept: string | undefined): boolean => isBlank(accept) || admits(accept, 'application/json');

/** Whether a client with this Accept header accepts HTML. A client without the header is not a browser. */
export const admitsHtml = (accept: string | undefined): boolean => !isBlank(accept) && admits(accept, 'text/html');

const hasSuffix = (url: string | undefined): boolean => url?.split('?')[0]?.endsWith('.json') === true;

/** Must be mounted before all other hooks, so that refusals have a request id, too. */
export function mountUpstream(app: FastifyInstance, nextId: () => string): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header(idHeader, nextId());
    done();
  });
  // Late upstream intends this refusal, but answers 500. Bytes are sent whatever the client accepts.
  app.addHook('preHandler', (request, _reply, done) => {
    const endpoint = endpointOf(request);
    const { accept } = request.headers;
    if (endpoint === undefined || 'file' in endpoint.about.success || hasSuffix(request.originalUrl)) return done();
    done(admitsJson(accept) ? undefined : invalidData(`cannot answer as ${accept}: there is only application/json`));
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Upstream does not declare the character set of JSON.
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8')
      reply.header('content-type', 'application/json');
    // Upstream sends a content type with empty answers. The framework does so only if the payload is null.
    done(null, reply.statusCode === 204 ? null : payload);
  });
}
