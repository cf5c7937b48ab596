// One HTTP exchange within a time limit. A failure tells whether the request may have been sent.
import type { IncomingHttpHeaders } from 'node:http';
import type { DetailedPeerCertificate } from 'node:tls';
import type { Dispatcher } from 'undici';
import { codeOf } from '../../../lib/errors.ts';
import type { Clock } from '../../../lib/ports.ts';
import type { Failure, Method } from '../../../wire/errors/service-error.ts';
import { cutText } from '../../../wire/errors/shapes.ts';
import { Chunks } from '../json/chunks.ts';
import { excessText } from '../limits.ts';
import { ProxyError, refusalOf, type Transport } from './service-transport.ts';

/** Receives the next bytes of an answer, and more when it resolves. Never rejects. */
export type Sink = (chunk: Buffer) => Promise<void>;

class SinkFeed {
  readonly #sink: Sink;
  readonly #clock: Clock;
  #taken: Promise<void> = Promise.resolve();
  #since: number | undefined;
  #ms = 0;

  constructor(sink: Sink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Resolves when all chunks are read. */
  get ended(): Promise<void> {
    return this.#taken;
  }

  feed(chunk: Buffer, controller: Dispatcher.DispatchController): void {
    controller.pause();
    this.#taken = this.#taken.then(async () => {
      this.#since = this.#clock.monotonic();
      await this.#sink(chunk);
      this.#count();
      this.#since = undefined;
      controller.resume();
    });
  }

  /** The time that the sink took since the last call, in ms. It extends the deadline of the service. */
  owedMs(): number {
    this.#count();
    const ms = this.#ms;
    this.#ms = 0;
    return ms;
  }

  #count(): void {
    if (this.#since === undefined) return;
    const now = this.#clock.monotonic();
    this.#ms += now - this.#since;
    this.#since = now;
  }
}

export interface Message {
  readonly origin: string;
  readonly path: string;
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

interface AnswerBounds {
  readonly clock: Clock;
  /** From the call to the last byte of the answer, without the time that the sink takes. */
  readonly timeoutMs: number;
  /** The maximum body of a successful answer. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Called on an open connection just before the first byte: the code of what forbids to send. Defaults to nothing. */
  readonly obstacle?: (() => string | undefined) | undefined;
  /** Receives the body of a successful answer as it arrives. The result then contains only its beginning. */
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

/** The maximum body of an error answer. */
export const maxRefusalBytes = 262_144;

/**
 * undici calls `onRequestStart` on an open connection, just before the first byte is written. A failure before that is *unsent*, and an
 * abort before that guarantees that nothing is sent.
 */
class Exchange implements Dispatcher.DispatchHandler {
  #maxBytes: number;
  readonly #obstacle: () => string | undefined;
  readonly #feed: SinkFeed | undefined;
  readonly #finish: (result: Exchanged) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #finished = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks = new Chunks();
  #bytes = 0;

  constructor(
    { clock, maxBytes, obstacle = () => undefined, sink }: AnswerBounds,
    finish: (result: Exchanged) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#obstacle = obstacle;
    this.#feed = sink && new SinkFeed(sink, clock);
    this.#finish = finish;
  }

