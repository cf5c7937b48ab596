// The writes of a simulated operator to its API server, as exchanges that something can go wrong with.
import { ApiError, refusalError } from '../../../src/kube/api-error.ts';
import { type ApiCall, verbOf } from '../../../src/kube/http/call.ts';
import { startDeadline } from '../../../src/kube/http/deadline.ts';
import type { ApiTransport } from '../../../src/kube/http/transport.ts';
import { targetText } from '../../../src/kube/target.ts';
import type { Replica } from '../../simulator/world/replica.ts';
import type { Scheduler } from '../../simulator/world/scheduler.ts';
import { pointOf, type Write } from '../tables/points.ts';
import type { Ambush } from '../trial/ambush.ts';
import type { Exchange, Reply, Sender } from '../trial/exchange.ts';

const defaultTimeoutMs = 30_000;

export interface KubernetesWayParts {
  readonly way: ApiTransport;
  readonly scheduler: Scheduler;
  readonly replica: Replica;
  readonly ambush: Ambush;
  readonly kill: () => Promise<void>;
  /** Hears of a write that is in no table. */
  readonly unlisted: (write: Write) => void;
}

/** Tells the ambush of every request, and leaves to it what it takes. */
export function kubernetesWay({ way, scheduler, replica, ambush, kill, unlisted }: KubernetesWayParts): ApiTransport {
  const request = async (call: ApiCall): Promise<unknown> => {
    const { method, path, body } = call;
    if (method === 'GET') return way.request(call).finally(() => ambush.looked('kubernetes', path));
    // As it would arrive: what is undefined is not there.
    const sent: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
    const write: Write = { side: 'kubernetes', method, path, body: sent };
    const point = pointOf(write);
    if (point === undefined) unlisted(write);
    const answer = Promise.withResolvers<unknown>();
    const { signal: _signal, ...plain } = call;
    let sender: Sender | undefined;
    const exchange: Exchange = {
      write,
      point,
      // Only where it is asked for: what nobody meddles with has its own deadline.
      get sender() {
        return (sender ??= senderOf({ call, scheduler, replica, answer }));
      },
      async forward() {
        const sent = way.request(plain);
        // Who has ended hears of no answer.
        const unheard = new Promise((resolve) => void scheduler.after(defaultTimeoutMs, () => resolve({})));
        const { reply } = await outcomeOf(Promise.race([sent, unheard]));
        ambush.answered(exchange, reply);
        return reply;
      },
    };
    if (ambush.wrote(exchange, kill) !== undefined) return answer.promise;
    const { reply, error } = await outcomeOf(way.request(call));
    ambush.answered(exchange, reply);
    if (error !== undefined) throw error;
    return JSON.parse(reply.body.toString());
  };
  return { ...way, request };
}

async function outcomeOf(answer: Promise<unknown>): Promise<{ readonly reply: Reply; readonly error?: ApiError }> {
  const headers = { 'content-type': 'application/json' };
  try {
    return { reply: { status: 200, headers, body: Buffer.from(JSON.stringify(await answer)) } };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { reply: { status: error.status, headers, body: Buffer.from('') }, error };
  }
}

interface Waiting {
  readonly call: ApiCall;
  readonly scheduler: Scheduler;
  readonly replica: Replica;
  readonly answer: PromiseWithResolvers<unknown>;
}

/** What the transport over sockets makes of each answer, and of none. */
function senderOf({ call, scheduler, replica, answer }: Waiting): Sender {
  const action = `${verbOf(call)} ${targetText(call.path)}`;
  const ms = call.timeoutMs ?? defaultTimeoutMs;
  const { clock } = replica;
  const deadline = startDeadline({ clock, ms, parent: call.signal, reason: `no answer within ${ms} ms` });
  const fail = (error: ApiError): void => {
    deadline.done();
    answer.reject(error);
  };
  const unreachable = (why: string): void => fail(new ApiError('unreachable', `cannot ${action}: ${why}`));
  const waitsNoMore = new Promise<void>((resolve) => {
    const giveUp = (): void => {
      unreachable(String((deadline.signal.reason as Error | undefined)?.message));
      resolve();
    };
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    // Nor does one that has ended meanwhile.
    scheduler.after(ms, resolve);
  });
  return {
    answer({ status, headers, body }) {
      const text = body.toString();
      const contentType = headers['content-type'] ?? '';
      if (status >= 300)
        return fail(refusalError(action, { status, contentType, retryAfter: headers['retry-after'], text }));
      if (text !== '' && !isJson(text)) return unreachable('the answer is not JSON');
      deadline.done();
      answer.resolve(text === '' ? undefined : JSON.parse(text));
    },
    cut: () => unreachable('ECONNRESET'),
    truncate: () => unreachable('UND_ERR_SOCKET other side closed'),
    drip: () => undefined,
    givenUp: () => waitsNoMore,
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
