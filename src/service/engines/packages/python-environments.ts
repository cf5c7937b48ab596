// The Python packages of jobs: installed once for each file of requirements, and packed into one archive.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../../../lib/errors.ts';
import type { InstallInput } from '../homes/install.ts';
import type { Python } from '../homes/python.ts';
import { run } from '../homes/run-program.ts';
import { InstallCache } from './install-cache.ts';
import { type Requirements, readRequirements } from './requirements.ts';
import { bytesBelow, whileSmall } from './while-small.ts';

export interface Environments {
  /** The path of a zip archive with the packages, and with all that they need. Rejects with the reason if the index does not have them. */
  make(requirements: string, signal: AbortSignal): Promise<string>;
}

interface EnvironmentsOptions extends InstallInput {
  /** The URL of the package index. */
  readonly index: string;
  /** The interpreter of the programs, with pip. */
  readonly python: Python;
}

const limits = { bytes: 1024 ** 3, files: 50_000, ms: 10 * 60_000 } as const;
const archiveFolder = 'archive';
const archiveName = 'environment';
const pack = 'import shutil, sys; shutil.make_archive(sys.argv[1], "zip", sys.argv[2])';

const tooLarge = (): Error =>
  new Error(`with all that they need they take more than ${limits.bytes} bytes or ${limits.files} files: name fewer`);

export class PythonEnvironments implements Environments {
  readonly #options: EnvironmentsOptions;
  readonly #cache: InstallCache;

  /** `cache` is a folder of its own. */
  constructor(options: EnvironmentsOptions) {
    this.#options = options;
    this.#cache = new InstallCache({ ...options, folder: archiveFolder });
  }

  async make(requirements: string, signal: AbortSignal): Promise<string> {
    const { index, python } = this.#options;
    const read = readRequirements(requirements);
    const key = [index, python.version, read.lines.toSorted()];
    const [archive = ''] = await this.#cache.files({ key, install: (folder) => this.#install(folder, read) }, signal);
    return archive;
  }

  async #install(folder: string, requirements: Requirements): Promise<readonly string[]> {
    const { python, clock } = this.#options;
    const target = join(folder, 'packages');
    try {
      const bounds = { folders: [folder], bytes: 2 * limits.bytes, clock, tooLarge };
      await whileSmall(bounds, (signal) => this.#runPip({ folder, target }, requirements, signal));
      const files = await readdir(target, { recursive: true });
      if ((await bytesBelow(target)) > limits.bytes || files.length > limits.files) throw tooLarge();
      await mkdir(join(folder, archiveFolder));
      const base = join(folder, archiveFolder, archiveName);
      await run(python.file, ['-I', '-c', pack, base, target], { timeoutMs: limits.ms });
      await rm(target, { recursive: true });
      return [`${archiveName}.zip`];
    } catch (cause) {
      throw new Error(`cannot install Python packages: ${reasonOf(cause)}`, { cause });
    }
  }

  /** Packages are unpacked only. Nothing of them is run, because pip builds none. */
  async #runPip(
    { folder, target }: { readonly folder: string; readonly target: string },
    { lines, hasHashes }: Requirements,
    signal: AbortSignal,
  ): Promise<void> {
    const { index, python, environment } = this.#options;
    const [list, temporary] = [join(folder, 'requirements.txt'), join(folder, 'tmp')];
    await mkdir(temporary);
    await writeFile(list, lines.map((line) => `${line}\n`).join(''));
    const { protocol, host } = new URL(index);
    const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-cache-dir', '--no-compile'];
    const from = ['--index-url', index, ...(protocol === 'http:' ? ['--trusted-host', host] : [])];
    const only = ['--only-binary', ':all:', ...(hasHashes ? ['--require-hashes'] : [])];
    const args = ['install', '--isolated', ...quiet, ...from, ...only, '--target', target, '--requirement', list];
    // Without the settings of the user of the service, which can name other indexes.
    const settings = { PIP_CONFIG_FILE: '/dev/null', PYTHONNOUSERSITE: '1', TMPDIR: temporary };
    const how = { environment: { ...environment, ...settings }, timeoutMs: limits.ms, signal };
    await run(python.file, ['-m', 'pip', ...args], how);
    await rm(temporary, { recursive: true, force: true });
  }
}
