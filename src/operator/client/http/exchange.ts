// One HTTP exchange: whole request out, whole answer in, within a time; and whether it was possibly sent when it fails.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../../lib/ports.ts';
import type { Failure, Method } from '../../../wire/errors/errors.ts';
import { Chunks } from '../json/chunks.ts';
import { excessText } from '../limits.ts';
import { ProxyError, refusalOf, type Transport } from './proxied.ts';
import { type Sink, SinkOptions } from './sink.ts';

export interface Message {
  readonly origin: string;
  readonly path: string;
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface AnswerBounds {
  readonly clock: Clock;
  /** From the call to the last byte of the answer, without what a sink takes meanwhile. */
  readonly timeoutMs: number;
  /** Of the body of a good answer. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Asked when the connection stands, just before the first byte; without it the answer is yes. */
  readonly maySend?: (() => boolean) | undefined;
  /** Gets the body of a good answer as it comes; what the exchange then ends with has no more than its beginning. */
  readonly sink?: Sink | undefined;
}

export type Exchanged =
  | {
      readonly phase: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer<ArrayBuffer>;
    }
  | Exclude<Failure, { readonly phase: 'answered' }>;

/** More of an answer that says no is not read. */
export const maxRefusalBytes = 262_144;

/**
 * Follows one dispatch. undici calls `onRequestStart` after the connection stands and just before the first byte is written: a
 * failure before it is *unsent*, and giving up before it makes sure that nothing will be sent.
 */
class Exchange implements Dispatcher.DispatchHandler {
  #maxBytes: number;
  readonly #maySend: () => boolean;
  readonly #taking: SinkOptions | undefined;
  readonly #finish: (result: Exchanged) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #finished = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks = new Chunks();
  #bytes = 0;

  constructor({ clock, maxBytes, maySend = () => true, sink }: AnswerBounds, finish: (result: Exchanged) => void) {
    this.#maxBytes = maxBytes;
    this.#maySend = maySend;
    this.#taking = sink && new SinkOptions(sink, clock);
    this.#finish = finish;
  }

  /** Ends it from our side; `code` says why. */
  giveUp(code: string, text?: string): void {
    this.#fail(code, text);
    this.#controller?.abort(new Error(code));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#finished && !this.#maySend()) this.#fail('NOT_LEADING');
    if (this.#finished) controller.abort(new Error('given up'));
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (status >= 400) this.#maxBytes = maxRefusalBytes;
    const told = Number(headers['content-length'] ?? 0);
    if (told > this.#maxBytes) this.giveUp('TOO_LARGE', excessText(this.#maxBytes, told));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // undici begins what was paused with no bytes at all: to pause then would be to begin for ever.
    if (this.#finished || chunk.byteLength === 0) return;
    this.#bytes += chunk.byteLength;
    const taking = this.#status < 300 ? this.#taking : undefined;
    if (this.#bytes > this.#maxBytes) this.giveUp('TOO_LARGE', excessText(this.#maxBytes));
    else if (taking === undefined || this.#chunks.bytes === 0) this.#chunks.add(chunk);
    if (!this.#finished) taking?.hand(chunk, controller);
  }

  onResponseEnd(): void {
    if (this.#taking === undefined) this.#end(this.#answer());
    else void this.#taking.ended.then(() => this.#end(this.#answer()));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(codeOf(error), error instanceof ProxyError ? error.message : undefined);
  }

  /** What is to be added to the time of the service. */
  owedMs(): number {
    return this.#taking?.owedMs() ?? 0;
  }

  #answer(): Exchanged {
    const body = Buffer.concat(this.#chunks.take());
    return { phase: 'answered', status: this.#status, headers: this.#headers, body };
  }

  #fail(code: string, text?: string): void {
    // The head of a refusal says enough: a 429 whose body breaks off is still a 429.
    if (this.#status >= 400) this.#end(this.#answer());
    else {
      const phase = this.#controller === undefined ? 'unsent' : 'unanswered';
      this.#end({ phase, code, ...(text !== undefined && { text }) });
    }
  }

  #end(result: Exchanged): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#chunks = new Chunks();
    this.#finish(result);
  }
}

/** undici has codes of its own for malformed requests and closed agents, and none for most of what its parser refuses. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  if (code === 'HTTPParserError') return 'HPE_UNKNOWN';
  if (code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_CHAR') return 'BAD_REQUEST';
  return code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED' ? 'CLOSED' : code;
}

const gateway: readonly number[] = [502, 503, 504];

/** A proxy that forwards answers in the place of the service when it does not let us through, or finds no way to it. */
function judgeProxy(result: Exchanged, { forwarder }: Transport): Exchanged {
  if (forwarder === undefined || result.phase !== 'answered') return result;
  const { status, headers, body } = result;
  if (status === 407) return { phase: 'unsent', code: 'PROXY', text: refusalOf(forwarder, status).message };
  const silent = headers['retry-after'] === undefined && !/^\s*\{/.test(body.subarray(0, 64).toString());
  if (!gateway.includes(status) || !silent) return result;
  return { phase: 'unanswered', code: 'PROXY', text: `${forwarder.host}, or what is behind it, answers ${status}` };
}

/** Gives up when the service has had its time. Answers with what stops the clock. */
function startDeadline(follow: Exchange, { clock, timeoutMs }: AnswerBounds): () => void {
  const due = (): void => {
    const owedMs = follow.owedMs();
    if (owedMs > 0) cancel = clock.after(owedMs, due);
    else follow.giveUp('DEADLINE');
  };
  let cancel = clock.after(timeoutMs, due);
  return () => cancel();
}

/** Sends one message, once, and never rejects. Redirects are answers like any other. */
export function exchange(transport: Transport, message: Message, bounds: AnswerBounds): Promise<Exchanged> {
  const { signal } = bounds;
  if (signal?.aborted === true) return Promise.resolve({ phase: 'unsent', code: 'ABORTED' });
  return new Promise((resolve) => {
    const abort = () => follow.giveUp('ABORTED');
    const follow = new Exchange(bounds, (result) => {
      cancelDeadline();
      signal?.removeEventListener('abort', abort);
      resolve(judgeProxy(result, transport));
    });
    const cancelDeadline = startDeadline(follow, bounds);
    signal?.addEventListener('abort', abort, { once: true });
    const { body, ...rest } = message;
    try {
      transport.dispatch({ ...rest, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 }, follow);
    } catch (error) {
      follow.onResponseError(undefined as never, error as Error);
    }
  });
}

/**
 * To be called when the body has been read: a long one lives long enough to be freed by no less than a collection of the whole heap.
 * A short body shares its memory with others and stays.
 */
export function giveBack(exchanged: Exchanged): void {
  if (exchanged.phase !== 'answered') return;
  const { buffer, byteLength } = exchanged.body;
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
