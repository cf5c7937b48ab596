// Bounds the memory that the bodies, or the answers, of all requests under way take together.
import type { ServerResponse } from 'node:http';
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
export const retrySeconds = 1;

/** Who pays for a request: a tenant, or what no tenant can be called. */
export type Payer = string | symbol;
export type PayerOf = (request: FastifyRequest) => Payer;

/** One tenant gets at most half, so that what it leaves unfinished leaves room for others. */
export class MemoryBudget {
  readonly #bytes: number;
  readonly #byTenant = new Map<Payer, number>();
  #all = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Takes the bytes until the response closes. False: there is no room now. What is larger than half passes alone. */
  take(tenant: Payer, size: number, response: ServerResponse): boolean {
    const most = this.#bytes - (size <= smallBytes ? 0 : reservedBytes);
    const own = this.#byTenant.get(tenant) ?? 0;
    if (this.#all + Math.min(size, most / 2) > most || (own > 0 && own + size > most / 2)) return false;
    // What passes alone leaves the others their half.
    this.hold(tenant, Math.min(size, most / 2), response);
    return true;
  }

  /** Counts the bytes until the response closes, whether or not there is room. */
  hold(tenant: Payer, size: number, response: ServerResponse): void {
    // A client can be gone before its turn, for example while its token was checked. It does not close again.
    if (response.closed || response.destroyed) return;
    this.#add(tenant, size);
    response.once('close', () => this.#add(tenant, -size));
  }

  /** Whether something small could be taken now. */
  hasRoom(tenant: Payer): boolean {
    return this.#all < this.#bytes && (this.#byTenant.get(tenant) ?? 0) < this.#bytes / 2;
  }

  /** What passes although there is no room for it leaves the others their half, too. */
  #add(tenant: Payer, size: number): void {
    const before = this.#byTenant.get(tenant) ?? 0;
    const left = before + size;
    this.#all += Math.min(left, this.#bytes / 2) - Math.min(before, this.#bytes / 2);
    if (left === 0) this.#byTenant.delete(tenant);
    else this.#byTenant.set(tenant, left);
  }
}

export const noMemory = (cause: CauseKey, what: string, of: string) =>
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
