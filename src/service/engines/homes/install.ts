// Installs engines into the cache: from the official archive, with pip or with Maven. The cache never shows half an engine.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Variables } from '../../../lib/fetch/cache.ts';
import { download } from '../../../lib/fetch/download.ts';
import { withLock } from '../../../lib/fetch/lock.ts';
import { minutes, type Progress, type ProgressState } from '../../../lib/fetch/progress.ts';
import type { Clock } from '../../../lib/ports.ts';
import { type EngineSource, titleOf } from './engine-source.ts';
import { installFromMaven } from './maven.ts';
import { installFromPip } from './pip.ts';
import { run } from './run-program.ts';

export interface InstallInput {
  /** Engines of all versions, each in a folder of its own. */
  readonly cache: string;
  /** Names the programs that install, and their settings. */
  readonly environment: Variables;
  readonly progress: Progress;
  readonly clock: Clock;
}

/** In the order in which they are tried. The last one gives the least. */
export const installMethods = ['archive', 'pip', 'maven'] as const;
export type InstallMethod = (typeof installMethods)[number];

export const methodNames: Readonly<Record<InstallMethod, string>> = {
  archive: 'the official archive',
  pip: 'pip',
  maven: 'Maven',
};

export const homeInCache = (cache: string, { name, version }: EngineSource): string =>
  join(cache, `${name}-${version}`);

/** Runs `work` while no other process installs an engine. */
export async function whileInstalling<T>({ cache, progress, clock }: InstallInput, work: () => Promise<T>): Promise<T> {
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

/** Installs the engine in place of the one in the cache, and returns its folder. Only for the process that holds the lock. */
export async function install(source: EngineSource, method: InstallMethod, input: InstallInput): Promise<string> {
  const { cache } = input;
  const home = homeInCache(cache, source);
  // In the cache, because a rename works within one file system only.
  const part = await mkdtemp(join(cache, '.part-'));
  try {
    await fill(source, method, part, input);
    source.readVersion(part);
    await replace(home, part);
    return home;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function fill(source: EngineSource, method: InstallMethod, folder: string, input: InstallInput) {
  const { progress } = input;
  switch (method) {
    case 'archive':
      return await installFromArchive(source, folder, input);
    case 'pip':
      return await installFromPip(source, folder, input);
    case 'maven': {
      const state = () => ({ label: `${titleOf(source)}: installing with Maven` });
      return await progress.during(state, () => installFromMaven(source, folder));
    }
  }
}

/** What was at `home` is moved away as a whole, and removed afterwards. Only for the process that holds the lock. */
export async function replace(home: string, part: string): Promise<void> {
  const old = `${part}.old`;
  if (existsSync(home)) await rename(home, old);
  await rename(part, home);
  await rm(old, { recursive: true, force: true });
}

async function installFromArchive(source: EngineSource, folder: string, { cache, progress, clock }: InstallInput) {
  const { archive } = source;
  if (archive === undefined) throw new Error('it is not installed from there');
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
