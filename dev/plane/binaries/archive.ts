// Downloads official archives, such as that of etcd and the API server, verifies their digests, and unpacks them.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Digest, download, downloadText } from '../../../src/lib/fetch/download.ts';
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
  const { version, file, sha512 } = chooseArchive(readIndex(list), request.version, request.platform);
  return install({
    ...request,
    label: `etcd and kube-apiserver ${version}`,
    url: `${request.home}/releases/download/envtest-${version}/${file}`,
    digest: { algorithm: 'sha512', hex: sha512 },
    names: REQUIRED_BINARIES,
  });
}

export interface Installation extends Pick<ArchiveRequest, 'folder' | 'downloads' | 'progress'> {
  /** What it is, for the progress. */
  readonly label: string;
  readonly url: string;
  readonly digest: Digest;
  /** Which files of the archive are kept. */
  readonly names: readonly BinaryName[];
}

/** Downloads one archive and unpacks some of its files. Returns their names. */
export async function install({ label, url, digest, names, ...to }: Installation): Promise<readonly BinaryName[]> {
  const file = join(to.downloads, basename(url));
  let state = '';
  const describe = (): string => `${label}: downloading the official archive${state}`;
  const onProgress = (received: number, total: number | undefined): void => {
    state = `, ${megabytes(received)}${total === undefined ? '' : ` of ${megabytes(total)}`} MB`;
  };
  const remote = { urls: [url], digest };
  await reportWhile(to.progress, describe, () => download(remote, file, { clock: awakeClock, onProgress }));
  const unpacked = await unpack(await readFile(file), to.folder, names);
  await rm(file);
  return unpacked;
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

async function unpack(packed: Buffer, folder: string, wanted: readonly BinaryName[]): Promise<readonly BinaryName[]> {
  const names: BinaryName[] = [];
  for (const file of readTar(await promisify(gunzip)(packed))) {
    const name = wanted.find((each) => each === basename(file.path));
    if (name === undefined) continue;
    await writeFile(join(folder, name), file.content, { mode: 0o755 });
    names.push(name);
  }
  return names;
}
