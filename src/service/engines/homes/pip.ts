// Installs an engine from the Python package index, or from the one that the settings of pip name.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Variables } from '../../../lib/fetch/cache.ts';
import type { Progress } from '../../../lib/fetch/progress.ts';
import { type EngineSource, type PipPackage, titleOf, writeTexts } from './engine-source.ts';
import { run } from './run-program.ts';

interface PipOptions {
  readonly progress: Progress;
  /** Names pip, and its settings. */
  readonly environment: Variables;
}

/** Fills the folder. Rejects with what pip reports. */
export async function installFromPip(
  source: EngineSource,
  folder: string,
  { progress, environment }: PipOptions,
): Promise<void> {
  const { pip } = source;
  if (pip === undefined) throw new Error('the Python package index does not have it');
  // In the folder of the engine, because the temporary folder of the system can be too small.
  const work = join(folder, '.pip');
  const downloading = () => ({
    label: `${titleOf(source)}: downloading with pip`,
    done: sizeBelow(work, pip),
    total: pip.bytes,
  });
  const archive = await progress.during(downloading, () => download(pip, work, environment));
  const unpacking = () => ({ label: `${titleOf(source)}: unpacking` });
  await progress.during(unpacking, () => unpack(archive, pip, folder));
  await rm(work, { recursive: true });
  await writeTexts(folder, pip.files);
}

const fileOf = ({ name, version }: PipPackage): string => `${name}-${version}.tar.gz`;

/** Resolves with the path of the source distribution. pip refuses a file that has another digest. */
async function download(pip: PipPackage, work: string, environment: Variables): Promise<string> {
  const { name, version, sha256 } = pip;
  const [list, target] = [join(work, 'requirements.txt'), join(work, 'files')];
  await mkdir(work, { recursive: true });
  await writeFile(list, `${name}==${version} --hash=sha256:${sha256}\n`);
  // Nothing but this file, of which the cache of pip gets no second copy.
  const choice = ['--require-hashes', '--no-deps', '--no-binary', name, '--no-cache-dir'];
  const quiet = ['--no-input', '--disable-pip-version-check', '--progress-bar', 'off'];
  const args = ['download', ...choice, ...quiet, '--dest', target, '--requirement', list];
  await run('python3', ['-m', 'pip', ...args], { environment: { ...environment, TMPDIR: work } });
  return join(target, fileOf(pip));
}

/** How many bytes pip has downloaded, which it puts into a temporary folder. */
function sizeBelow(work: string, pip: PipPackage): number {
  const entries = existsSync(work) ? readdirSync(work, { withFileTypes: true }) : [];
  const folders = entries.filter((entry) => entry.isDirectory());
  const files = folders.map(({ name }) => statSync(join(work, name, fileOf(pip)), { throwIfNoEntry: false }));
  return files.reduce((most, file) => Math.max(most, file?.size ?? 0), 0);
}

async function unpack(archive: string, pip: PipPackage, folder: string): Promise<void> {
  const { name, version, places, without } = pip;
  const root = `${name}-${version}`;
  const wanted = Object.keys(places).map((path) => `${root}/${path}`);
  const excluded = without.map((path) => `--exclude=${root}/${path}`);
  const from = join(folder, '.pip');
  await run('tar', ['-xzf', archive, '-C', from, '--no-same-owner', ...excluded, ...wanted]);
  for (const [path, place] of Object.entries(places)) {
    await mkdir(join(folder, place, '..'), { recursive: true });
    await rename(join(from, root, path), join(folder, place));
  }
}
