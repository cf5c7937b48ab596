// The HTTP side: bodies, tokens, routes under their prefixes, and one place where every refusal becomes an answer.
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Log } from '../ports.ts';
import { checkAccess, type Grant } from './authentication.ts';
import { callOf, type Endpoint, endpointOf, paramsOf } from './endpoint.ts';
import { mountFaults } from './fault-hooks.ts';
import { createId } from './identifiers.ts';
import type { Injector } from './injector.ts';
import { invalidData, Refusal, renderRefusal, toRefusal } from './refusal.ts';
import { endpoints } from './routes.ts';
import type { Service } from './service.ts';

export interface HttpOptions {
  readonly service: Service;
  readonly grants: readonly Grant[];
  readonly log: Log;
  /** How long an answer that is ready is held back. */
  readonly latencyMs: number;
  readonly onRequest: (method: string, path: string, status: number) => void;
  /** When absent, nothing gets between requests and routes. */
  readonly injector: Injector | undefined;
}

const prefixes = ['/v1.0', '/v1.1'];

/** Section 4: `.json` may be appended to the last path segment. */
export function withoutSuffix(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return path.endsWith('.json') ? path.slice(0, -5) + url.slice(path.length) : url;
}

const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** Section 5: bodies are JSON, where a route does not say otherwise; a missing type is taken for it. An empty body is an empty object. */
function parseBody(request: FastifyRequest, text: string): unknown {
  if (request.method === 'DELETE') return undefined;
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (endpointOf(request)?.reads === 'text') {
    if (type !== undefined && forms.includes(type)) throw invalidData(`cannot read body: its type is ${type}, a form`);
    return text;
  }
  if (type !== undefined && type !== 'application/json') {
    throw invalidData(`cannot read body: its type is ${type}, not application/json`);
  }
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal([400, 'MALFORMED_REQUEST_BODY'], 'cannot read body: it is not JSON');
  }
}

function sendRefusal({ service, log }: HttpOptions, error: Error, reply: FastifyReply): FastifyReply {
  const refusal = toRefusal(error);
  if (refusal.status >= 500)
    log.error({ action: reply.request.method, err: error }, `cannot answer ${reply.request.url}`);
  const { status, headers, body } = renderRefusal(service.dialect, refusal, () => createId(service.random));
  return reply.code(status).headers(headers).send(body);
}

/** Paths that exist, by pattern, to tell a wrong method from a wrong path. */
const known = endpoints.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^/v1\\.[01]/[^/]+/${path.replaceAll(/:\w+/g, '[^/]+')}$`),
}));

function refuseUnknown(request: FastifyRequest): Refusal {
  const path = request.url.split('?')[0] ?? '';
  const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (methods.length === 0) return new Refusal([404, 'NOT_FOUND'], `cannot find ${path}`, 'framework');
  const text = `cannot ${request.method} ${path}: the methods are ${methods.join(', ')}`;
  return new Refusal([405, 'METHOD_NOT_ALLOWED'], text, 'framework');
}

function mountEndpoint(app: FastifyInstance, service: Service, endpoint: Endpoint): void {
  const { method, path } = endpoint;
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    if (Object.values(paramsOf(request)).includes('')) throw refuseUnknown(request);
    const { status, text } = endpoint.handle(service, callOf(request));
    return reply.code(status).header('content-type', 'application/json').send(text);
  };
  for (const prefix of prefixes) app.route({ method, url: `${prefix}/:tenant/${path}`, handler, config: { endpoint } });
}

/** The versions there are, without a token: good for asking whether the service is up. */
function mountVersions(app: FastifyInstance): void {
  const versions = ['v1.0', 'v1.1'].map((id) => ({
    id,
    status: id === 'v1.1' ? 'CURRENT' : 'SUPPORTED',
    links: [{ rel: 'self', href: `/${id}/` }],
  }));
  app.get('/', (_request, reply) =>
    reply.code(300).header('content-type', 'application/json').send(JSON.stringify({ versions })),
  );
}

function mountHooks(app: FastifyInstance, options: HttpOptions): void {
  const { service, grants, log, latencyMs, onRequest } = options;
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.url === '/') return done();
    const token = request.headers['x-auth-token'];
    // The tenant of an unknown path is its second segment too: what exists is nobody's business without a token.
    const tenant = request.url.split('?')[0]?.split('/')[2];
    checkAccess(grants, typeof token === 'string' ? token : undefined, tenant && decodeSegment(tenant));
    done();
  });
  if (latencyMs > 0) {
    app.addHook('onSend', (_request, _reply, payload, done) => {
      service.clock.after(latencyMs, () => done(null, payload));
    });
  }
  app.addHook('onResponse', (request, reply, done) => {
    const path = request.url;
    log.info(
      { action: request.method, outcome: String(reply.statusCode), durationMs: Math.round(reply.elapsedTime) },
      `answered ${path}`,
    );
    onRequest(request.method, path, reply.statusCode);
    done();
  });
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The application, not yet listening. */
export function createApp(options: HttpOptions): FastifyInstance {
  const refuse = (error: Error, reply: FastifyReply) => sendRefusal(options, error, reply);
  const app = fastify({
    rewriteUrl: (request) => withoutSuffix(request.url ?? '/'),
    frameworkErrors: (error, _request, reply) => void refuse(error, reply as FastifyReply),
    forceCloseConnections: 'idle',
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, text, done) => {
    try {
      done(null, parseBody(request, String(text)));
    } catch (error) {
      done(error as Error);
    }
  });
  app.setErrorHandler((error: Error, _request, reply) => refuse(error, reply));
  app.setNotFoundHandler((request, reply) => refuse(refuseUnknown(request), reply));
  mountHooks(app, options);
  const { injector, service, log } = options;
  if (injector !== undefined) mountFaults(app, { injector, service, log });
  mountVersions(app);
  for (const endpoint of endpoints) mountEndpoint(app, service, endpoint);
  return app;
}
