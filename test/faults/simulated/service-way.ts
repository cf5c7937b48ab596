// The requests of a simulated operator to its service, as exchanges that something can go wrong with.
import type { Dispatcher } from 'undici';
import type { Transport } from '../../../src/operator/client/http/service-transport.ts';
import { longestLateMs } from '../../simulator/plan/plan.ts';
import type { ServiceAnswer, ServiceRequest } from '../../simulator/service/service.ts';
import type { Replica } from '../../simulator/world/replica.ts';
import type { World } from '../../simulator/world/world.ts';
import { isWrite, pointOf, type Write } from '../tables/points.ts';
import { refusalOf, statusInstead } from '../trial/acting.ts';
import type { Ambush } from '../trial/ambush.ts';
import type { Exchange, Reply, Sender } from '../trial/exchange.ts';

const latencyMs = 5;
const byteMs = 1_000;
const tokenHeader = 'x-auth-token';

export interface ServiceWayParts {
  readonly way: Transport;
  readonly world: World;
  readonly replica: Replica;
  readonly ambush: Ambush;
  readonly kill: () => Promise<void>;
  /** Hears of a write that is in no table. */
  readonly unlisted: (write: Write) => void;
}

type Options = Dispatcher.DispatchOptions;
type Handler = Dispatcher.DispatchHandler;
type Headers = Readonly<Record<string, string>>;

/** Tells the ambush of every request, and leaves to it what it takes. */
export function serviceWay(parts: ServiceWayParts): Transport {
  return {
    ...parts.way,
    dispatch(options, handler) {
      const { ambush, way } = parts;
      const headers = options.headers as Headers;
      const admitted = ambush.admits(headers[tokenHeader]);
      if (admitted === undefined) {
        senderOf(parts, handler).answer(refusalOf('service', 401));
        return true;
      }
      const passed = { ...options, headers: { ...headers, [tokenHeader]: admitted } };
      return isWrite(options.method, pathOf(options))
        ? write(parts, passed, handler)
        : way.dispatch(
            passed,
            noticing(handler, () => ambush.looked('service', pathOf(options))),
          );
    },
  };
}

function write({ ambush, kill, unlisted, ...parts }: ServiceWayParts, options: Options, handler: Handler): boolean {
  const { world, replica, way } = parts;
  const request: ServiceRequest = {
    method: options.method,
    path: options.path,
    token: (options.headers as Headers)[tokenHeader],
    body: options.body === null || options.body === undefined ? undefined : (options.body as Buffer).toString(),
  };
  const body: unknown = request.path.includes('/job-binary-internals/')
    ? undefined
    : JSON.parse(request.body || 'null');
  const one: Write = { side: 'service', method: request.method, path: pathOf(options), body };
  const point = pointOf(one);
  if (point === undefined) unlisted(one);
  const sent = { replica, request, number: -1 };
  let settled = false;
  const settle = (answer: ServiceAnswer | undefined): void => {
    if (!settled) world.happen({ is: 'service settled', sent, answer, late: false });
    settled = true;
  };
  let sender: Sender | undefined;
  const exchange: Exchange = {
    write: one,
    point,
    // Only where it is asked for: what nobody meddles with is answered by others.
    get sender() {
      return (sender ??= senderOf({ world, replica }, handler));
    },
    async forward() {
      await new Promise<void>((resolve) => void world.scheduler.after(latencyMs, resolve));
      const answer = settled ? neverDone : world.service.respond(request);
      settle(answer);
      const reply: Reply = { status: answer.status, headers: answer.headers, body: Buffer.from(answer.body) };
      ambush.answered(exchange, reply);
      return reply;
    },
  };
  const own = ambush.wrote(exchange, kill);
  if (own === undefined)
    return way.dispatch(
      options,
      noticing(handler, (status) => ambush.answered(exchange, { status, headers: {}, body: Buffer.of() })),
    );
  world.happen({ is: 'service sent', sent });
  void own.then(() => settle(refusedBy(ambush)));
  world.scheduler.after(longestLateMs, () => settle(undefined));
  return true;
}

/** The service itself has not seen the request, and its sender was told that it is not carried out. */
function refusedBy({ trouble }: Ambush): ServiceAnswer | undefined {
  const status = trouble && statusInstead(trouble.fault.act);
  return status !== undefined && status < 500 ? { status, headers: {}, body: '', end: 'whole', delayMs: 0 } : undefined;
}

/** It is too late for it to take effect. */
const neverDone: ServiceAnswer = { status: 504, headers: {}, body: '', end: 'cut', delayMs: 0 };
const pathOf = ({ path }: Options): string => path.split('?')[0] ?? '';

/** The same, but somebody is told of the answer when it has ended. */
function noticing(handler: Handler, answered: (status: number) => void): Handler {
  let status = 0;
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, code, headers, message) {
      status = code;
      handler.onResponseStart?.(controller, code, headers, message);
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd(controller, trailers) {
      answered(status);
      handler.onResponseEnd?.(controller, trailers);
    },
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

class Failure extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** The request has begun; what is said of it takes its time, and reaches nobody who waits no more. */
function senderOf({ world, replica }: Pick<ServiceWayParts, 'world' | 'replica'>, handler: Handler): Sender {
  const gone = Promise.withResolvers<void>();
  let waits = true;
  const controller = {
    abort() {
      waits = false;
      gone.resolve();
    },
    pause: () => undefined,
    resume: () => undefined,
  } as unknown as Dispatcher.DispatchController;
  const say = (run: () => void, ms = latencyMs): void =>
    void world.scheduler.after(ms, () => replica.deliver(() => (waits ? run() : undefined)));
  say(() => handler.onRequestStart?.(controller, {}), 0);
  const begin = ({ status, headers }: Reply): void => handler.onResponseStart?.(controller, status, { ...headers });
  const fail = (code: string): void => handler.onResponseError?.(controller, new Failure(code));
  return {
    answer: (reply) =>
      say(() => {
        begin(reply);
        handler.onResponseData?.(controller, reply.body);
        handler.onResponseEnd?.(controller, {});
      }),
    cut: () => say(() => fail('ECONNRESET')),
    truncate: (reply) =>
      say(() => {
        begin(reply);
        handler.onResponseData?.(controller, reply.body.subarray(0, reply.body.length / 2));
        fail('UND_ERR_SOCKET');
      }),
    drip(reply) {
      say(() => begin(reply));
      const next = (at: number): void => {
        if (waits && at < reply.body.length)
          say(() => {
            handler.onResponseData?.(controller, reply.body.subarray(at, at + 1));
            next(at + 1);
          }, byteMs);
      };
      next(0);
    },
    givenUp: () => gone.promise,
  };
}
