// Finds the programs of a plane on this machine, or installs them into a cache.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../../src/lib/errors.ts';
import { cacheRoot } from '../../../src/lib/fetch/cache.ts';
import { withLock } from '../../../src/lib/fetch/lock.ts';
import { minutes } from '../../../src/lib/fetch/progress.ts';
import { awakeClock } from '../../../src/lib/system.ts';
import type { Progress } from './progress.ts';
import {
  ARCHIVE_HOME,
  type BinaryName,
  isPublished,
  KUBERNETES_VERSION,
  NODE_BINARIES,
  platformName,
  REQUIRED_BINARIES,
  type ToolName,
} from './release.ts';
import { archiveSource, assetsSource, type Found, folderSource, goSource, type Source } from './sources.ts';

/** Paths of executables; the controller manager may be missing even if it was requested. */
export type Binaries = Having<(typeof REQUIRED_BINARIES)[number]>;

/** Paths of all executables that a plane with a node runs. */
export type NodeBinaries = Having<Exclude<BinaryName, ToolName>>;

type Having<Name extends BinaryName> = Found & Readonly<Record<Name, string>>;

export interface Search {
  readonly controllerManager?: boolean;
  readonly onProgress?: Progress;
  readonly environment?: NodeJS.ProcessEnv;
  /** Where the official archives are; for tests. */
  readonly archiveHome?: string;
}

export interface Attempt {
  readonly source: string;
  /** Why this source did not give all that was missing. */
  readonly outcome: string;
}

/**
 * Looks in KUBEBUILDER_ASSETS and in the cache; else fills the cache from the official archive or by building from source.
 *
 * Throws with a list of all that was tried when etcd or the API server is not to be had. A missing controller manager is
 * reported as progress only: most of what a plane is for works without.
 */
export async function findBinaries(search: Search = {}): Promise<Binaries> {
  return find(REQUIRED_BINARIES, search.controllerManager === true ? ['kube-controller-manager'] : [], search);
}

/** The same for a plane with a node, whose programs are all required, and which only Go or the user can provide. */
export async function findNodeBinaries(search: Omit<Search, 'controllerManager'> = {}): Promise<NodeBinaries> {
  return find([...REQUIRED_BINARIES, ...NODE_BINARIES], [], search);
}

async function find<Name extends BinaryName>(
  required: readonly Name[],
  optional: readonly BinaryName[],
  search: Search,
): Promise<Having<Name>> {
  const environment = search.environment ?? process.env;
  const progress = search.onProgress ?? (() => undefined);
  const folder = cacheFolder(environment);
  const wanted = [...required, ...optional];
  const cache = folderSource('the cache', folder);

  const near = await collect(wanted, [assetsSource(environment), cache]);
  if (missingOf(near.found, wanted).length === 0) return checkRequired(required, near.found, near.attempts);

  const home = search.archiveHome ?? ARCHIVE_HOME;
  const sources = [cache, archiveSource(home, folder, progress), goSource(folder, progress)];
  const far = await whileFilling(folder, progress, () => collect(wanted, sources, near.found, progress));
  const attempts = [...near.attempts.slice(0, 1), ...far.attempts];
  const binaries = checkRequired(required, far.found, attempts);
  for (const name of missingOf(binaries, wanted)) progress(`${name}: going on without it\n${listOf(attempts)}`);
  return binaries;
}

/** `$XDG_CACHE_HOME/dataprocessing-operator/kubernetes/<version>-<os>-<arch>`. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(cacheRoot(environment), 'kubernetes', `${KUBERNETES_VERSION}-${platformName()}`);
}

/** Asks the sources in their order, each for what the earlier ones did not have. */
export async function collect(
  wanted: readonly BinaryName[],
  sources: readonly Source[],
  known: Found = {},
  progress: Progress = () => undefined,
): Promise<{ readonly found: Found; readonly attempts: readonly Attempt[] }> {
  let found = known;
  const attempts: Attempt[] = [];
  for (const source of sources) {
    const missing = missingOf(found, wanted);
    if (missing.length === 0) break;
    try {
      found = { ...found, ...(await source.find(missing)) };
      const rest = missingOf(found, missing);
      if (rest.length > 0) attempts.push({ source: source.name, outcome: `it has no ${rest.join(' and no ')}` });
    } catch (error) {
      attempts.push({ source: source.name, outcome: reasonOf(error) });
      progress(`not from ${source.name}: ${reasonOf(error)}`);
    }
  }
  return { found, attempts };
}

function missingOf(found: Found, wanted: readonly BinaryName[]): readonly BinaryName[] {
  return wanted.filter((name) => found[name] === undefined);
}

/** One process at a time fills the cache. The others print that they wait. */
export async function whileFilling<T>(folder: string, progress: Progress, work: () => Promise<T>): Promise<T> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new Error(`cannot make the cache ${folder}: set XDG_CACHE_HOME to a folder that you can write to`, {
      cause: error,
    });
  }
  let toldAt = -Infinity;
  const waiting = (pid: number, waitedMs: number): void => {
    if (waitedMs - toldAt < 10_000) return;
    toldAt = waitedMs;
    progress(`waiting for process ${pid}, which is getting the binaries (${minutes(waitedMs)})`);
  };
  return withLock(join(dirname(folder), 'lock'), { clock: awakeClock, onWait: waiting }, async () => {
    await removeParts(folder);
    return work();
  });
}

/** A killed run leaves its temporary folder behind, with up to 100 MB in it. */
async function removeParts(folder: string): Promise<void> {
  const left = (await readdir(folder)).filter((name) => name.startsWith('.part-'));
  await Promise.all(left.map(async (name) => rm(join(folder, name), { recursive: true, force: true })));
}

function checkRequired<Name extends BinaryName>(
  required: readonly Name[],
  found: Found,
  attempts: readonly Attempt[],
): Having<Name> {
  const missing = missingOf(found, required);
  if (missing.length === 0) return found as Having<Name>;
  const inArchive = missing.every((name) => isPublished(name));
  throw new Error(
    `cannot find ${missing.join(' and ')}: tried\n${listOf(attempts)}\n` +
      `Either install Go 1.26 or newer, ${inArchive ? 'or let this machine reach the official archive, ' : ''}` +
      `or put ${missing.join(' and ')} into a folder and set KUBEBUILDER_ASSETS to it.`,
  );
}

export function listOf(attempts: readonly Attempt[]): string {
  return attempts.map(({ source, outcome }) => `  - ${source}: ${outcome}`).join('\n');
}
