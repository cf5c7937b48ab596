// Finds the Python that runs the programs of jobs.
import { execFileSync } from 'node:child_process';
import type { Variables } from '../../../lib/fetch/cache.ts';
import { onPath } from './java.ts';

export interface Python {
  /** The interpreter itself, and not a script that chooses one. */
  readonly file: string;
  /** For example `3.11.7`. */
  readonly version: string;
}

const question = 'import sys; print("%d.%d.%d" % sys.version_info[:3]); print(sys.executable)';

/** Whether a version such as `3.11.7` is `oldest`, such as `3.9`, or newer. */
export function isNoOlder(version: string, oldest: string): boolean {
  const [[major = 0, minor = 0], [least = 0, leastMinor = 0]] = [version, oldest].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return major > least || (major === least && minor >= leastMinor);
}

/** The python3 of PATH. Undefined if there is none. */
export function findPython(environment: Variables): Python | undefined {
  const program = onPath('python3', environment);
  if (program === undefined) return undefined;
  try {
    const answer = execFileSync(program, ['-c', question], {
      encoding: 'utf8',
      timeout: 10_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [version = '', file = ''] = answer.split('\n');
    return file === '' ? undefined : { file, version };
  } catch {
    // It cannot be started.
    return undefined;
  }
}
