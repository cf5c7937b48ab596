// Runs a command in a container, over the WebSocket of the API server.
import type { Duplex } from 'node:stream';
import { DecoratorHandler, type Dispatcher, WebSocket } from 'undici';
import type { StoreErrorCategory } from '../../lib/store-error.ts';
import { ApiError } from '../api-error.ts';
import type { Deadline } from './deadline.ts';

/** The first byte of a message names its stream. */
const streams = { output: 1, errors: 2, status: 3 } as const;
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** Of the output of a command. Whoever is in the container decides what it prints, and when it ends. */
export const mostOutputBytes = 256 * 1024;

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
  readonly deadline: Pick<Deadline, 'signal' | 'missed'>;
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

/** What a WebSocket does not show of its connection. */
interface ExecWire {
  /** The status of an answer that is no WebSocket. 0 if there was none. */
  answer: number;
  wire?: Duplex;
}

/** The handler, which also notes what becomes of the connection. */
function noting(handler: Dispatcher.DispatchHandler, connection: ExecWire): Dispatcher.DispatchHandler {
  const onResponseStart: NonNullable<Dispatcher.DispatchHandler['onResponseStart']> = (...args) => {
    connection.answer = args[1];
    handler.onResponseStart?.(...args);
  };
  const onRequestUpgrade: NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']> = (...args) => {
    connection.wire = args[3];
    handler.onRequestUpgrade?.(...args);
  };
  return Object.assign(new DecoratorHandler(handler), { onResponseStart, onRequestUpgrade });
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
 * command has printed. One that prints too much fails.
 */
export function exec(target: ExecTarget, command: readonly string[], at: ExecAt): Promise<string> {
  const action = actionOf(target, command);
  const fail = (why: string, { category = 'unreachable', ...more }: ExecFailure = {}) =>
    new ApiError(category, `cannot ${action}: ${why}`, more);
  const { headers, deadline } = at;
  const { signal } = deadline;
  return new Promise((resolve, reject) => {
    const connection: ExecWire = { answer: 0 };
    const dispatcher = at.dispatcher.compose(
      (dispatch) => (call, handler) => dispatch(call, noting(handler, connection)),
    );
    const socket = new WebSocket(execUrl(at.base, target, command), { dispatcher, headers, protocols });
    socket.binaryType = 'arraybuffer';
    const received = new ExecOutput();
    const giveUp = (failure: ApiError): void => {
      reject(failure);
      socket.close();
      // After its own word, a WebSocket goes on reading until the other side ends.
      connection.wire?.destroy();
    };
    const interrupt = (): void => giveUp(fail(interruption(deadline), { cause: signal.reason }));
    signal.addEventListener('abort', interrupt, { once: true });
    socket.addEventListener('message', ({ data }) => {
      if (!received.add(Buffer.from(data as ArrayBuffer))) giveUp(fail(tooMuch, { category: 'invalid' }));
    });
    socket.addEventListener('error', ({ error }) => {
      const [category, why] = refusalOf(connection.answer);
      reject(fail(why, { category, status: connection.answer, cause: error }));
    });
    socket.addEventListener('close', () => {
      signal.removeEventListener('abort', interrupt);
      const { status, printed } = received;
      if (status?.status === 'Success') return resolve(printed);
      const category = status?.reason === 'NonZeroExitCode' ? 'invalid' : 'unreachable';
      reject(fail(`${status?.message ?? 'the connection was lost'}: ${printed.trim().slice(-500)}`, { category }));
    });
    if (signal.aborted) interrupt();
  });
}

export function actionOf({ namespace, pod, container }: ExecTarget, command: readonly string[]): string {
  return `run ${command[0] ?? 'a command'} in container ${container} in pod ${namespace}/${pod}`;
}

const tooMuch = `it printed more than ${mostOutputBytes} bytes`;

function interruption({ missed, signal }: ExecAt['deadline']): string {
  return missed ? (signal.reason as Error).message : 'it was interrupted';
}

/** What has come from a container. */
class ExecOutput {
  printed = '';
  status: ExecStatus | undefined;
  #bytes = 0;

  /** Returns false if it is too much. */
  add(message: Buffer): boolean {
    this.#bytes += message.length;
    if (this.#bytes > mostOutputBytes) return false;
    const text = message.subarray(1).toString('utf8');
    if (message[0] === streams.status) this.status = readStatus(text);
    else this.printed += text;
    return true;
  }
}

function readStatus(text: string): ExecStatus {
  try {
    return JSON.parse(text) as ExecStatus;
  } catch {
    return { message: 'the API server told no result' };
  }
}
