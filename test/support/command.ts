// Runs a program to its own end, or until a test ends it, as a person in a terminal would.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFailed, onTestFinished } from 'vitest';

const repository = join(import.meta.dirname, '..', '..');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Of standard output. */
  readonly output: string;
  readonly errors: string;
}

export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What was written to standard output so far. */
  readonly output: () => string;
  /** The same for standard error. */
  readonly errors: () => string;
  readonly signal: (signal: NodeJS.Signals) => void;
}

/** Its output is shown when the test fails; it does not outlive the test. `log`: an open file that takes standard error. */
export function runCommand(
  command: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  log: 'pipe' | number = 'pipe',
): Running {
  const child = spawn(command, args, {
    cwd: repository,
    // Without the test runner's own settings for Node.
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
    stdio: ['ignore', 'pipe', log],
  });
  const texts = { output: '', errors: '' };
  child.stdout?.on('data', (chunk) => (texts.output += String(chunk)));
  child.stderr?.on('data', (chunk) => (texts.errors += String(chunk)));
  onTestFinished(() => void child.kill('SIGKILL'));
  onTestFailed(() => console.error(`--- ${command} ${args.join(' ')}\n${texts.output}\n${texts.errors}`));
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...texts }));
  return {
    pid: child.pid ?? 0,
    ended,
    output: () => texts.output,
    errors: () => texts.errors,
    signal: (signal) => void child.kill(signal),
  };
}

/** The same for a program of this repository, with Node. */
export const runProgram = (path: string, args: readonly string[], log?: number): Running =>
  runCommand(process.execPath, [path, ...args], {}, log);
