// The HTTP server: bodies, tokens, routes under their prefixes, and one place that turns every refusal into an answer.
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type HttpLimits, limitConnections, timeoutOptions, warnAboutDrops } from '../../../lib/http/http-limits.ts';
import type { Log } from '../../../lib/ports.ts';
import { internalLimit } from '../../../wire/jobs.ts';
import { createId } from '../../model/records/identifiers.ts';
import { Refusal, renderRefusal, toRefusal } from '../../model/refusal.ts';
import { endpoints } from '../../resources/all-routes.ts';
import { type Answer, callOf, type Endpoint, endpointOf, paramsOf } from '../../resources/endpoints/endpoint.ts';
import type { Service } from '../../resources/service.ts';
import type { Gate } from '../authentication/gate.ts';
import type { LocalIdentity } from '../authentication/validation.ts';
import { isDocumentPath, mountDocument } from '../openapi/document.ts';
import type { Started } from '../openapi/operation.ts';
import { isPagePath, mountPage } from '../page/page.ts';
import { holding, limitAnswers } from './answer-budget.ts';
import { goneOf } from './gone.ts';
import { isHealthPath, mountHealth } from './health.ts';
import { answerMalformed } from './malformed.ts';
import { limitBodies, type Payer } from './memory-budget.ts';
import type { MetricSources } from './metrics.ts';
import { refuseUnknown, urlsOf } from './paths.ts';
import { mountBodies } from './request-body.ts';
import { type HostNames, mountSites } from './sites.ts';
import { type TakeTurn, Turns } from './turns.ts';

export interface HttpOptions {
  readonly service: Service;
  readonly gate: Gate;
  readonly names: HostNames;
  readonly limits: HttpLimits;
  readonly logIn: Started['logIn'];
  /** When absent, the service issues no tokens. */
  readonly identity: LocalIdentity | undefined;
  readonly log: Log;
  /** How long each answer is delayed. */
  readonly latencyMs: number;
  readonly onRequest: (method: string, path: string, status: number) => void;
  /** Mounted between the authentication and the routes, for what changes answers. Each is sent as a whole then. */
  readonly interceptor: ((app: FastifyInstance, service: Service) => void) | undefined;
  readonly loopDelay: MetricSources['loopDelay'];
  /** Whether there is a page for browsers. */
  readonly webPage: boolean;
}

/** Section 4: `.json` may be appended to the last path segment. */
export function withoutSuffix(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return path.endsWith('.json') ? path.slice(0, -5) + url.slice(path.length) : url;
}

/** The longest name has 2295 characters in a query. Longer ones are parsed by nobody, because a query is parsed before the token is checked. */
const longestQuery = 4096;

