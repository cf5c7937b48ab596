// Runs a command in a container, over the WebSocket of the API server.
import { DecoratorHandler, type Dispatcher, WebSocket } from 'undici';
import type { StoreErrorCategory } from '../../lib/store-error.ts';
import { ApiError } from '../api-error.ts';

/** The first byte of a message names its stream. */
const streams = { output: 1, errors: 2, status: 3 } as const;
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** Of the output that is kept. */
const mostBytes = 64 * 1024;

export interface ExecTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

interface ExecAt {
  /** With the scheme of the API server, and everything before the path of its own API. */
  readonly base: string;
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

interface ExecStatus {
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
}

/**
 * The status of an answer that is no WebSocket. A WebSocket does not show the rest of such an answer, so it is not known whether the API server has
 * said it, and nothing is sure to be gone.
 */
const refusals: Readonly<Record<number, readonly [StoreErrorCategory, string]>> = {
  400: ['unreachable', '400 there is no such container'],
  403: ['forbidden', '403 the API server does not allow it'],
  404: ['unreachable', '404 there is no such pod'],
};

/** 0: there was no answer. */
function refusalOf(answer: number): readonly [StoreErrorCategory, string] {
  const usual = answer === 0 ? 'the API server does not answer' : `${answer} the API server does not do it now`;
  return refusals[answer] ?? ['unreachable', usual];
}

interface ExecFailure {
  readonly category?: StoreErrorCategory;
  readonly status?: number;
  readonly cause?: unknown;
}

/** The handler, which also notes the status of the answer. */
function noting(handler: Dispatcher.DispatchHandler, note: (status: number) => void): Dispatcher.DispatchHandler {
  const onResponseStart: NonNullable<Dispatcher.DispatchHandler['onResponseStart']> = (...args) => {
    note(args[1]);
    handler.onResponseStart?.(...args);
  };
  return Object.assign(new DecoratorHandler(handler), { onResponseStart });
}

function execUrl(base: string, { namespace, pod, container }: ExecTarget, command: readonly string[]): string {
  const query = new URLSearchParams([
    ['container', container],
    ['stdout', 'true'],
    ['stderr', 'true'],
    ...command.map((word): [string, string] => ['command', word]),
  ]);
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/exec`;
  return `${base.replace(/^http/, 'ws')}${path}?${query.toString()}`;
}

/**
 * Resolves to the output when the command has succeeded. Rejects with ApiError. If the command itself failed, that is `invalid`, and has what the
 * command has printed.
 */
export function exec(target: ExecTarget, command: readonly string[], at: ExecAt): Promise<string> {
  const action = `run ${command[0] ?? 'a command'} in container ${target.container} in pod ${target.namespace}/${target.pod}`;
  const fail = (why: string, { category = 'unreachable', ...more }: ExecFailure = {}) =>
    new ApiError(category, `cannot ${action}: ${why}`, more);
  const { headers, signal } = at;
  return new Promise((resolve, reject) => {
    let answer = 0;
    const note = (code: number): void => void (answer = code);
    const dispatcher = at.dispatcher.compose((dispatch) => (call, handler) => dispatch(call, noting(handler, note)));
    const socket = new WebSocket(execUrl(at.base, target, command), { dispatcher, headers, protocols });
    socket.binaryType = 'arraybuffer';
    let printed = '';
    let status: ExecStatus | undefined;
    const giveUp = (): void => {
      reject(fail('it was interrupted', { cause: signal.reason }));
      socket.close();
    };
    signal.addEventListener('abort', giveUp, { once: true });
    socket.addEventListener('message', ({ data }) => {
      const bytes = Buffer.from(data as ArrayBuffer);
      const text = bytes.subarray(1).toString('utf8');
      if (bytes[0] === streams.status) status = readStatus(text);
      else if (printed.length < mostBytes) printed += text.slice(0, mostBytes - printed.length);
    });
    socket.addEventListener('error', ({ error }) => {
      const [category, why] = refusalOf(answer);
      reject(fail(why, { category, status: answer, cause: error }));
    });
    socket.addEventListener('close', () => {
      signal.removeEventListener('abort', giveUp);
      if (status?.status === 'Success') return resolve(printed);
      const category = status?.reason === 'NonZeroExitCode' ? 'invalid' : 'unreachable';
      reject(fail(`${status?.message ?? 'the connection was lost'}: ${printed.trim().slice(-500)}`, { category }));
    });
    if (signal.aborted) giveUp();
  });
}

function readStatus(text: string): ExecStatus {
  try {
    return JSON.parse(text) as ExecStatus;
  } catch {
    return { message: 'the API server told no result' };
  }
}
