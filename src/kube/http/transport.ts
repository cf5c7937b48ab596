// Sends requests to the API server over one connection pool. Does not retry.
import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/ports.ts';
import { ApiError, refusalError } from '../api-error.ts';
import type { ClusterConfig } from '../config/config-types.ts';
import { targetOf, targetText } from '../target.ts';
import { type ApiCall, queryText, type RequestReport, type StreamCall, verbOf } from './call.ts';
import { type ApiConnections, createConnections } from './connections.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { actionOf as actionOfExec, type ExecTarget, exec } from './pod-exec.ts';

interface TransportOptions {
  readonly config: ClusterConfig;
  readonly clock: Clock;
  /** The name of the program, for the log of the API server. */
  readonly userAgent?: string;
  readonly onRequest?: (report: RequestReport) => void;
}

export interface ApiTransport {
  /** Resolves to the parsed answer, which has a kind, as all objects of the API server have. Rejects with ApiError. */
  request(call: ApiCall): Promise<unknown>;
  /** Resolves when the answer starts, to one parsed value per line. The iteration ends with the stream, or throws ApiError. */
  stream(call: StreamCall): Promise<AsyncIterable<unknown>>;
  /** Closes all connections, including those in use. */
  close(): Promise<void>;
}

/** An answer whose bytes are not read yet. */
export interface OpenAnswer {
  readonly status: number;
  /** The header Date: what the clock of the server shows. */
  readonly date?: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** With what only those need who run pods. */
export interface PodTransport extends ApiTransport {
  /** The clock of its timeouts. */
  readonly clock: Clock;
  /** Resolves when the answer begins, whatever its status is. Rejects with ApiError if there is none, and so does the iteration if it breaks off. */
  open(call: ApiCall): Promise<OpenAnswer>;
  /** Runs a command in a container. Resolves to its output. Rejects with ApiError, also if the command fails, prints too much or takes too long. */
  exec(target: ExecTarget, command: readonly string[], signal: AbortSignal): Promise<string>;
}

const defaultTimeoutMs = 30_000;
/** Of a command in a container. The slowest ones start a JVM and ask a process that is near. */
const execTimeoutMs = 120_000;
const usualAgent = 'dataprocessing-operator';

interface Wire extends TransportOptions {
  readonly connections: ApiConnections;
  /** The path below which the API server is served; usually empty. */
  readonly prefix: string;
}

export function createTransport(options: TransportOptions): PodTransport {
  const { pathname } = new URL(options.config.server);
  const connections = createConnections(options.config);
  const wire = { ...options, connections, prefix: pathname.replace(/\/+$/, '') };
  return {
    clock: options.clock,
    request: (call) => request(wire, call),
    open: (call) => open(wire, call),
    exec: (target, command, signal) => run(wire, target, command, signal),
    stream: (call) => stream(wire, call),
    close: () => connections.close(),
  };
}

async function request(wire: Wire, call: ApiCall): Promise<unknown> {
  return parseAnswer(actionOf(call), await textOf(wire, call));
}

function actionOf(call: ApiCall): string {
  return `${verbOf(call)} ${targetText(call.path)}`;
}

async function textOf(wire: Wire, call: ApiCall): Promise<string> {
  const action = actionOf(call);
  const ms = call.timeoutMs ?? defaultTimeoutMs;
  const deadline = startDeadline({ clock: wire.clock, ms, parent: call.signal, reason: `no answer within ${ms} ms` });
  const finish = startReport(wire, verbOf(call), call.path);
  let status = 0;
  try {
    const response = await send(wire, call, deadline);
    status = response.statusCode;
    const text = await response.body.text();
    if (status >= 300) throw refuse(action, response, text);
    return text;
  } catch (error) {
    throw failure(action, error, deadline.signal);
  } finally {
    deadline.done();
    finish(status);
  }
}

async function open(wire: Wire, call: ApiCall): Promise<OpenAnswer> {
  const action = actionOf(call);
  const ms = call.timeoutMs ?? defaultTimeoutMs;
  const deadline = startDeadline({ clock: wire.clock, ms, parent: call.signal, reason: `no byte for ${ms} ms` });
  const finish = startReport(wire, verbOf(call), call.path);
  try {
    // Its deadline ends it, which the caller chooses.
    const { statusCode, headers, body } = await send(wire, call, deadline, { bodyTimeout: 0 });
    finish(statusCode);
    const bytes = guarded(action, touching(body, deadline), deadline);
    return { status: statusCode, date: [headers['date']].flat()[0], bytes };
  } catch (error) {
    deadline.done();
    finish(0);
    throw failure(action, error, deadline.signal);
  }
}

async function run(wire: Wire, target: ExecTarget, command: readonly string[], parent: AbortSignal): Promise<string> {
  const reason = `it has not ended within ${execTimeoutMs} ms`;
  const deadline = startDeadline({ clock: wire.clock, ms: execTimeoutMs, parent, reason });
  try {
    const credentials = await untilAborted(wire.config.credentials(), deadline.signal);
    const { origin } = new URL(wire.config.server);
    const dispatcher = wire.connections.pool(credentials);
    const headers = { 'user-agent': wire.userAgent ?? usualAgent, ...credentials.headers };
    return await exec(target, command, { base: `${origin}${wire.prefix}`, dispatcher, headers, deadline });
  } catch (error) {
    throw failure(actionOfExec(target, command), error, deadline.signal);
  } finally {
    deadline.done();
  }
}

/** Ends the deadline with the iteration, and names the request in each error. */
async function* guarded<T>(action: string, parts: AsyncIterable<T>, deadline: Deadline): AsyncGenerator<T> {
  try {
    yield* parts;
  } catch (error) {
    throw failure(action, error, deadline.signal);
  } finally {
    deadline.done();
  }
}

async function stream(wire: Wire, call: StreamCall): Promise<AsyncIterable<unknown>> {
  const action = `watch ${targetText(call.path)}`;
  const reason = `no byte for ${call.idleMs} ms`;
  const deadline = startDeadline({ clock: wire.clock, ms: call.idleMs, parent: call.signal, reason });
  const finish = startReport(wire, 'watch', call.path);
  let status = 0;
  try {
    const response = await send(wire, { ...call, method: 'GET' }, deadline);
    status = response.statusCode;
    if (status !== 200) throw refuse(action, response, await response.body.text());
    return guarded(action, parseLines(touching(response.body, deadline)), deadline);
  } catch (error) {
    deadline.done();
    throw failure(action, error, deadline.signal);
  } finally {
    finish(status);
  }
}

type SendInput = Pick<ApiCall, 'method' | 'path' | 'query' | 'body' | 'contentType' | 'headers'>;

async function send(
  wire: Wire,
  call: SendInput,
  deadline: Deadline,
  limits: Pick<Dispatcher.RequestOptions, 'bodyTimeout'> = {},
): Promise<Dispatcher.ResponseData> {
  const { signal } = deadline;
  const credentials = await untilAborted(wire.config.credentials(), signal);
  signal.throwIfAborted();
  const type = call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' };
  const pool = wire.connections.pool(credentials);
  const distrust = (): void => {
    if (deadline.missed) wire.connections.distrust(pool);
  };
  signal.addEventListener('abort', distrust, { once: true });
  const response = await pool.request({
    path: `${wire.prefix}${call.path}${queryText(call.query)}`,
    method: call.method,
    headers: {
      accept: 'application/json',
      'user-agent': wire.userAgent ?? usualAgent,
      ...type,
      ...call.headers,
      ...credentials.headers,
    },
    body: call.body === undefined ? null : JSON.stringify(call.body),
    signal,
    ...limits,
  });
  if (response.statusCode === 401) wire.config.renew();
  return response;
}

/** A credential plugin cannot be interrupted, so the request stops waiting for it instead. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

function refuse(action: string, response: Dispatcher.ResponseData, text: string): ApiError {
  const header = (name: string): string | undefined => [response.headers[name] ?? []].flat()[0];
  const contentType = header('content-type') ?? '';
  return refusalError(action, { status: response.statusCode, contentType, retryAfter: header('retry-after'), text });
}

function parseAnswer(action: string, text: string): unknown {
  const fail = (what: string) => new ApiError('unreachable', `cannot ${action}: the answer ${what}`);
  let answer: { readonly kind?: unknown } | null;
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    // No cause: a SyntaxError quotes the text, which may contain a Secret.
    throw fail('is not JSON');
  }
  if (typeof answer?.kind !== 'string') throw fail('has no kind, so it is not from the API server');
  return answer;
}

async function* touching(body: AsyncIterable<Uint8Array>, deadline: Deadline): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    deadline.touch();
    yield chunk;
  }
}

function failure(action: string, error: unknown, signal: AbortSignal): ApiError {
  if (error instanceof ApiError) return error;
  const cause: unknown = signal.aborted ? signal.reason : error;
  return new ApiError('unreachable', `cannot ${action}: ${reasonText(cause)}`, { cause });
}

function reasonText(cause: unknown): string {
  if (!(cause instanceof Error)) return 'aborted';
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return [code, cause.message].filter((part) => part !== undefined && part !== '').join(' ') || cause.name;
}

function startReport(wire: Wire, verb: RequestReport['verb'], path: string): (status: number) => void {
  const started = wire.clock.monotonic();
  const { resource } = targetOf(path);
  return (status) => wire.onRequest?.({ verb, resource, status, ms: wire.clock.monotonic() - started });
}

const newline = 0x0a;

/** Parses a stream of JSON lines. Throws ApiError `unreachable` for a line that is not JSON and for a stream that ends within a line. Skips empty lines. */
export async function* parseLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let rest: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
      if (line.length > 0) yield parse(line);
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) throw new ApiError('unreachable', 'cannot read a stream: it ended in the middle of a line');
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    // No cause: a SyntaxError quotes the text, which may contain a Secret.
    throw new ApiError('unreachable', `cannot read a stream: a line of ${line.length} bytes is not JSON`);
  }
}
