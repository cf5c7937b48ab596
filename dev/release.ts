// Builds everything that a release publishes, in one folder, and checks that it is complete: `npm run release -- --dry-run`.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { reasonOf } from '../src/lib/errors.ts';
import { flagsHelp, helpFlag } from '../src/lib/flags.ts';
import { path, readOptionsOf } from './options.ts';
import { artifacts, image } from './release/artifacts.ts';
import { readVersion, troubles } from './release/checks.ts';
import { writeChecksums } from './release/checksums.ts';

const table = {
  'dry-run': { help: 'go on with a checkout that is not ready for a release, and report why' },
  'without-image': { help: 'leave out the image, which takes minutes' },
  out: {
    schema: path,
    value: '<folder>',
    help: 'the folder, which is replaced; default: dist/release/VERSION',
  },
  'download-url': {
    schema: z.url({ protocol: /^https$/, error: 'must be a URL that begins with https://' }),
    value: '<url>',
    help: 'the folder in which the files will be downloaded, for the manifest of Krew',
  },
  ...helpFlag,
} as const;

const HELP = `Usage: npm run release [-- OPTIONS]

Builds everything that a release publishes in one folder: image, chart, manifests, plugin of kubectl, notes, list of
packages (SBOM) and checksums.
It publishes nothing: docs/releasing.md lists the commands. Before, it checks the version, the changelog and the checkout.

Options:
${flagsHelp(table)}`;

const root = join(import.meta.dirname, '..');
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const values = readOptionsOf(table, process.argv.slice(2));
  if (values.help) return void process.stdout.write(HELP);
  const version = await readVersion(root);
  const found = await troubles(root, version);
  for (const trouble of found) print(`${values['dry-run'] ? 'not ready' : 'error'}: ${trouble}`);
  if (found.length > 0 && !values['dry-run']) throw new Error('the checkout is not ready; see docs/releasing.md');
  const folder = values.out ?? join(root, 'dist', 'release', version);
  await rm(folder, { recursive: true, force: true });
  const steps = values['without-image'] ? artifacts : [...artifacts, image];
  for (const step of steps) await step({ root, folder, version, print, downloadUrl: values['download-url'] });
  for (const line of await writeChecksums(folder)) print(line);
  print(`${folder} has all of ${version}${found.length > 0 ? ', but it is not to be published' : ''}.`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`cannot release: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}
