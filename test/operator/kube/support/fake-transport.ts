// A transport whose answers the test gives, one after the other, and whose streams it feeds.
import type { ApiCall, StreamCall } from '../../../../src/kube/http/call.ts';
import type { ApiTransport } from '../../../../src/kube/http/transport.ts';
import { settle } from '../../../support/clock.ts';

/** A stream that the client opened; the test decides what it carries and how it ends. */
export class OpenStream {
  readonly call: StreamCall;
  readonly #queue: (() => Promise<IteratorResult<unknown>>)[] = [];
  #wake: () => void = () => undefined;

  constructor(call: StreamCall) {
    this.call = call;
    call.signal.addEventListener('abort', () => this.fail(call.signal.reason as Error));
  }

  async send(...values: readonly unknown[]): Promise<void> {
    for (const value of values) this.#put(async () => ({ done: false, value }));
    await settle();
  }

  async close(): Promise<void> {
    this.#put(async () => ({ done: true, value: undefined }));
    await settle();
  }

  fail(error: Error): void {
    this.#put(() => Promise.reject(error));
  }

  #put(step: () => Promise<IteratorResult<unknown>>): void {
    this.#queue.push(step);
    this.#wake();
  }

  async *values(): AsyncGenerator<unknown> {
    for (;;) {
      while (this.#queue.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      const next = await this.#queue.shift()?.();
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  }
}

type Answer = object | Error | ((call: ApiCall) => object | Error | Promise<object>);

export class FakeTransport implements ApiTransport {
  readonly calls: ApiCall[] = [];
  readonly streams: OpenStream[] = [];
  /** What the next requests get, in order; then `otherwise`. */
  readonly answers: Answer[] = [];
  /** What the next streams get instead of being opened. */
  readonly refusals: (Error | undefined)[] = [];
  otherwise: Answer = new Error('the script has no answer for this request');

  async request(call: ApiCall): Promise<unknown> {
    this.calls.push(call);
    const answer = this.answers.shift() ?? this.otherwise;
    const value = typeof answer === 'function' ? await answer(call) : answer;
    if (value instanceof Error) throw value;
    return value;
  }

  async stream(call: StreamCall): Promise<AsyncIterable<unknown>> {
    const refusal = this.refusals.shift();
    const stream = new OpenStream(call);
    this.streams.push(stream);
    if (refusal !== undefined) throw refusal;
    return stream.values();
  }

  async close(): Promise<void> {}

  /** The newest stream. */
  get newest(): OpenStream {
    const last = this.streams.at(-1);
    if (last === undefined) throw new Error('the client has opened no stream');
    return last;
  }
}
