// The HTTP side: bodies, tokens, routes under their prefixes, and one place where every refusal becomes an answer.
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Log } from '../ports.ts';
import type { Dialect } from '../wire/dialect.ts';
import { type Answer, callOf, type Endpoint, endpointOf, paramsOf } from './endpoint.ts';
import { mountFaults } from './fault-hooks.ts';
import type { Gate } from './gate.ts';
import { createId } from './identifiers.ts';
import { type Identity, isIdentityPath, mountIdentity } from './identity/routes.ts';
import type { Injector } from './injector.ts';
import { uploadLimit } from './job-binaries.ts';
import { Refusal, renderRefusal, toRefusal } from './refusal.ts';
import { mountBodies } from './request-body.ts';
import { endpointsOf } from './routes.ts';
import type { Service } from './service.ts';

export interface HttpOptions {
  readonly service: Service;
  readonly gate: Gate;
  /** When absent, no tokens are issued here. */
  readonly identity: Identity | undefined;
  readonly log: Log;
  /** How long an answer that is ready is held back. */
  readonly latencyMs: number;
  readonly onRequest: (method: string, path: string, status: number) => void;
  /** When absent, nothing gets between requests and routes. */
  readonly injector: Injector | undefined;
}

const versions = ['v1.0', 'v1.1'] as const;
const versionsOf = ({ version }: Endpoint) => (version === undefined ? versions : [version]);

/** Section 4: `.json` may be appended to the last path segment. */
export function withoutSuffix(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return path.endsWith('.json') ? path.slice(0, -5) + url.slice(path.length) : url;
}

/** Upstream has a name of its own for uploads that are too large. */
function refusalOf(error: Error, request: FastifyRequest): Refusal {
  const refusal = toRefusal(error);
  if (refusal.status !== 413 || endpointOf(request)?.reads !== 'bytes') return refusal;
  return new Refusal([400, 'DATA_TOO_BIG'], `cannot keep binary: it is larger than ${uploadLimit} bytes`);
}

function sendRefusal({ service, log }: HttpOptions, error: Error, reply: FastifyReply): FastifyReply {
  const refusal = refusalOf(error, reply.request);
  if (refusal.status >= 500)
    log.error({ action: reply.request.method, err: error }, `cannot answer ${reply.request.url}`);
  const { status, headers, body } = renderRefusal(service.dialect, refusal, () => createId(service.random));
  return reply.code(status).headers(headers).send(body);
}

type Paths = readonly { readonly method: Endpoint['method']; readonly pattern: RegExp }[];

/** Paths that exist, by pattern, to tell a wrong method from a wrong path. */
const pathsOf = (dialect: Dialect): Paths =>
  endpointsOf(dialect).map((endpoint) => {
    const below = endpoint.path.replaceAll(/:\w+/g, '[^/]+');
    return { method: endpoint.method, pattern: new RegExp(`^/(${versionsOf(endpoint).join('|')})/[^/]+/${below}$`) };
  });
const known: Readonly<Record<Dialect, Paths>> = {
  neutral: pathsOf('neutral'),
  sahara: pathsOf('sahara'),
  savanna: pathsOf('savanna'),
};

function refuseUnknown({ dialect }: Service, request: FastifyRequest): Refusal {
  const path = request.url.split('?')[0] ?? '';
  const methods = known[dialect].filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (methods.length === 0) return new Refusal([404, 'NOT_FOUND'], `cannot find ${path}`, 'framework');
  const text = `cannot ${request.method} ${path}: the methods are ${methods.join(', ')}`;
  return new Refusal([405, 'METHOD_NOT_ALLOWED'], text, 'framework');
}

/** `whole`: in one piece, for whoever looks at answers before they leave. */
function payloadOf(answer: Answer, whole: boolean): string | Uint8Array | Readable {
  const { parts, file } = answer;
  if (file !== undefined) return file.bytes;
  // Asking for the text makes all of it.
  return parts === undefined || whole ? answer.text : Readable.from(inTurns(parts));
}

async function* inTurns(parts: readonly (() => string)[]): AsyncGenerator<string> {
  for (const make of parts) {
    yield make();
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}

function mountEndpoint(app: FastifyInstance, { service, injector }: HttpOptions, endpoint: Endpoint): void {
  const whole = injector !== undefined;
  const { method, path } = endpoint;
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    if (Object.values(paramsOf(request)).includes('')) throw refuseUnknown(service, request);
    const answer = endpoint.handle(service, callOf(request));
    return reply
      .code(answer.status)
      .header('content-type', answer.file?.type ?? 'application/json; charset=utf-8')
      .send(payloadOf(answer, whole));
  };
  const limit = endpoint.reads === 'bytes' ? { bodyLimit: uploadLimit } : {};
  for (const version of versionsOf(endpoint))
    app.route({ method, url: `/${version}/:tenant/${path}`, handler, config: { endpoint }, ...limit });
}

/** The versions there are, without a token: good for asking whether the service is up. */
function mountVersions(app: FastifyInstance, withIdentity: boolean): void {
  const show = (id: string, status: string, path = id) => ({ id, status, links: [{ rel: 'self', href: `/${path}/` }] });
  const listed = [show('v1.0', 'SUPPORTED'), show('v1.1', 'CURRENT')];
  // Clients that are told nothing but the address look here for where to log in.
  if (withIdentity) listed.push(show('v3.14', 'stable', 'v3'));
  app.get('/', (_request, reply) =>
    reply
      .code(300)
      .header('content-type', 'application/json')
      .send(JSON.stringify({ versions: listed })),
  );
}

function mountGate(app: FastifyInstance, { gate, identity }: HttpOptions): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.url === '/' || (identity !== undefined && isIdentityPath(request.url))) return done();
    const token = request.headers['x-auth-token'];
    // The tenant of an unknown path is its second segment too: what exists is nobody's business without a token.
    const tenant = request.url.split('?')[0]?.split('/')[2];
    const passing = gate(typeof token === 'string' ? token : undefined, tenant && decodeSegment(tenant));
    if (passing === undefined) return done();
    const pass = (served: string) => {
      Object.assign(request.params as object, { tenant: served });
      done();
    };
    passing.then(pass, done);
  });
}

function mountHooks(app: FastifyInstance, options: HttpOptions): void {
  const { service, log, latencyMs, onRequest } = options;
  mountGate(app, options);
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
  const { injector, service, log } = options;
  const app = fastify({
    rewriteUrl: (request) => withoutSuffix(request.url ?? '/'),
    frameworkErrors: (error, _request, reply) => void refuse(error, reply as FastifyReply),
    forceCloseConnections: 'idle',
  });
  mountBodies(app, service.dialect);
  app.setErrorHandler((error: Error, _request, reply) => refuse(error, reply));
  app.setNotFoundHandler((request, reply) => refuse(refuseUnknown(service, request), reply));
  mountHooks(app, options);
  if (injector !== undefined) mountFaults(app, { injector, service, log });
  mountVersions(app, options.identity !== undefined);
  if (options.identity !== undefined) mountIdentity(app, options.identity);
  for (const endpoint of endpointsOf(service.dialect)) mountEndpoint(app, options, endpoint);
  return app;
}