  giveUp(code: string, text?: string): void {
    this.#fail(code, text);
    this.#controller?.abort(new Error(code));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const obstacle = this.#finished ? undefined : this.#obstacle();
    if (obstacle !== undefined) this.#fail(obstacle);
    if (this.#finished) controller.abort(new Error('aborted'));
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (status >= 400) this.#maxBytes = maxRefusalBytes;
    const length = Number(headers['content-length'] ?? 0);
    if (length > this.#maxBytes) this.giveUp('TOO_LARGE', excessText(this.#maxBytes, length));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // undici resumes with an empty chunk. Pausing again on it would never end.
    if (this.#finished || chunk.byteLength === 0) return;
    this.#bytes += chunk.byteLength;
    const feed = this.#status < 300 ? this.#feed : undefined;
    if (this.#bytes > this.#maxBytes) this.giveUp('TOO_LARGE', excessText(this.#maxBytes));
    else if (feed === undefined || this.#chunks.bytes === 0) this.#chunks.add(chunk);
    if (!this.#finished) feed?.feed(chunk, controller);
  }

  onResponseEnd(): void {
    if (this.#feed === undefined) this.#end(this.#answer());
    else void this.#feed.ended.then(() => this.#end(this.#answer()));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(failureCode(error), failureText(error));
  }

  owedMs(): number {
    return this.#feed?.owedMs() ?? 0;
  }

  #answer(): Exchanged {
    const body = Buffer.concat(this.#chunks.take());
    return { phase: 'answered', status: this.#status, headers: this.#headers, body };
  }

  #fail(code: string, text?: string): void {
    // The status of an error answer is enough: a 429 with a truncated body is still a 429.
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

const gateway: readonly number[] = [502, 503, 504];

/** A forwarding proxy answers in place of the service if it refuses the request or cannot reach the service. */
function judgeProxy(result: Exchanged, { forwarder }: Transport): Exchanged {
  if (forwarder === undefined || result.phase !== 'answered') return result;
  const { status, headers, body } = result;
  if (status === 407) return { phase: 'unsent', code: 'PROXY', text: refusalOf(forwarder, status).message };
  const silent = headers['retry-after'] === undefined && !/^\s*\{/.test(body.subarray(0, 64).toString());
  if (!gateway.includes(status) || !silent) return result;
  return { phase: 'unanswered', code: 'PROXY', text: `${forwarder.host}, or what is behind it, answers ${status}` };
}

/** Returns a function that cancels the deadline. */
function startDeadline(follow: Exchange, { clock, timeoutMs }: AnswerBounds): () => void {
  const due = (): void => {
    const owedMs = follow.owedMs();
    if (owedMs > 0) cancel = clock.after(owedMs, due);
    else follow.giveUp('DEADLINE');
  };
  let cancel = clock.after(timeoutMs, due);
  return () => cancel();
}

/** Sends the message once. Never rejects, and does not follow redirects. */
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
 * Frees the body after it was read. Otherwise a long body lives until a full garbage collection. A short body shares its memory with
 * others and is not freed.
 */
export function freeBody(exchanged: Exchanged): void {
  if (exchanged.phase !== 'answered') return;
  const { buffer, byteLength } = exchanged.body;
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}

/** The first bytes of an alert, which servers send to clients that do not speak TLS. */
function isAlert(data: unknown): boolean {
  if (typeof data !== 'string' && !Buffer.isBuffer(data)) return false;
  const [type, major, minor = 255] = Buffer.from(data);
  return type === 0x15 && major === 3 && minor <= 4;
}

/** Maps the errors of undici, whose parser errors mostly have no code. */
export function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  const code = codeOf(error);
  if (code === 'HTTPParserError' || code.startsWith('HPE_'))
    return 'data' in error && isAlert(error.data) ? 'TLS_ANSWER' : code.replace('HTTPParserError', 'HPE_UNKNOWN');
  if (code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_CHAR') return 'BAD_REQUEST';
  return code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED' ? 'CLOSED' : code;
}

/** What the code does not tell: which proxy failed, or which names a certificate has. */
export function failureText(error: unknown): string | undefined {
  if (error instanceof ProxyError) return error.message;
  return error instanceof Error && codeOf(error) === 'ERR_TLS_CERT_ALTNAME_INVALID' ? otherNames(error) : undefined;
}

const shownNames = 5;
const longestName = 80;

function otherNames({
  host = '',
  cert = {},
}: Error & { readonly host?: string; readonly cert?: Partial<DetailedPeerCertificate> }): string {
  const names = namesIn(cert).map((name) => cutText(name, longestName));
  const asked = cutText(host, longestName);
  if (names.length === 0) return `it has no names; issue a certificate for ${asked}`;
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : '';
  const shown = `${names.slice(0, shownNames).join(', ')}${more}`;
  return `it is for ${shown}, not for ${asked}; use one of these names as the host, or issue a certificate for ${asked}`;
}

/** The common name counts only if there are no others. Anything that cannot be part of a host is left out. */
function namesIn({ subject, subjectaltname = '' }: Partial<DetailedPeerCertificate>): readonly string[] {
  const listed = [...subjectaltname.matchAll(/(?:DNS|IP Address):([\w.*:-]+)(?=,|$)/g)].flatMap(
    ([, name = '']) => name,
  );
  return listed.length > 0 ? listed : [subject?.CN ?? []].flat().filter((name) => /^[\w.*:-]+$/.test(name));
}
