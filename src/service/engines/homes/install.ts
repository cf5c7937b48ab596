// Installs engines into the cache: from the official archive, or with Maven. The cache never shows half an engine.
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { download } from '../../../lib/fetch/download.ts';
import { withLock } from '../../../lib/fetch/lock.ts';
import { minutes, type Progress, type ProgressState } from '../../../lib/fetch/progress.ts';
import type { Clock } from '../../../lib/ports.ts';
import { installFromMaven } from './maven.ts';
import { run } from './run.ts';
import type { EngineSource } from './source.ts';

export interface Installing {
  /** Engines of all versions, each in a folder of its own. */
  readonly cache: string;
  readonly progress: Progress;
  readonly clock: Clock;
}

export type InstallMethod = 'archive' | 'maven';

export const methodNames: Readonly<Record<InstallMethod, string>> = { archive: 'the official archive', maven: 'Maven' };

export const homeInCache = (cache: string, { name, version }: EngineSource): string =>
  join(cache, `${name}-${version}`);

/** Runs `work` while no other process installs an engine. */
export async function whileInstalling<T>({ cache, progress, clock }: Installing, work: () => Promise<T>): Promise<T> {
  await mkdir(cache, { recursive: true });
  let toldAt = -Infinity;
  const onWait = (pid: number, waitedMs: number): void => {
    if (waitedMs - toldAt < 10_000) return;
    toldAt = waitedMs;
    progress.print(`waiting for process ${pid}, which is installing engines (${minutes(waitedMs)})`);
  };
  return withLock(join(cache, 'lock'), { clock, onWait }, async () => {
    // A process that was killed has left its folder.
    const left = (await readdir(cache)).filter((name) => name.startsWith('.part-'));
    for (const name of left) await rm(join(cache, name), { recursive: true, force: true });
    return work();
  });
}

/** Installs the engine and returns its folder. Only for the process that holds the lock. */
export async function install(source: EngineSource, method: InstallMethod, installing: Installing): Promise<string> {
  const { cache } = installing;
  const home = homeInCache(cache, source);
  // In the cache, because a rename works within one file system only.
  const part = await mkdtemp(join(cache, '.part-'));
  try {
    if (method === 'archive') await installFromArchive(source, part, installing);
    else {
      const state = () => ({ label: `${titleOf(source)}: installing with Maven` });
      await installing.progress.during(state, () => installFromMaven(source, part));
    }
    source.readVersion(part);
    // What is there now cannot be used, or it would have been found.
    await rm(home, { recursive: true, force: true });
    await rename(part, home);
    return home;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

export const titleOf = ({ title, version }: EngineSource): string => `${title} ${version}`;

async function installFromArchive(source: EngineSource, folder: string, { cache, progress, clock }: Installing) {
  const { archive } = source;
  const file = join(cache, basename(archive.urls[0] ?? ''));
  let state: ProgressState = { label: `${titleOf(source)}: downloading` };
  const onProgress = (done: number, total: number | undefined): void => {
    state = { ...state, done, total };
  };
  await progress.during(
    () => state,
    () => download(archive, file, { clock, onProgress }),
  );
  await progress.during(
    () => ({ label: `${titleOf(source)}: unpacking` }),
    () => run('tar', ['-xzf', file, '-C', folder, '--strip-components=1', '--no-same-owner']),
  );
  await rm(file);
}
