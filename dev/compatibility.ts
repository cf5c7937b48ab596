// Runs the tests on a real API server with each supported version of Kubernetes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reasonOf } from '../src/lib/errors.ts';
import { KUBERNETES_VERSIONS } from './plane/binaries/release.ts';

const HELP = `Usage: npm run compatibility [-- OPTIONS]

Runs all tests that need an API server on the newest and the oldest supported version of Kubernetes: ${KUBERNETES_VERSIONS.join(', ')}.
The API servers are built with Go if they are not in the cache. A run takes about ten minutes for each version.

Options:
  --version <version>  run on this version only
  --help               show this text
`;

/** With CI set, a missing API server is a failure. */
async function passesOn(version: string): Promise<boolean> {
  const vitest = spawn('npx', ['vitest', 'run', '--project', 'plane'], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, CI: 'true', PLANE_KUBERNETES: version },
    stdio: 'inherit',
  });
  const [code] = (await once(vitest, 'close')) as [number | null];
  return code === 0;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { version: { type: 'string' }, help: { type: 'boolean', default: false } } });
  if (values.help) return void process.stdout.write(HELP);
  const passed = new Map<string, boolean>();
  for (const version of values.version === undefined ? KUBERNETES_VERSIONS : [values.version])
    passed.set(version, await passesOn(version));
  for (const [version, is] of passed) process.stdout.write(`Kubernetes ${version}: ${is ? 'passed' : 'failed'}\n`);
  if ([...passed.values()].includes(false)) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
}