const queryIn = (url: string): string => /[?#].*$/s.exec(url)?.[0].slice(1) ?? '';

/** What is routed, of the URL of a request. */
export const routedUrl = (url: string): string =>
  withoutSuffix(queryIn(url).length > longestQuery ? url.slice(0, url.search(/[?#]/)) : url);

function mountQueries(app: FastifyInstance): void {
  app.addHook('onRequest', ({ originalUrl }, _reply, done) => {
    if (queryIn(originalUrl).length <= longestQuery) return done();
    const problem = `cannot read request: its query is longer than ${longestQuery} characters`;
    return done(Refusal.by('tooLong', problem));
  });
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '';

/** Upstream has a separate error name for uploads that are too large. */
function refusalOf(error: Error, request: FastifyRequest): Refusal {
  const refusal = toRefusal(error);
  if (refusal.status !== 413 || endpointOf(request)?.reads !== 'bytes') return refusal;
  return Refusal.by('tooBig', `cannot keep binary: it is larger than ${internalLimit} bytes`);
}

/** A body that is refused for its size is read up to this length. */
const drainedBytes = 64 * 1024 * 1024;

/**
 * A client that is still sending when the connection is closed never sees the answer, so the rest of the body is read if it is short. Resolves when that has
 * happened, or cannot happen any more.
 */
async function drain(reply: FastifyReply): Promise<void> {
  const { raw, headers } = reply.request;
  if (!(Number(headers['content-length']) <= drainedBytes)) return;
  reply.removeHeader('connection');
  raw.resume();
  await finished(raw, { writable: false }).catch(() => {});
}

/** Upstream reads the whole body before it refuses it for its size. */
async function refuse(options: HttpOptions, error: Error, reply: FastifyReply): Promise<FastifyReply> {
  const { status } = toRefusal(error);
  const drained = [413, 503].includes(status) ? drain(reply) : undefined;
  if (status === 413 && options.service.dialect !== 'neutral') await drained;
  return sendRefusal(options, error, reply);
}

function sendRefusal({ service, log }: HttpOptions, error: Error, reply: FastifyReply): FastifyReply {
  const refusal = refusalOf(error, reply.request);
  if (!(error instanceof Refusal) && refusal.status >= 500)
    log.error({ action: reply.request.method, err: error }, `cannot answer ${reply.request.url}`);
  const { status, headers, body } = renderRefusal(service.dialect, refusal, () => createId(service.random));
  return reply.code(status).headers(headers).send(body);
}

interface SendOptions {
  /** In one piece, because faults change answers before they are sent. */
  readonly whole: boolean;
  readonly isHead: boolean;
  readonly turnOf: TurnOf;
}

function payloadOf(answer: Answer, { whole, turnOf, isHead }: SendOptions): string | Uint8Array | Readable {
  const { parts, file, stream } = answer;
  if (file !== undefined) return file.bytes;
  // Nobody would end a stream that nobody reads.
  if (isHead && (stream ?? parts) !== undefined) return Readable.from([]);
  if (stream !== undefined) return Readable.from(stream);
  // Reading `text` renders all of it.
  return parts === undefined || whole
    ? answer.text
    : holding(Readable.from(inTurns(parts.texts[Symbol.iterator](), turnOf)), parts.heldBytes);
}

/** The answer that takes a while. */
async function awaitAnswer(later: Promise<Answer>, whole: boolean): Promise<Answer> {
  const { stream, ...answer } = await later;
  if (stream === undefined) return answer;
  if (!whole) return { ...answer, stream };
  let text = '';
  for await (const part of stream) text += part;
  return { ...answer, text };
}

/** Does work when it is the turn of the tenant that asks for it. */
type TurnOf = <T>(work: () => T) => Promise<T>;

async function* inTurns(texts: Iterator<string>, turnOf: TurnOf): AsyncGenerator<string> {
  for (let next = texts.next(); !next.done; next = await turnOf(() => texts.next())) yield next.value;
}

function mountEndpoint(
  app: FastifyInstance,
  { service, interceptor }: HttpOptions,
  { endpoint, turns }: { readonly endpoint: Endpoint; readonly turns: Turns },
): void {
  const whole = interceptor !== undefined;
  const { method } = endpoint;
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    if (Object.values(paramsOf(request)).includes('')) throw refuseUnknown(service.dialect, request);
    const turnOf: TurnOf = (work) => turns.run(payerOf(request), work);
    const send = (answer: Answer) =>
      reply
        .code(answer.status)
        .header('content-type', answer.file?.type ?? answer.type ?? 'application/json; charset=utf-8')
        .headers(answer.headers ?? {})
        .send(payloadOf(answer, { whole, isHead: request.method === 'HEAD', turnOf }));
    const answer = endpoint.handle(service, callOf(request));
    return answer.later === undefined ? send(answer) : awaitAnswer(answer.later(goneOf(request.raw)), whole).then(send);
  };
  const limit = endpoint.reads === 'bytes' ? { bodyLimit: internalLimit } : {};
  for (const url of urlsOf(service.dialect, endpoint))
    app.route({ method, url, handler, config: { endpoint }, ...limit });
}

/** The versions of the interface. No token is needed. */
function mountVersions(app: FastifyInstance, withIdentity: boolean): void {
  app.get('/', ({ protocol, host }, reply) => {
    const show = (id: string, status: string, path = id) => {
      const href = `${protocol}://${host}/${path}/`;
      return { id, status, links: [{ rel: 'self', href }] };
    };
    const listed = [show('v1.0', 'SUPPORTED'), show('v1.1', 'CURRENT')];
    // Clients that know only the address look for the identity service here.
    if (withIdentity) listed.push(show('v3.14', 'stable', 'v3'));
    return reply
      .code(300)
      .header('content-type', 'application/json')
      .send(JSON.stringify({ versions: listed }));
  });
}

function tenantOf(request: FastifyRequest): string | undefined {
  const { tenant } = paramsOf(request);
  if (tenant !== undefined || endpointOf(request) !== undefined) return tenant;
  // The tenant of an unknown path is its second segment, too, so that callers without a token do not learn which paths exist.
  const segment = pathOf(request).split('/')[2];
  return segment && decodeSegment(segment);
}

/** No tenant can be called so. */
const probe = Symbol('probe');

/**
 * The tenant whose token was checked. All other requests that need none share one place: anybody can write the name of a tenant into their paths. Probes have
 * theirs, so that no flood of others makes the service look dead.
 */
function payerOf(request: FastifyRequest): Payer {
  if (isHealthPath(pathOf(request))) return probe;
  return endpointOf(request) === undefined ? '' : (paramsOf(request).tenant ?? '');
}

function mountGate(app: FastifyInstance, { gate, identity, webPage }: HttpOptions): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const path = pathOf(request);
    const isOpen = path === '/' || isHealthPath(path) || isDocumentPath(path) || (webPage && isPagePath(path));
    if (isOpen || identity?.isPath(request.url)) return done();
    const token = request.headers['x-auth-token'];
    const passing = gate(typeof token === 'string' ? token : undefined, tenantOf(request));
    if (passing === undefined) return done();
    const pass = (served: string) => {
      Object.assign(request.params as object, { tenant: served });
      done();
    };
    passing.then(pass, done);
  });
}

/** Also takes the turns of the requests that nothing has parsed. */
function mountTurns(app: FastifyInstance, turns: Turns): TakeTurn {
  const had = new WeakSet<FastifyRequest>();
  app.addHook('preHandler', (request, _reply, done) =>
    had.has(request) ? done() : turns.enter(payerOf(request), done),
  );
  return (request, work) => {
    had.add(request);
    turns.enter(payerOf(request), work);
  };
}

/** Returns what takes a turn for a request whose body is to be parsed. */
function mountHooks(app: FastifyInstance, options: HttpOptions, turns: Turns): TakeTurn {
  const { service, log, latencyMs, onRequest } = options;
  mountSites(app, options.names);
  mountGate(app, options);
  mountQueries(app);
  limitBodies(app, payerOf);
  const takeTurn = mountTurns(app, turns);
  // Kubernetes restarts a service whose probe is refused.
  limitAnswers(app, (request) => (isHealthPath(pathOf(request)) ? undefined : payerOf(request)));
  if (latencyMs > 0) {
    app.addHook('onSend', (_request, _reply, payload, done) => {
      service.clock.after(latencyMs, () => done(null, payload));
    });
  }
  app.addHook('onResponse', (request, reply, done) => {
    const path = request.url;
    if (isHealthPath(pathOf(request))) return done();
    log.info(
      { action: request.method, outcome: String(reply.statusCode), durationMs: Math.round(reply.elapsedTime) },
      `answered ${path}`,
    );
    onRequest(request.method, path, reply.statusCode);
    done();
  });
  return takeTurn;
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
  const { interceptor, service, log, limits, loopDelay } = options;
  const timeouts = timeoutOptions(limits);
  const app = fastify({
    ...timeouts,
    rewriteUrl: (request) => routedUrl(request.url ?? '/'),
    // Hooks do not see the requests that the framework itself refuses.
    frameworkErrors: (error, _request, reply) => void sendRefusal(options, error, reply as FastifyReply),
    forceCloseConnections: 'idle',
    // Requests without Host or with an unknown Expect header get an answer from here instead of an empty one from Node.
    http: { ...timeouts.http, requireHostHeader: false },
    clientErrorHandler: answerMalformed(service.dialect),
  });
  limitConnections(app, limits);
  warnAboutDrops(app, limits, log, service.clock);
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response));
  app.setErrorHandler((error: Error, _request, reply) => refuse(options, error, reply));
  app.setNotFoundHandler((request, reply) => sendRefusal(options, refuseUnknown(service.dialect, request), reply));
  const turns = new Turns(service.clock);
  const takeTurn = mountHooks(app, options, turns);
  mountBodies(app, service.dialect, takeTurn);
  interceptor?.(app, service);
  mountHealth(app, { volume: service.store.volume, loopDelay });
  mountVersions(app, options.identity !== undefined);
  options.identity?.mount(app);
  mountDocument(app, { dialect: service.dialect, logIn: options.logIn });
  if (options.webPage) mountPage(app, { service, gate: options.gate, needsToken: options.logIn !== 'none', takeTurn });
  for (const endpoint of endpoints) mountEndpoint(app, options, { endpoint, turns });
  return app;
}
