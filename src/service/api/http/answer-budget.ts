// Bounds the memory that answers take which clients have not taken yet.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { allAnswerBytes, MemoryBudget, noMemory, type Payer, retrySeconds } from './memory-budget.ts';

/** What a stream takes that does not say it: outputs, of which a client that reads slowly holds a part. */
const streamBytes = 64 * 1024;
/** A refusal up to this size always passes: it takes little more than the one that would take its place. */
const smallRefusal = 1024;

/** A stream that knows how much memory it takes until it is read. */
export const holding = (stream: Readable, heldBytes: number): Readable => Object.assign(stream, { heldBytes });

/** 0: it takes none that counts. */
function sizeOfAnswer(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  if (payload instanceof Uint8Array) return payload.length;
  if (!(payload instanceof Readable)) return 0;
  return 'heldBytes' in payload && typeof payload.heldBytes === 'number' ? payload.heldBytes : streamBytes;
}

const isRead = ({ method }: FastifyRequest): boolean => ['GET', 'HEAD'].includes(method);

/** Its answer is empty, and what it removes makes room. */
const isRemoval = ({ method }: FastifyRequest): boolean => method === 'DELETE';

const noRoom = (what: string) => noMemory('tooManyAnswers', what, 'answers');

/**
 * Refuses requests with 503 and `Retry-After` while clients leave too many answers unread: reads and long refusals when they are answered, and changes before
 * they are carried out. The answer to a change always passes: what was done must not look as if it was not. An answer counts until the client has taken it.
 * `payerOf` is asked once the token was checked; whose token was refused pays like those without one. Undefined: it is not limited. Must be mounted after
 * the check of tokens and the turns.
 */
export function limitAnswers(app: FastifyInstance, payerOf: (request: FastifyRequest) => Payer | undefined): void {
  const budget = new MemoryBudget(allAnswerBytes);
  const checked = new WeakSet<FastifyRequest>();
  const knownPayer = (request: FastifyRequest): Payer | undefined => {
    const payer = payerOf(request);
    return payer === undefined || checked.has(request) ? payer : '';
  };
  app.addHook('preParsing', (request, _reply, payload, done) => {
    checked.add(request);
    done(null, payload);
  });
  app.addHook('preHandler', (request, reply, done) => {
    const payer = knownPayer(request);
    if (payer === undefined || isRead(request) || isRemoval(request) || budget.hasRoom(payer)) return done();
    void reply.header('retry-after', retrySeconds);
    return done(noRoom('change anything'));
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const [payer, size] = [knownPayer(request), sizeOfAnswer(payload)];
    if (payer === undefined || size === 0) return done(null, payload);
    const isLongRefusal = reply.statusCode >= 400 && reply.statusCode < 500 && size > smallRefusal;
    if (!isLongRefusal && (reply.statusCode >= 400 || !isRead(request))) {
      budget.hold(payer, size, reply.raw);
      return done(null, payload);
    }
    if (budget.take(payer, size, reply.raw)) return done(null, payload);
    if (payload instanceof Readable) payload.destroy();
    void reply.header('retry-after', retrySeconds);
    return done(noRoom('answer'));
  });
}
