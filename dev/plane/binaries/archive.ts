// Downloads the official archive of etcd and the API server, verifies its digest, and unpacks it.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { parse } from 'yaml';
import { z } from 'zod';
import { download, downloadText } from '../../../src/lib/fetch/download.ts';
import { megabytes } from '../../../src/lib/fetch/progress.ts';
import { awakeClock } from '../../../src/lib/system.ts';
import { type Progress, reportWhile } from './progress.ts';
import { type BinaryName, REQUIRED_BINARIES } from './release.ts';
import { readTar } from './tar.ts';

/** The published list: release -> archive -> sha512 in hex. */
const Index = z.object({
  releases: z.record(z.string(), z.record(z.string(), z.object({ hash: z.string().regex(/^[0-9a-f]{128}$/) }))),
});
export type Index = z.infer<typeof Index>;

export interface Archive {
  /** With the leading v, as the archives are named. */
  readonly version: string;
  readonly file: string;
  readonly sha512: string;
}

export interface ArchiveRequest {
  readonly home: string;
  readonly version: string;
  readonly platform: string;
  /** An existing folder; the binaries are written into it. */
  readonly folder: string;
  /** Keeps the part of a download that was interrupted. */
  readonly downloads: string;
  readonly progress: Progress;
}

/** Downloads and unpacks; throws before anything is written when the digest is not the published one. */
export async function downloadArchive(request: ArchiveRequest): Promise<readonly BinaryName[]> {
  const list = await downloadText(`${request.home}/raw/HEAD/envtest-releases.yaml`);
  const archive = chooseArchive(readIndex(list), request.version, request.platform);
  const url = `${request.home}/releases/download/envtest-${archive.version}/${archive.file}`;
  const file = join(request.downloads, archive.file);
  let state = '';
  const describe = (): string => `etcd and kube-apiserver ${archive.version}: downloading the official archive${state}`;
  const onProgress = (received: number, total: number | undefined): void => {
    state = `, ${megabytes(received)}${total === undefined ? '' : ` of ${megabytes(total)}`} MB`;
  };
  const remote = { urls: [url], digest: { algorithm: 'sha512', hex: archive.sha512 } } as const;
  await reportWhile(request.progress, describe, () => download(remote, file, { clock: awakeClock, onProgress }));
  const names = await unpack(await readFile(file), request.folder);
  await rm(file);
  return names;
}

function readIndex(text: string): Index {
  // Without a schema of types a digest of nothing but digits stays a string.
  const index = Index.safeParse(parse(text, { schema: 'failsafe' }));
  if (index.success) return index.data;
  throw new Error(`cannot read the list of archives: ${z.prettifyError(index.error)}`);
}

/** The archive of this very version, else the newest patch of the same minor version: not every patch is published. */
export function chooseArchive(index: Index, version: string, platform: string): Archive {
  const minor = version.split('.').slice(0, 2).join('.');
  const candidates = Object.entries(index.releases)
    // Previews have more in their name than a number.
    .filter(([release]) => release.startsWith(`v${minor}.`) && /^v[\d.]+$/.test(release))
    .sort(([a], [b]) => rank(b, version) - rank(a, version));
  for (const [release, archives] of candidates) {
    const file = `envtest-${release}-${platform}.tar.gz`;
    const entry = archives[file];
    if (entry !== undefined) return { version: release, file, sha512: entry.hash };
  }
  throw new Error(`cannot choose an archive: none is published for ${minor} on ${platform}`);
}

function rank(release: string, wanted: string): number {
  return release === `v${wanted}` ? Infinity : Number(release.split('.')[2]);
}

async function unpack(packed: Buffer, folder: string): Promise<readonly BinaryName[]> {
  const names: BinaryName[] = [];
  for (const file of readTar(await promisify(gunzip)(packed))) {
    const name = REQUIRED_BINARIES.find((wanted) => wanted === basename(file.path));
    if (name === undefined) continue;
    await writeFile(join(folder, name), file.content, { mode: 0o755 });
    names.push(name);
  }
  return names;
}
