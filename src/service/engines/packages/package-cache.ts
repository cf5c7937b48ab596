// Packages of jobs: resolved once for each set of coordinates with Maven.
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../../../lib/errors.ts';
import type { InstallInput } from '../homes/install.ts';
import { installFromMaven } from '../homes/maven.ts';
import type { PackageSet } from './coordinates.ts';
import { InstallCache } from './install-cache.ts';
import { bytesBelow, whileSmall } from './while-small.ts';

export interface Packages {
  /** The paths of the jars, with those of all that they need. Rejects with the reason if there is no such set in the repository. */
  resolve(packages: PackageSet, signal: AbortSignal): Promise<readonly string[]>;
}

interface PackageCacheOptions extends InstallInput {
  /** The URL of the Maven repository. */
  readonly repository: string;
}

const limits = { jars: 300, bytes: 1024 ** 3, ms: 10 * 60_000 } as const;
/** What the first run of Maven gets for itself is less. */
const pluginBytes = 256 * 1024 ** 2;
const jarsFolder = 'jars';

const settingsText = (repository: string): string =>
  `<settings><mirrors><mirror><id>packages</id><mirrorOf>*</mirrorOf><url>${repository.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</url></mirror></mirrors></settings>\n`;

export class PackageCache implements Packages {
  readonly #options: PackageCacheOptions;
  readonly #cache: InstallCache;

  /** `cache` is a folder of its own. */
  constructor(options: PackageCacheOptions) {
    this.#options = options;
    this.#cache = new InstallCache({ ...options, folder: jarsFolder, source: this.#local });
  }

  /** Maven keeps here what it gets, and does not read it again before it uses it. */
  get #local(): string {
    return join(this.#options.cache, 'repository');
  }

  async resolve(packages: PackageSet, signal: AbortSignal): Promise<readonly string[]> {
    const key = [this.#options.repository, packages];
    return await this.#cache.files({ key, install: (folder) => this.#install(folder, packages) }, signal);
  }

  async #install(folder: string, { coordinates, provided }: PackageSet): Promise<readonly string[]> {
    const { repository, clock } = this.#options;
    const local = this.#local;
    try {
      const settings = join(folder, 'settings.xml');
      await writeFile(settings, settingsText(repository));
      const maven = { dependencies: coordinates, exclusions: provided, jars: jarsFolder, files: {} };
      const own = ['--settings', settings, '--global-settings', settings];
      const how = { flags: [...own, `-Dmaven.repo.local=${local}`], timeoutMs: limits.ms };
      const source = { name: 'packages', version: '1', maven };
      const bounds = { folders: [local, folder], bytes: 2 * limits.bytes + pluginBytes, clock, tooLarge };
      await whileSmall(bounds, (signal) => installFromMaven(source, folder, { ...how, signal }));
      return await jarsIn(join(folder, jarsFolder));
    } catch (cause) {
      throw new Error(`cannot get packages ${coordinates.join(', ')}: ${reasonOf(cause)}`, { cause });
    }
  }
}

const tooLarge = (): Error =>
  new Error(`with all that they need they take more than ${limits.bytes} bytes: name fewer`);

async function jarsIn(jars: string): Promise<readonly string[]> {
  const names = existsSync(jars) ? (await readdir(jars)).filter((name) => name.endsWith('.jar')) : [];
  const bytes = names.length === 0 ? 0 : await bytesBelow(jars);
  if (names.length === 0) throw new Error('they contain no jar');
  if (names.length > limits.jars || bytes > limits.bytes)
    throw new Error(
      `with all that they need they are ${names.length} jars of ${bytes} bytes, and ${limits.jars} of ${limits.bytes} bytes are allowed: name fewer`,
    );
  return names;
}
