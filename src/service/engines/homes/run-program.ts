// Runs a program of the system to its end.
import { spawn } from 'node:child_process';
import type { Variables } from '../../../lib/fetch/cache.ts';
import { fullCodeIn } from '../../model/disk/space.ts';

const keptBytes = 4000;
const keptLines = 3;

interface RunOptions {
  /** When absent: that of this process. */
  readonly environment?: Variables;
  /** When absent: as long as it takes. */
  readonly timeoutMs?: number | undefined;
  /** Ends it. When absent: nothing does. */
  readonly signal?: AbortSignal | undefined;
}

/** Rejects with the end of its output if it fails, or if it takes too long. */
export async function run(
  program: string,
  args: readonly string[],
  { environment, timeoutMs, signal: ending }: RunOptions = {},
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(environment && { env: environment }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    ...(ending && { signal: ending }),
  });
  let output = '';
  const keep = (text: string): void => {
    output = (output + text).slice(-keptBytes);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keep);
  child.once('error', (cause) => reject(new Error(`cannot run ${program}`, { cause })));
  child.once('close', (code, signal) => {
    if (code === 0) resolve();
    else reject(failure(`${program} ended with ${signal ?? code}`, output));
  });
  return promise;
}

/** It has the code of the system if the program has met a full disk. */
function failure(what: string, output: string): Error {
  const code = fullCodeIn(output);
  return Object.assign(new Error(`${what}: ${firstErrors(output)}`), code !== undefined && { code });
}

/** Maven, pip and tar write what is wrong first, and advice after it. */
function firstErrors(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => line.includes('ERROR'));
  return (errors.length > 0 ? errors : lines).slice(0, keptLines).join(' ').slice(0, 600);
}
