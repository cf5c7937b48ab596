// Packages of jobs: resolved once for each set of coordinates with Maven, and kept with their digests.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../../../lib/errors.ts';
import { fileDigest } from '../../../lib/fetch/file-digest.ts';
import { type InstallInput, whileInstalling } from '../homes/install.ts';
import { installFromMaven } from '../homes/maven.ts';
import type { PackageSet } from './coordinates.ts';

export interface Packages {
  /** The paths of the jars, with those of all that they need. Rejects with the reason if there is no such set in the repository. */
  resolve(packages: PackageSet, signal: AbortSignal): Promise<readonly string[]>;
}

interface PackageCacheOptions extends InstallInput {
  /** The URL of the Maven repository. */
  readonly repository: string;
}

const limits = { jars: 300, bytes: 1024 ** 3, allBytes: 10 * 1024 ** 3, ms: 10 * 60_000 } as const;
const jarsFolder = 'jars';
/** Written last. By name: the SHA-256. */
const digestsFile = 'digests.json';

const settingsText = (repository: string): string =>
  `<settings><mirrors><mirror><id>packages</id><mirrorOf>*</mirrorOf><url>${repository.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</url></mirror></mirrors></settings>\n`;

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => stat(join(parentPath, name)));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}

/** Rejects with the reason of the signal once it is aborted. The work goes on for others. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export class PackageCache implements Packages {
  readonly #options: PackageCacheOptions;

  /** `cache` is a folder of its own. */
  constructor(options: PackageCacheOptions) {
    this.#options = options;
  }

  async resolve(packages: PackageSet, signal: AbortSignal): Promise<readonly string[]> {
    const { cache, repository } = this.#options;
    const key = createHash('sha256')
      .update(JSON.stringify([repository, packages]))
      .digest('hex');
    const home = join(cache, key);
    if (!existsSync(home)) {
      const work = whileInstalling(this.#options, () => this.#install(home, packages));
      await orAborted(work, signal);
    }
    return await this.#verified(home);
  }

  async #install(home: string, { coordinates, provided }: PackageSet): Promise<void> {
    const { cache, repository } = this.#options;
    if (existsSync(home)) return;
    if ((await bytesBelow(cache)) > limits.allBytes)
      throw new Error(`the packages in ${cache} take more than ${limits.allBytes} bytes: delete folders there`);
    const folder = await mkdtemp(join(cache, '.part-'));
    try {
      const settings = join(folder, 'settings.xml');
      await writeFile(settings, settingsText(repository));
      const maven = { dependencies: coordinates, exclusions: provided, jars: jarsFolder, files: {} };
      const own = ['--settings', settings, '--global-settings', settings];
      const flags = [...own, `-Dmaven.repo.local=${join(cache, 'repository')}`];
      await installFromMaven({ name: 'packages', version: '1', maven }, folder, { flags, timeoutMs: limits.ms });
      await this.#record(folder);
      await rename(folder, home);
    } catch (cause) {
      throw new Error(`cannot get packages ${coordinates.join(', ')}: ${reasonOf(cause)}`, { cause });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #record(folder: string): Promise<void> {
    const jars = join(folder, jarsFolder);
    const names = existsSync(jars) ? (await readdir(jars)).filter((name) => name.endsWith('.jar')) : [];
    const bytes = names.length === 0 ? 0 : await bytesBelow(jars);
    if (names.length === 0) throw new Error('they contain no jar');
    if (names.length > limits.jars || bytes > limits.bytes)
      throw new Error(
        `with all that they need they are ${names.length} jars of ${bytes} bytes, and ${limits.jars} of ${limits.bytes} bytes are allowed: name fewer`,
      );
    const digests: Record<string, string> = {};
    for (const name of names.toSorted()) digests[name] = await fileDigest(join(jars, name));
    await writeFile(join(folder, digestsFile), JSON.stringify(digests));
  }

  async #verified(home: string): Promise<readonly string[]> {
    const digests = JSON.parse(readFileSync(join(home, digestsFile), 'utf8')) as Readonly<Record<string, string>>;
    const files = Object.entries(digests).map(([name, digest]) => [join(home, jarsFolder, name), digest] as const);
    for (const [file, digest] of files)
      if (!existsSync(file) || (await fileDigest(file)) !== digest)
        throw new Error(`${file} is not what was installed: delete the folder ${home}, so that it is installed again`);
    return files.map(([file]) => file);
  }
}
