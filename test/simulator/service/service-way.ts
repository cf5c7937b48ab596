// The way from one replica to the simulated service, in the place of the HTTP connections: sent, taking effect and answered, or lost.
import type { Dispatcher } from 'undici';
import type { Transport } from '../../../src/operator/client/http/service-transport.ts';
import type { Replica } from '../world/replica.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { ServiceAnswer, ServiceRequest, SimulatedService } from './service.ts';

/** What becomes of a request: `refused`: nobody takes it; `before`, `after`, `late`: its answer is lost, and it takes no effect, or does. */
export interface ServiceFate {
  readonly connectMs: number;
  readonly toMs: number;
  readonly backMs: number;
  readonly lost: 'refused' | 'before' | 'after' | 'late' | undefined;
  readonly lateMs: number;
  /** What the client hears instead of a lost answer: the connection breaks, a gateway says no, or nothing at all. */
  readonly told: 'reset' | 'gateway' | 'nothing';
}

/** One request that was sent; until it is settled it may still take effect. */
export interface Sent {
  readonly replica: Replica;
  readonly request: ServiceRequest;
  readonly number: number;
}

export interface ServiceWayOptions {
  readonly scheduler: Scheduler;
  readonly service: SimulatedService;
  readonly fate: (replica: Replica, request: ServiceRequest) => ServiceFate;
  readonly sent: (sent: Sent) => void;
  /** It has taken effect, or never will; `late`: long after its sender was told something else. */
  readonly settled: (sent: Sent, answer: ServiceAnswer | undefined, late: boolean) => void;
}

const gateway: ServiceAnswer = {
  status: 504,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>504 Gateway Time-out</title></head></html>',
  end: 'whole',
  delayMs: 0,
};

class Failure extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export class ServiceWays {
  readonly #options: ServiceWayOptions;
  #number = 0;

  constructor(options: ServiceWayOptions) {
    this.#options = options;
  }

  of(replica: Replica): Transport {
    return {
      dispatch: (options, handler) => this.#dispatch(replica, options, handler),
      close: async () => undefined,
      destroy: async () => undefined,
    };
  }

  #dispatch(replica: Replica, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { scheduler, fate, sent } = this.#options;
    const request = requestOf(options);
    const course = fate(replica, request);
    let aborted = false;
    const controller = {
      abort: () => void (aborted = true),
      pause: () => undefined,
      resume: () => undefined,
    } as unknown as Dispatcher.DispatchController;
    const fail = (code: string) => handler.onResponseError?.(controller, new Failure(code));
    const connected = (): void => {
      if (course.lost === 'refused') return fail('ECONNREFUSED');
      handler.onRequestStart?.(controller, {});
      if (aborted) return;
      const one: Sent = { replica, request, number: (this.#number += 1) };
      sent(one);
      this.#carry(one, course, (answer) => {
        if (aborted) return;
        if (answer === undefined || answer.end === 'cut') return fail('ECONNRESET');
        this.#hand(answer, controller, handler, fail);
      });
    };
    scheduler.after(course.connectMs, () => replica.deliver(connected));
    return true;
  }

  /** `heard` gets the answer, undefined when the connection broke; or it never hears anything. */
  #carry(sent: Sent, course: ServiceFate, heard: (answer: ServiceAnswer | undefined) => void): void {
    const { scheduler, service, settled } = this.#options;
    const { lost, toMs, backMs, lateMs, told } = course;
    const work = (): ServiceAnswer => {
      const answer = service.respond(sent.request);
      settled(sent, answer, lost === 'late');
      return answer;
    };
    const back = (ms: number, answer: ServiceAnswer | undefined): void =>
      void scheduler.after(ms, () => sent.replica.deliver(() => heard(answer)));
    scheduler.after(toMs, () => {
      if (lost === undefined) {
        const answer = work();
        back(backMs + answer.delayMs, answer);
        return;
      }
      if (lost === 'after') work();
      else if (lost === 'late') scheduler.after(lateMs, () => void work(), false);
      else settled(sent, undefined, false);
      if (told !== 'nothing') back(backMs, told === 'reset' ? undefined : gateway);
    });
  }

  #hand(
    { status, headers, body, end }: ServiceAnswer,
    controller: Dispatcher.DispatchController,
    handler: Dispatcher.DispatchHandler,
    fail: (code: string) => void,
  ): void {
    handler.onResponseStart?.(controller, status, { ...headers });
    const bytes = Buffer.from(body);
    if (end === 'truncated') {
      handler.onResponseData?.(controller, bytes.subarray(0, bytes.length / 2));
      return fail('UND_ERR_SOCKET');
    }
    handler.onResponseData?.(controller, bytes);
    handler.onResponseEnd?.(controller, {});
  }
}

function requestOf({ method, path, headers, body }: Dispatcher.DispatchOptions): ServiceRequest {
  const { 'x-auth-token': token } = headers as Readonly<Record<string, string | undefined>>;
  const text = body === null || body === undefined ? undefined : (body as Buffer).toString();
  return { method, path, token, body: text };
}
