// Builds the programs as the image does, because Node needs time and memory to strip types at every start.
import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export interface Built {
  /** Paths from the root of the repository. */
  readonly operator: string;
  readonly service: string;
  /** Of kubectl. */
  readonly plugin: string;
  /** For --import, into the operator and into the service. */
  readonly probe: string;
  readonly serviceProbe: string;
}

const root = join(import.meta.dirname, '..', '..');
/** Below node_modules, so that the packages are found from there. */
const folder = 'node_modules/.cache/dataprocessing-bench';

/** Leaves nothing in the folder for temporary files. */
const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
const run = (tool: string, flags: readonly string[]): Promise<unknown> =>
  promisify(execFile)(join(root, 'node_modules/.bin', tool), flags, { cwd: root, env });

const urlOf = (script: string): string => pathToFileURL(join(root, folder, script)).href;

/** Takes a few seconds. Rejects with the output of the tools. */
export async function build(): Promise<Built> {
  try {
    await run('rolldown', ['--config', 'rolldown.config.ts', '--dir', `${folder}/dist`]);
    await run('tsc', ['--project', 'dev/bench/tsconfig.json']);
    // The plugin reads its version there.
    await copyFile(join(root, 'package.json'), join(root, folder, 'package.json'));
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    throw new Error(`cannot build the operator: ${stdout}${stderr}`, { cause });
  }
  return {
    operator: `${folder}/dist/main.js`,
    service: `${folder}/dist/service/main.js`,
    plugin: join(root, folder, 'dist/kubectl-dataprocessing.js'),
    probe: urlOf('dev/bench/probe.js'),
    serviceProbe: urlOf('dev/bench-service/probe.js'),
  };
}
