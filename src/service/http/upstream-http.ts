// What upstream does with every request, whatever its route: numbers it, and answers in JSON or not at all.
import type { FastifyInstance } from 'fastify';
import type { Random } from '../../lib/ports.ts';
import { createId } from '../records/identifiers.ts';
import { endpointOf } from '../routes/endpoint.ts';
import { invalidData } from './refusal.ts';

export const idHeader = 'x-openstack-request-id';

/** Only the first one is drawn: to read something must not change what is drawn for the next record. */
export function createRequestIds(random: Random): () => string {
  const begin = createId(random).slice(0, -12);
  let count = 0;
  return () => {
    count += 1;
    return `req-${begin}${count.toString(16).padStart(12, '0')}`;
  };
}

const isBlank = (accept: string | undefined): accept is undefined => accept === undefined || accept.trim() === '';

/** Whether one of the ranges, which are divided by commas, holds the type. */
const admits = (accept: string, wanted: string): boolean =>
  accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const holding = ['*/*', `${wanted.split('/')[0]}/*`, wanted];
    return holding.includes(type) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

/** Whether a client that sends this takes JSON. */
export const admitsJson = (accept: string | undefined): boolean =>
  isBlank(accept) || admits(accept, 'application/json');

/** Whether a client that sends this takes pages. Who says nothing of it is no browser. */
export const admitsHtml = (accept: string | undefined): boolean => !isBlank(accept) && admits(accept, 'text/html');

const hasSuffix = (url: string | undefined): boolean => url?.split('?')[0]?.endsWith('.json') === true;

/** Must be mounted before all other hooks, so that refusals have a number, too. */
export function mountUpstream(app: FastifyInstance, nextId: () => string): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header(idHeader, nextId());
    done();
  });
  // Late upstream means to refuse this in the same words, and answers 500 instead. Bytes are sent as what they are.
  app.addHook('preHandler', (request, _reply, done) => {
    const endpoint = endpointOf(request);
    const { accept } = request.headers;
    if (endpoint === undefined || 'file' in endpoint.about.success || hasSuffix(request.originalUrl)) return done();
    done(admitsJson(accept) ? undefined : invalidData(`cannot answer as ${accept}: there is only application/json`));
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Upstream does not tell the character set of JSON.
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8')
      reply.header('content-type', 'application/json');
    // It labels what is empty, too; the framework does so only where there is not even an empty text.
    done(null, reply.statusCode === 204 ? null : payload);
  });
}
