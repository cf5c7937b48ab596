// Finds Helm, which packages and tests the chart, in its cache, or installs it there.
import { dirname, join } from 'node:path';
import { cacheRoot } from '../../src/lib/fetch/cache.ts';
import { downloadText } from '../../src/lib/fetch/download.ts';
import { install } from '../plane/binaries/archive.ts';
import { collect, listOf, whileFilling } from '../plane/binaries/binaries.ts';
import type { Progress } from '../plane/binaries/progress.ts';
import { HELM_HOME, HELM_VERSION, platformName } from '../plane/binaries/release.ts';
import { folderSource, goSource, type Source, throughPart } from '../plane/binaries/sources.ts';

export interface HelmSearch {
  readonly onProgress?: Progress;
  readonly environment?: NodeJS.ProcessEnv;
  /** Where the official archives are; for tests. */
  readonly archiveHome?: string;
}

/** Path of Helm in the pinned version. Throws with a list of all that was tried. A Helm of the user may be another version. */
export async function findHelm(search: HelmSearch = {}): Promise<string> {
  const folder = helmFolder(search.environment);
  const cache = folderSource('the cache', folder);
  const { helm: near } = await cache.find(['helm']);
  if (near !== undefined) return near;
  const progress = search.onProgress ?? (() => undefined);
  const sources = [cache, archiveSource(search.archiveHome ?? HELM_HOME, folder, progress), goSource(folder, progress)];
  const { found, attempts } = await whileFilling(folder, progress, () => collect(['helm'], sources, {}, progress));
  if (found.helm !== undefined) return found.helm;
  throw new Error(
    `cannot find Helm ${HELM_VERSION}: tried\n${listOf(attempts)}\n` +
      'Either install Go 1.26 or newer, or let this machine reach the official archive.',
  );
}

/** `$XDG_CACHE_HOME/dataprocessing-operator/helm/<version>-<os>-<arch>`. */
export function helmFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(cacheRoot(environment), 'helm', `${HELM_VERSION}-${platformName()}`);
}

function archiveSource(home: string, folder: string, progress: Progress): Source {
  const url = `${home}/helm-v${HELM_VERSION}-${platformName()}.tar.gz`;
  const find: Source['find'] = async (names) =>
    throughPart(folder, names, async (part) => {
      const [hex = ''] = (await downloadText(`${url}.sha256sum`)).split(/\s/, 1);
      const digest = { algorithm: 'sha256', hex } as const;
      const to = { folder: part, downloads: dirname(folder), progress };
      await install({ label: `Helm ${HELM_VERSION}`, url, digest, names, ...to });
    });
  return { name: `the official archive (${home})`, find };
}
