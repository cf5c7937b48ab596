// Runs a command in a container, over the WebSocket of the API server.
import { type Dispatcher, WebSocket } from 'undici';
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

/** Resolves to the output when the command has succeeded. Rejects with ApiError: with what the command has printed, if it failed. */
export function exec(target: ExecTarget, command: readonly string[], at: ExecAt): Promise<string> {
  const place = `${target.container} in pod ${target.namespace}/${target.pod}`;
  const fail = (why: string, cause?: unknown) =>
    new ApiError('unreachable', `cannot run ${command[0] ?? 'a command'} in container ${place}: ${why}`, { cause });
  const { dispatcher, headers, signal } = at;
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(execUrl(at.base, target, command), { dispatcher, headers, protocols });
    socket.binaryType = 'arraybuffer';
    let printed = '';
    let status: ExecStatus | undefined;
    const giveUp = (): void => {
      reject(fail('it was interrupted', signal.reason));
      socket.close();
    };
    signal.addEventListener('abort', giveUp, { once: true });
    socket.addEventListener('message', ({ data }) => {
      const bytes = Buffer.from(data as ArrayBuffer);
      const text = bytes.subarray(1).toString('utf8');
      if (bytes[0] === streams.status) status = readStatus(text);
      else if (printed.length < mostBytes) printed += text.slice(0, mostBytes - printed.length);
    });
    socket.addEventListener('error', ({ error }) => reject(fail('the API server refuses it, or is not there', error)));
    socket.addEventListener('close', () => {
      signal.removeEventListener('abort', giveUp);
      if (status?.status === 'Success') resolve(printed);
      else reject(fail(`${status?.message ?? 'the connection was lost'}: ${printed.trim().slice(-500)}`));
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
