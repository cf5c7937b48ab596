// Bounds the memory that the bodies and the answers of all requests under way take together.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CauseKey } from '../../model/causes.ts';
import { Refusal } from '../../model/refusal.ts';

const mebibyte = 1024 ** 2;
/** Of all bodies together. They are parsed one after the other. The memory limit of the deployment has room for twice as much. */
export const allBodyBytes = 48 * mebibyte;
/** Of all answers that clients have not taken yet. */
export const allAnswerBytes = 32 * mebibyte;
/** What only small bodies and answers may take of it, so that they pass while large ones fill the rest. */
const reservedBytes = 8 * mebibyte;
const smallBytes = 64 * 1024;
const retrySeconds = 1;
/** What a stream takes that does not say it: outputs, of which a client that reads slowly holds a part. */
const streamBytes = 64 * 1024;

/** Who pays for a request. */
type PayerOf = (request: FastifyRequest) => string;

/** One tenant gets at most half, so that what it leaves unfinished leaves room for others. */
class MemoryBudget {
  readonly #bytes: number;
  readonly #byTenant = new Map<string, number>();
  #all = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Takes the bytes until the response closes. False: there is no room now. What is larger than half passes alone. */
  take(tenant: string, size: number, response: ServerResponse): boolean {
    const most = this.#bytes - (size <= smallBytes ? 0 : reservedBytes);
    const own = this.#byTenant.get(tenant) ?? 0;
    if (this.#all + Math.min(size, most / 2) > most || (own > 0 && own + size > most / 2)) return false;
    // What passes alone leaves the others their half.
    this.hold(tenant, Math.min(size, most / 2), response);
    return true;
  }

  /** Counts the bytes until the response closes, whether or not there is room. */
  hold(tenant: string, size: number, response: ServerResponse): void {
    // A client can be gone before its turn, for example while its token was checked. It does not close again.
    if (response.closed || response.destroyed) return;
    this.#add(tenant, size);
    response.once('close', () => this.#add(tenant, -size));
  }

  #add(tenant: string, size: number): void {
    this.#all += size;
    const left = (this.#byTenant.get(tenant) ?? 0) + size;
    if (left === 0) this.#byTenant.delete(tenant);
    else this.#byTenant.set(tenant, left);
  }
}

const noMemory = (cause: CauseKey, what: string, of: string) =>
  Refusal.by(
    cause,
    `cannot ${what} now: the ${of} of other requests take the memory that there is for them; send the request again later`,
  );

/** As many bytes as the body can have: its length, or what the route admits. 0: there is none. */
function sizeOfBody({ headers, routeOptions }: FastifyRequest): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (length !== undefined) return Math.min(Number(length), routeOptions.bodyLimit);
  return encoding === undefined ? 0 : routeOptions.bodyLimit;
}

/**
 * Refuses a body with 503 and `Retry-After` while others take the memory that there is for all of them. A body counts until its request is answered. Must be
 * mounted after the check of tokens.
 */
export function limitBodies(app: FastifyInstance, payerOf: PayerOf): void {
  const budget = new MemoryBudget(allBodyBytes);
  app.addHook('preParsing', (request, reply, payload, done) => {
    const size = sizeOfBody(request);
    if (size === 0 || budget.take(payerOf(request), size, reply.raw)) return done(null, payload);
    void reply.header('retry-after', retrySeconds);
    return done(noMemory('tooManyBodies', 'read body', 'bodies'));
  });
}

/** A stream that knows how much memory it takes until it is read. */
export const holding = (stream: Readable, heldBytes: number): Readable => Object.assign(stream, { heldBytes });

/** 0: it takes none that counts. */
function sizeOfAnswer(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  if (payload instanceof Uint8Array) return payload.length;
  if (!(payload instanceof Readable)) return 0;
  return 'heldBytes' in payload && typeof payload.heldBytes === 'number' ? payload.heldBytes : streamBytes;
}

/**
 * Refuses reads with 503 and `Retry-After` while clients leave too many answers unread. An answer counts until the client has taken it. Refusals always pass,
 * and so do the answers to changes: what was done must not look as if it was not.
 */
export function limitAnswers(app: FastifyInstance, payerOf: PayerOf): void {
  const budget = new MemoryBudget(allAnswerBytes);
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = reply.statusCode >= 400 ? 0 : sizeOfAnswer(payload);
    if (size === 0) return done(null, payload);
    const payer = payerOf(request);
    if (!['GET', 'HEAD'].includes(request.method)) {
      budget.hold(payer, size, reply.raw);
      return done(null, payload);
    }
    if (budget.take(payer, size, reply.raw)) return done(null, payload);
    if (payload instanceof Readable) payload.destroy();
    void reply.header('retry-after', retrySeconds);
    return done(noMemory('tooManyAnswers', 'answer', 'answers'));
  });
}
