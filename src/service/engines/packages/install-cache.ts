// Files that are got once for each content, and kept with their digests: what jobs need of package repositories.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import { fileDigest } from '../../../lib/fetch/file-digest.ts';
import { syncFile, syncFolder, writeSafely } from '../../model/disk/atomic-files.ts';
import { isNoSpace } from '../../model/disk/space.ts';
import { lacksRoom, noRoom } from '../../model/disk/volume.ts';
import { type InstallInput, replace, whileInstalling } from '../homes/install.ts';
import { bytesBelow } from './while-small.ts';

const mostBytes = 10 * 1024 ** 3;
/** Written last. By name: the SHA-256. */
const digestsFile = 'digests.json';

/** Rejects with the reason of the signal once it is aborted. Work that was begun goes on for others. */
async function orAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export interface InstallCacheOptions extends InstallInput {
  /** The folder of the files, in that of each content. */
  readonly folder: string;
  /** A folder from which contents are installed. What has damaged one of them can have damaged it, too, so it is removed then. When absent: there is none. */
  readonly source?: string;
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

  /** The paths of its files, which are what they were when they were installed. What has changed, or was lost, is installed again. */
  async files({ key, install }: Content, signal: AbortSignal): Promise<readonly string[]> {
    const name = createHash('sha256').update(JSON.stringify(key)).digest('hex');
    const home = join(this.#options.cache, name);
    const kept = await this.#kept(home);
    if (kept !== undefined) return kept;
    const work = () => whileInstalling(this.#options, () => this.#install(home, install));
    await orAborted(work, signal);
    const installed = await this.#kept(home);
    if (installed !== undefined) return installed;
    throw new Error(`what was installed in ${home} has changed: check the disk, and run the job again`);
  }

  async #install(home: string, install: Content['install']): Promise<void> {
    const { cache, source } = this.#options;
    // Somebody else can have installed it meanwhile.
    if ((await this.#kept(home)) !== undefined) return;
    if (existsSync(home) && source !== undefined) await rm(source, { recursive: true, force: true });
    if ((await bytesBelow(cache)) > mostBytes)
      throw new Error(`the packages in ${cache} take more than ${mostBytes} bytes: delete folders there`);
    const folder = await mkdtemp(join(cache, '.part-'));
    try {
      await this.#complete(folder, await install(folder));
      await replace(home, folder);
      syncFolder(cache);
    } catch (cause) {
      // Programs do not always print that the disk is full. It is so until what they have written is removed.
      throw isNoSpace(cause) || !lacksRoom(cache) ? cause : withoutRoom(cache, cause);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** No power loss takes away what the list names once the list is there. */
  async #complete(folder: string, names: readonly string[]): Promise<void> {
    const files = join(folder, this.#options.folder);
    const digests: Record<string, string> = {};
    for (const name of names.toSorted()) {
      digests[name] = await fileDigest(join(files, name));
      await syncFile(join(files, name));
    }
    syncFolder(files);
    writeSafely(join(folder, digestsFile), JSON.stringify(digests));
  }

  /** Undefined if it is not there, or is not what was installed, as a power loss could leave what earlier releases have installed. */
  async #kept(home: string): Promise<readonly string[] | undefined> {
    const digests = digestsIn(join(home, digestsFile));
    if (digests === undefined) return undefined;
    const files = Object.entries(digests).map(([name, digest]) => [join(home, this.#options.folder, name), digest]);
    for (const [file = '', digest] of files)
      if (!existsSync(file) || (await fileDigest(file)) !== digest) return undefined;
    return files.map(([file = '']) => file);
  }
}

/** It is tried again when there is room. */
const withoutRoom = (cache: string, cause: unknown): Error =>
  new Error(`${messageOf(cause)}: the volume of ${cache} is full: delete what is not needed there`, {
    cause: noRoom(),
  });

/** Undefined if there is no list, or a part of one. */
function digestsIn(file: string): Readonly<Record<string, string>> | undefined {
  try {
    const found: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    return typeof found === 'object' && found !== null ? (found as Readonly<Record<string, string>>) : undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
