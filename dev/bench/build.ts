// Builds what is measured: the image runs JavaScript, and Node's own reading of TypeScript costs time and memory at every start.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export interface Built {
  /** Paths from the root of the repository. */
  readonly operator: string;
  readonly service: string;
  /** For --import, into the operator and into the service. */
  readonly probe: string;
  readonly serviceProbe: string;
}

const root = join(import.meta.dirname, '..', '..');
/** Below node_modules, so that the packages are found from there. */
const folder = 'node_modules/.cache/dataprocessing-bench';

const urlOf = (script: string): string => pathToFileURL(join(root, folder, script)).href;

/** Takes a few seconds. Rejects with what the compiler says. */
export async function build(): Promise<Built> {
  try {
    await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['--project', 'dev/bench/tsconfig.json'], {
      cwd: root,
    });
  } catch (cause) {
    throw new Error(`cannot build the operator: ${(cause as { stdout?: string }).stdout ?? ''}`, { cause });
  }
  return {
    operator: `${folder}/src/main.js`,
    service: `${folder}/src/server/main.js`,
    probe: urlOf('dev/bench/probe.js'),
    serviceProbe: urlOf('dev/bench-service/probe.js'),
  };
}
