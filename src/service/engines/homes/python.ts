// Finds the Python that runs the programs of jobs.
import { execFileSync } from 'node:child_process';
import type { Variables } from '../../../lib/fetch/cache.ts';
import { onPath } from './java.ts';

/** What PySpark 4.1 needs. */
const least = [3, 10] as const;

export interface Python {
  /** The interpreter itself, and not a script that chooses one. */
  readonly file: string;
  /** For example `3.11.7`. */
  readonly version: string;
}

const question = 'import sys; print("%d.%d.%d" % sys.version_info[:3]); print(sys.executable)';

/** The python3 of PATH. Undefined if there is none, or if it is too old. */
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
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const isOld = major < least[0] || (major === least[0] && minor < least[1]);
    return isOld || file === '' ? undefined : { file, version };
  } catch {
    // It cannot be started.
    return undefined;
  }
}
