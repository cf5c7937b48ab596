// The way from one replica to the simulated API server: each request is sent, takes effect and is answered, each in its own time, or gets lost.
import { ApiError, refusalError } from '../../../src/kube/api-error.ts';
import { type ApiCall, type StreamCall, verbOf } from '../../../src/kube/http/call.ts';
import { startDeadline } from '../../../src/kube/http/deadline.ts';
import type { ApiTransport } from '../../../src/kube/http/transport.ts';
import { targetText } from '../../../src/kube/target.ts';
import type { Replica } from '../world/replica.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { type Answer, type ApiServer, type Change, statusAnswer } from './api-server.ts';
import { refusalOf, ServedWatch } from './served-watch.ts';

/** What becomes of a request. `instead`: what is answered in the place of the truth. */
export interface Fate {
  readonly toMs: number;
  readonly backMs: number;
  readonly applied: boolean;
  readonly answered: boolean;
  readonly instead: number | undefined;
}

export interface ApiWayOptions {
  readonly scheduler: Scheduler;
  readonly server: ApiServer;
  readonly oldApiServer: boolean;
  readonly fate: (replica: Replica, call: Pick<ApiCall, 'method' | 'path'>) => Fate;
  /** How long a change takes to be told, in ms. */
  readonly lagMs: (replica: Replica) => number;
  readonly sent: (replica: Replica, call: ApiCall) => void;
  /** Before and after it took effect. */
  readonly applying: (replica: Replica, call: ApiCall) => void;
  readonly applied: (replica: Replica, call: ApiCall, answer: Answer) => void;
}

const defaultTimeoutMs = 30_000;

const answerError = (action: string, { status, body }: Answer): ApiError =>
  refusalError(action, {
    status,
    contentType: 'application/json',
    retryAfter: status === 429 ? '1' : undefined,
    text: JSON.stringify(body),
  });

const broken = (action: string, why: string): ApiError => new ApiError('unreachable', `cannot ${action}: ${why}`);

/** All ways to one API server, and what is open on them. */
export class ApiWays {
  readonly #options: ApiWayOptions;
  readonly #watches = new Set<Watch>();

  constructor(options: ApiWayOptions) {
    this.#options = options;
    options.server.onChange((change) => {
      for (const watch of this.#watches) watch.tell(change);
    });
  }

  /** Every watch breaks off. */
  cut(): void {
    for (const watch of this.#watches) watch.fail('ECONNRESET');
    this.#watches.clear();
  }

  get open(): number {
    return this.#watches.size;
  }

  of(replica: Replica): ApiTransport {
    return {
      request: (call) => this.#request(replica, call),
      stream: (call) => this.#stream(replica, call),
      close: async () => undefined,
    };
  }

  #request(replica: Replica, call: ApiCall): Promise<unknown> {
    const { scheduler, server, fate, sent, applying, applied } = this.#options;
    const action = `${verbOf(call)} ${targetText(call.path)}`;
    const { toMs, backMs, instead, ...is } = fate(replica, call);
    const ms = call.timeoutMs ?? defaultTimeoutMs;
    const deadline = startDeadline({
      clock: replica.clock,
      ms,
      parent: call.signal,
      reason: `no answer within ${ms} ms`,
    });
    sent(replica, call);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(broken(action, String((deadline.signal.reason as Error | undefined)?.message)));
      if (deadline.signal.aborted) return giveUp();
      deadline.signal.addEventListener('abort', giveUp, { once: true });
      const finish = (answer: Answer | undefined): void => {
        deadline.done();
        if (answer === undefined) reject(broken(action, 'ECONNRESET'));
        else if (answer.status >= 300) reject(answerError(action, answer));
        else resolve(answer.body);
      };
      const work = (): void => {
        let truth: Answer | undefined;
        if (is.applied) {
          applying(replica, call);
          truth = server.handle(call);
          applied(replica, call, truth);
        }
        const answer = instead === undefined ? truth : statusAnswer(instead, 'Trouble', 'the simulation says so');
        scheduler.after(backMs, () => replica.deliver(() => finish(is.answered ? answer : undefined)));
      };
      scheduler.after(toMs, work, true);
    }).finally(() => deadline.done());
  }

  async #stream(replica: Replica, call: StreamCall): Promise<AsyncIterable<unknown>> {
    const { scheduler, fate, oldApiServer } = this.#options;
    const action = `watch ${targetText(call.path)}`;
    const { toMs, backMs, answered, instead } = fate(replica, { method: 'GET', path: call.path });
    const reason = `no byte for ${call.idleMs} ms`;
    const deadline = startDeadline({ clock: replica.clock, ms: call.idleMs, parent: call.signal, reason });
    return new Promise<AsyncIterable<unknown>>((resolve, reject) => {
      const giveUp = (): void => reject(broken(action, 'given up'));
      deadline.signal.addEventListener('abort', giveUp, { once: true });
      const refuse = (error: ApiError): void => {
        deadline.done();
        reject(error);
      };
      const begin = (): void => {
        const refusal = oldApiServer ? refusalOf(call) : undefined;
        if (refusal !== undefined) return answer(() => refuse(answerError(action, refusal)));
        const watch = new Watch({
          ...this.#options,
          replica,
          call,
          deadline,
          action,
          ended: () => this.#watches.delete(watch),
        });
        this.#watches.add(watch);
        watch.begin();
        answer(() => resolve(watch.read()));
      };
      const answer = (run: () => void): void => void scheduler.after(backMs, () => replica.deliver(run));
      scheduler.after(
        toMs,
        () => {
          if (instead !== undefined)
            answer(() => refuse(answerError(action, statusAnswer(instead, 'Trouble', 'the simulation says so'))));
          else if (!answered) answer(() => refuse(broken(action, 'ECONNRESET')));
          else begin();
        },
        true,
      );
    });
  }
}

