// Runs a command to its own end, or until a line of its output, as a person in a terminal would.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFailed, onTestFinished } from 'vitest';

const repository = join(import.meta.dirname, '..', '..', '..');

export interface Ended {
  readonly code: number | null;
  /** Of standard output. */
  readonly output: string;
  readonly errors: string;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** What was written to standard output so far. */
  output(): string;
  /** The same for standard error. */
  errors(): string;
  signal(signal: NodeJS.Signals): void;
}

/** Its output is shown when the test fails; it does not outlive the test. */
export function runCommand(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(command, args, {
    cwd: repository,
    // Without the test runner's own settings for Node.
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (chunk) => (texts.output += String(chunk)));
  child.stderr.on('data', (chunk) => (texts.errors += String(chunk)));
  onTestFinished(() => void child.kill('SIGKILL'));
  onTestFailed(() => console.error(`--- ${command} ${args.join(' ')}\n${texts.output}\n${texts.errors}`));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts }));
  return { ended, output: () => texts.output, errors: () => texts.errors, signal: (signal) => void child.kill(signal) };
}
