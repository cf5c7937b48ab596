// Files that are got once for each content, and kept with their digests: what jobs need of package repositories.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileDigest } from '../../../lib/fetch/file-digest.ts';
import { type InstallInput, whileInstalling } from '../homes/install.ts';

const mostBytes = 10 * 1024 ** 3;
/** Written last. By name: the SHA-256. */
const digestsFile = 'digests.json';

export async function bytesBelow(folder: string): Promise<number> {
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

export interface InstallCacheOptions extends InstallInput {
  /** The folder of the files, in that of each content. */
  readonly folder: string;
}

export interface Content {
  /** What tells it from others, as JSON. */
  readonly key: unknown;
  /** Fills the folder. Its other files are removed with the folder. Resolves to the names of files in the folder of files. */
  readonly install: (folder: string) => Promise<readonly string[]>;
}

export class InstallCache {
  readonly #options: InstallCacheOptions;

  /** `cache` is a folder of its own. */
  constructor(options: InstallCacheOptions) {
    this.#options = options;
  }

  /** The paths of its files, which are what they were when they were installed. */
  async files({ key, install }: Content, signal: AbortSignal): Promise<readonly string[]> {
    const name = createHash('sha256').update(JSON.stringify(key)).digest('hex');
    const home = join(this.#options.cache, name);
    if (!existsSync(home)) {
      const work = whileInstalling(this.#options, () => this.#install(home, install));
      await orAborted(work, signal);
    }
    return await this.#verified(home);
  }

  async #install(home: string, install: Content['install']): Promise<void> {
    const { cache, folder: files } = this.#options;
    if (existsSync(home)) return;
    if ((await bytesBelow(cache)) > mostBytes)
      throw new Error(`the packages in ${cache} take more than ${mostBytes} bytes: delete folders there`);
    const folder = await mkdtemp(join(cache, '.part-'));
    try {
      const names = await install(folder);
      const digests: Record<string, string> = {};
      for (const name of names.toSorted()) digests[name] = await fileDigest(join(folder, files, name));
      await writeFile(join(folder, digestsFile), JSON.stringify(digests));
      await rename(folder, home);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #verified(home: string): Promise<readonly string[]> {
    const { folder } = this.#options;
    const digests = JSON.parse(readFileSync(join(home, digestsFile), 'utf8')) as Readonly<Record<string, string>>;
    const files = Object.entries(digests).map(([name, digest]) => [join(home, folder, name), digest] as const);
    for (const [file, digest] of files)
      if (!existsSync(file) || (await fileDigest(file)) !== digest)
        throw new Error(`${file} is not what was installed: delete the folder ${home}, so that it is installed again`);
    return files.map(([file]) => file);
  }
}