interface WatchOptions extends ApiWayOptions {
  readonly replica: Replica;
  readonly call: StreamCall;
  readonly deadline: ReturnType<typeof startDeadline>;
  readonly action: string;
  readonly ended: () => void;
}

type Arrival = { readonly value: unknown } | { readonly error: ApiError } | { readonly end: true };

/** One watch: what it is to tell arrives in order, however late. */
class Watch {
  readonly #options: WatchOptions;
  readonly #served: ServedWatch;
  readonly #arrived: Arrival[] = [];
  #wake: (() => void) | undefined;
  #lastAt = 0;
  #over = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { scheduler, server, call, deadline } = options;
    this.#served = new ServedWatch(server, call, {
      send: (value) => this.#later({ value }),
      end: () => this.#later({ end: true }),
      after: (ms, run) => scheduler.after(ms, run, true),
    });
    const { signal } = deadline;
    signal.addEventListener('abort', () => this.#arrive({ error: broken(options.action, 'given up') }), { once: true });
  }

  begin(): void {
    this.#served.begin();
  }

  tell(change: Change): void {
    this.#served.tell(change);
  }

  fail(why: string): void {
    this.#later({ error: broken(this.#options.action, why) });
  }

  async *read(): AsyncGenerator<unknown> {
    const { deadline } = this.#options;
    try {
      for (;;) {
        const next = this.#arrived.shift();
        if (next === undefined) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        } else if ('value' in next) {
          deadline.touch();
          yield next.value;
        } else if ('error' in next) throw next.error;
        else return;
      }
    } finally {
      deadline.done();
      this.#end();
    }
  }

  /** It arrives after what was told before. */
  #later(arrival: Arrival): void {
    const { scheduler, lagMs, replica } = this.#options;
    if (this.#over || !replica.alive) return;
    const at = Math.max(this.#lastAt, scheduler.now + lagMs(replica));
    this.#lastAt = at;
    scheduler.after(at - scheduler.now, () => replica.deliver(() => this.#arrive(arrival)));
  }

  #arrive(arrival: Arrival): void {
    if (this.#over) return;
    this.#arrived.push(arrival);
    if (!('value' in arrival)) this.#end();
    this.#wake?.();
    this.#wake = undefined;
  }

  #end(): void {
    this.#over = true;
    this.#served.close();
    this.#options.ended();
  }
}
