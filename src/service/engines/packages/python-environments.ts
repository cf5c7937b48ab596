// The Python packages of jobs: installed once for each file of requirements, and packed into one archive.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../../../lib/errors.ts';
import type { InstallInput } from '../homes/install.ts';
import type { Python } from '../homes/python.ts';
import { run } from '../homes/run-program.ts';
import { InstallCache } from './install-cache.ts';
import { type PythonTarget, pipFor, targetFlags } from './python-target.ts';
import { type Requirements, readRequirements } from './requirements.ts';
import { bytesBelow, whileSmall } from './while-small.ts';

export interface Environments {
  /**
   * The path of a zip archive with the packages, and with all that they need. Rejects with the reason if the index does not have them. `target`: the
   * Python of the programs. When absent: that of the service.
   */
  make(requirements: string, signal: AbortSignal, target?: PythonTarget): Promise<string>;
}

interface EnvironmentsOptions extends InstallInput {
  /** The URL of the package index. */
  readonly index: string;
  /** The interpreter that has pip. */
  readonly python: Python;
}

interface PipPlaces {
  readonly folder: string;
  /** Where the packages are installed. */
  readonly target: string;
  /** Undefined: the Python of the service. */
  readonly pythonTarget: PythonTarget | undefined;
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

  async make(requirements: string, signal: AbortSignal, target?: PythonTarget): Promise<string> {
    const { index, python } = this.#options;
    const read = readRequirements(requirements);
    const key = [index, target ?? python.version, read.lines.toSorted()];
    const install = (folder: string) => this.#install(folder, read, target);
    const [archive = ''] = await this.#cache.files({ key, install }, signal);
    return archive;
  }

  async #install(
    folder: string,
    requirements: Requirements,
    pythonTarget: PythonTarget | undefined,
  ): Promise<readonly string[]> {
    const { python, clock } = this.#options;
    const target = join(folder, 'packages');
    try {
      const bounds = { folders: [folder], bytes: 2 * limits.bytes, clock, tooLarge };
      const places = { folder, target, pythonTarget };
      await whileSmall(bounds, (signal) => this.#runPip(places, requirements, signal));
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
    { folder, target, pythonTarget }: PipPlaces,
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
    const forTarget = pythonTarget === undefined ? [] : targetFlags(pythonTarget);
    const what = [...only, ...forTarget, '--target', target, '--requirement', list];
    const args = ['install', '--isolated', ...quiet, ...from, ...what];
    // Without the settings of the user of the service, which can name other indexes.
    const settings = { PIP_CONFIG_FILE: '/dev/null', PYTHONNOUSERSITE: '1', TMPDIR: temporary };
    const how = { environment: { ...environment, ...settings }, timeoutMs: limits.ms, signal };
    await run(python.file, [...pipFor(pythonTarget), ...args], how);
    await rm(temporary, { recursive: true, force: true });
  }
}
