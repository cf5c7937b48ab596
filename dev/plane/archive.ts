// Downloads the official archive of etcd and the API server, verifies its digest, and unpacks it.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { EnvHttpProxyAgent, fetch, type Response } from 'undici';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Progress, reportWhile } from './progress.ts';
import { type BinaryName, REQUIRED_BINARIES } from './release.ts';
import { readTar } from './tar.ts';

/** How long the server may keep silent before we give up. */
const SILENCE_MS = 20_000;

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
  readonly progress: Progress;
}

/** Downloads and unpacks; throws before anything is written when the digest is not the published one. */
export async function downloadArchive(request: ArchiveRequest): Promise<readonly BinaryName[]> {
  const list = await download(`${request.home}/raw/HEAD/envtest-releases.yaml`, () => undefined);
  const archive = chooseArchive(readIndex(list.toString('utf8')), request.version, request.platform);
  const url = `${request.home}/releases/download/envtest-${archive.version}/${archive.file}`;
  let state = '';
  const describe = (): string => `etcd and kube-apiserver ${archive.version}: downloading the official archive${state}`;
  const packed = await reportWhile(request.progress, describe, () =>
    download(url, (received, total) => {
      state = `, ${megabytes(received)}${total > 0 ? ` of ${megabytes(total)}` : ''} MB`;
    }),
  );
  const digest = createHash('sha512').update(packed).digest('hex');
  if (digest !== archive.sha512) {
    throw new Error(`cannot use ${url}: its sha512 is ${digest}, published is ${archive.sha512}`);
  }
  return unpack(packed, request.folder);
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

async function download(url: string, report: (received: number, total: number) => void): Promise<Buffer> {
  // The agent honours HTTPS_PROXY and NO_PROXY, without which no download leaves many company networks.
  const dispatcher = new EnvHttpProxyAgent({ headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS });
  try {
    const response = await fetch(url, { dispatcher });
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`);
    return await readBody(response, report);
  } catch (error) {
    throw new Error(`cannot download ${url}`, { cause: error });
  } finally {
    await dispatcher.close();
  }
}

async function readBody(response: Response, report: (received: number, total: number) => void): Promise<Buffer> {
  const total = Number(response.headers.get('content-length') ?? 0);
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    received += chunk.byteLength;
    report(received, total);
  }
  return Buffer.concat(chunks);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
