// The bundled service as a process of its own, as users start it.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { onTestFinished, vi } from 'vitest';

const entry = new URL('../../../src/service/main.ts', import.meta.url).pathname;

export interface ServiceProcess {
  /** Base address, as the first line tells it. */
  readonly url: string;
  readonly pid: number;
  kill(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Everything on standard error so far. */
  errors(): string;
  /** The first lines of standard output, once there are that many. */
  lines(count: number): Promise<readonly string[]>;
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

function launch(flags: readonly string[], log: 'pipe' | number = 'pipe') {
  const child = spawn(process.execPath, [entry, ...flags], { stdio: ['ignore', 'pipe', log] }) as ChildProcessByStdio<
    null,
    Readable,
    Readable | null
  >;
  // A test that fails leaves no process behind.
  onTestFinished(() => void child.kill('SIGKILL'));
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (chunk) => (texts.output += String(chunk)));
  child.stderr?.on('data', (chunk) => (texts.errors += String(chunk)));
  return { child, texts };
}

/** Runs to its own end. */
export async function runService(...flags: readonly string[]): Promise<Ended> {
  const { child, texts } = launch(flags);
  const [code] = await once(child, 'close');
  return { code: code as number | null, ...texts };
}

/** Resolves when it listens on a free port; throws what it said when it ends before that. */
export const startService = (...flags: readonly string[]): Promise<ServiceProcess> => startLogging('pipe', ...flags);

/** The same, with its log in an open file. */
export async function startLogging(log: 'pipe' | number, ...flags: readonly string[]): Promise<ServiceProcess> {
  const { child, texts } = launch(['--port', '0', ...flags], log);
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const first = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const line = await Promise.race([first, ended.then(() => undefined)]);
  if (line === undefined) throw new Error(`cannot start the service: ${texts.errors}`);
  return {
    url: line[0].replace('listening on ', ''),
    pid: child.pid ?? 0,
    errors: () => texts.errors,
    lines: (count) =>
      vi.waitFor(() => {
        const lines = texts.output.split('\n').slice(0, -1);
        if (lines.length < count) throw new Error(`there are only ${lines.length} lines: ${texts.output}`);
        return lines.slice(0, count);
      }),
    async kill(signal) {
      child.kill(signal);
      const [code, by] = await ended;
      return { code, signal: by };
    },
  };
}
