// Injects the faults of a personality between requests and routes: before the work, and before the answer is sent.
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../src/lib/ports.ts';
import { createId } from '../../src/service/model/records/identifiers.ts';
import type { RenderedRefusal } from '../../src/service/model/refusal.ts';
import { callOf, type Endpoint, endpointOf } from '../../src/service/resources/endpoints/endpoint.ts';
import type { Service } from '../../src/service/resources/service.ts';
import { leaveErrorRow, renderShape, statusRefusal } from './faulty-answers.ts';
import type { Injector } from './injector.ts';
import { type Fault, workOf } from './personality.ts';

interface FaultOptions {
  readonly injector: Injector;
  readonly service: Service;
  readonly log: Log;
}

type Untrue = NonNullable<Fault['answer']> & { readonly is: 'refusal' | 'text' };

/** The answer of upstream when a row is removed while it is being read. */
const notAnObject = '<Response 183 bytes [404 NOT FOUND]>';

function render(service: Service, answer: Untrue): RenderedRefusal {
  if (answer.is === 'text') {
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify(answer.text ?? notAnObject) };
  }
  const { status, shape = 'service', retryAfter, errorName, message } = answer;
  const refusal = statusRefusal(status, shape, { errorName, message });
  const rendered = renderShape(service.dialect, refusal, () => createId(service.random));
  const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { ...rendered, headers: { ...rendered.headers, ...wait } };
}

/** Announces the whole body and sends half of it. An answer without a body is not sent at all. */
function truncate({ raw, statusCode }: FastifyReply, payload: string): void {
  raw.writeHead(statusCode, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) });
  raw.write(payload.slice(0, payload.length / 2), () => raw.destroy());
}

/** Closes the connection: an answer that is destroyed while it waits for an earlier one there is sent all the same. */
function cut({ raw }: FastifyReply): void {
  raw.destroy();
  // An answer within the process has no connection.
  if (raw.req.socket instanceof Socket) raw.req.socket.destroy();
}

/** The payload to send. Undefined if the connection was closed instead. */
function falsify(service: Service, answer: Fault['answer'], reply: FastifyReply, payload: unknown): unknown {
  switch (answer?.is) {
    case undefined:
      return payload;
    case 'cut':
      return cut(reply);
    case 'truncated':
      return truncate(reply, (payload as string | null) ?? '');
    case 'refusal':
    case 'text': {
      const { status, headers, body } = render(service, answer);
      reply.code(status).headers(headers);
      return body;
    }
  }
}

/** Work that is done after the request has ended. */
class LateWork {
  readonly #options: FaultOptions;
  readonly #pending = new Set<() => void>();

  constructor(options: FaultOptions) {
    this.#options = options;
  }

  plan(ms: number, request: FastifyRequest, endpoint: Endpoint): void {
    const { service, log } = this.#options;
    const cancel = service.clock.after(ms, () => {
      this.#pending.delete(cancel);
      try {
        endpoint.handle(service, callOf(request));
      } catch (err) {
        // The client is gone, so a refusal is only logged.
        log.warn({ action: request.method, err }, `cannot do ${request.url} late`);
      }
    });
    this.#pending.add(cancel);
  }

  close(): void {
    for (const cancel of this.#pending) cancel();
  }
}

/** Must be mounted after the authentication, whose refusals stay as they are. */
export function mountFaults(app: FastifyInstance, options: FaultOptions): void {
  const { injector, service, log } = options;
  const met = new WeakMap<FastifyRequest, Fault>();
  const late = new LateWork(options);
  app.addHook('onClose', async () => late.close());
  app.addHook('onRequest', (request, _reply, done) => {
    const token = request.headers['x-auth-token'];
    if (typeof token === 'string') injector.checkToken(token);
    done();
  });
  app.addHook('preHandler', (request, reply, done) => {
    const endpoint = endpointOf(request);
    const fault = endpoint && injector.fault(request.method, endpoint.path);
    if (endpoint === undefined || fault === undefined) return done();
    const work = workOf(fault);
    if (work === 'late') late.plan(fault.lateMs ?? 0, request, endpoint);
    // A create that would be refused anyway gets its true answer.
    if (work === 'error-row') leaveErrorRow(service, callOf(request));
    met.set(request, fault);
    return work === 'done' ? done() : void reply.send('');
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const fault = met.get(request);
    if (fault === undefined) return done(null, payload);
    const end = () => {
      const sent = falsify(service, fault.answer, reply, payload);
      if (sent !== undefined) return done(null, sent);
      log.info({ action: request.method, outcome: fault.answer?.is ?? '' }, `cut the answer to ${request.url}`);
    };
    const { delayMs = 0 } = fault;
    if (delayMs === 0) end();
    else service.clock.after(delayMs, end);
  });
}
