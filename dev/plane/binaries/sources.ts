// The sources of the binaries: folders of this machine, the official archive, and a build with Go.
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { downloadArchive } from './archive.ts';
import { buildBinary, checkGo } from './build.ts';
import type { Progress } from './progress.ts';
import { type BinaryName, isPublished, KUBERNETES_VERSION, platformName } from './release.ts';

/** Paths of executables, as far as they are known. */
export type Found = Readonly<Partial<Record<BinaryName, string>>>;

export interface Source {
  readonly name: string;
  /** Gets what it can of `missing`; throws, with the reason, when it can get nothing. */
  readonly find: (missing: readonly BinaryName[]) => Promise<Found>;
}

/** The convention of the ecosystem: a folder of the user's own choice. */
export function assetsSource(environment: NodeJS.ProcessEnv): Source {
  const folder = environment['KUBEBUILDER_ASSETS'] ?? '';
  if (folder !== '') return folderSource('KUBEBUILDER_ASSETS', folder);
  return { name: 'KUBEBUILDER_ASSETS', find: async () => Promise.reject(new Error('it is not set')) };
}

export function folderSource(label: string, folder: string): Source {
  return { name: `${label} (${folder})`, find: async (missing) => lookInto(folder, missing) };
}

/** Fills the cache `folder` from the official archive, which has etcd and the API server only. */
export function archiveSource(home: string, folder: string, progress: Progress): Source {
  const name = `the official archive (${home})`;
  const find = async (missing: readonly BinaryName[]): Promise<Found> => {
    if (!missing.some(isPublished)) return {};
    return throughPart(folder, missing, async (part) => {
      const platform = platformName();
      const downloads = dirname(folder);
      await downloadArchive({ home, version: KUBERNETES_VERSION, platform, folder: part, downloads, progress });
    });
  };
  return { name, find };
}

/** Fills the cache `folder` by building from source. */
export function goSource(folder: string, progress: Progress): Source {
  const find = async (missing: readonly BinaryName[]): Promise<Found> => {
    await checkGo();
    let found: Found = {};
    // One after the other: each build uses all cores, and what is done stays done when the next one fails.
    for (const binary of missing) {
      const built = await throughPart(folder, [binary], async (part) => buildBinary(binary, part, progress));
      found = { ...found, ...built };
    }
    return found;
  };
  return { name: 'go build', find };
}

/** Has `fill` write into a temporary folder, and moves the result over: the cache never shows half a file. */
export async function throughPart(
  folder: string,
  names: readonly BinaryName[],
  fill: (part: string) => Promise<void>,
): Promise<Found> {
  await mkdir(folder, { recursive: true });
  // Inside of the cache, because a rename works within one file system only.
  const part = await mkdtemp(join(folder, '.part-'));
  try {
    await fill(part);
    for (const name of Object.keys(await lookInto(part, names))) await rename(join(part, name), join(folder, name));
    return await lookInto(folder, names);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function lookInto(folder: string, names: readonly BinaryName[]): Promise<Found> {
  const found: Partial<Record<BinaryName, string>> = {};
  for (const name of names) {
    if (await isExecutable(join(folder, name))) found[name] = join(folder, name);
  }
  return found;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
