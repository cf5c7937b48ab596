// Runs the tests on a real API server with each supported version of Kubernetes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { reasonOf } from '../src/lib/errors.ts';
import { flagsHelp, helpFlag } from '../src/lib/flags.ts';
import { type Counts, compatibilityTable, countsOf } from './compatibility-table.ts';
import { readOptionsOf } from './options.ts';
import { KUBERNETES_VERSIONS } from './plane/binaries/release.ts';

const table = {
  version: { value: '<version>', help: 'run on this version only' },
  ...helpFlag,
} as const;

const HELP = `Usage: npm run compatibility [-- OPTIONS]

Runs all tests that need an API server on the newest and the oldest supported version of Kubernetes: ${KUBERNETES_VERSIONS.join(', ')}.
The API servers are built with Go if they are not in the cache. A run takes about ten minutes for each version. The last lines
are the table of docs/development.md.

Options:
${flagsHelp(table)}`;

/** Longer than the last line of a run. */
const tailLength = 1000;

/** With CI set, a missing API server is a failure. */
async function runOn(version: string): Promise<Counts | undefined> {
  const vitest = spawn('npx', ['vitest', 'run', '--project', 'plane'], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, CI: 'true', PLANE_KUBERNETES: version },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let tail = '';
  vitest.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    tail = (tail + text).slice(-tailLength);
  });
  const [code] = (await once(vitest, 'close')) as [number | null];
  if (code !== 0) process.exitCode = 1;
  return countsOf(tail);
}

async function main(): Promise<void> {
  const values = readOptionsOf(table, process.argv.slice(2));
  if (values.help) return void process.stdout.write(HELP);
  const runs = new Map<string, Counts | undefined>();
  for (const version of values.version === undefined ? KUBERNETES_VERSIONS : [values.version])
    runs.set(version, await runOn(version));
  process.stdout.write(`\n${compatibilityTable(runs)}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
}
