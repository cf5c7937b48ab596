// Writes container images as OCI archives, which every container runtime imports, without a daemon or a registry.
//
// The same content gives the same bytes, and so the same digest.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type TarEntry, writeTar } from './tar.ts';

/** The part of the image configuration that says how containers are started. */
export interface ImageConfig {
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly User?: string;
  readonly WorkingDir?: string;
  readonly ExposedPorts?: Readonly<Record<string, object>>;
  readonly Labels?: Readonly<Record<string, string>>;
}

export interface Image {
  /** The whole reference, such as `localhost/operator:1`. */
  readonly name: string;
  /** From the lowest to the highest. Folders come before what is in them. */
  readonly layers: readonly (Iterable<TarEntry> | AsyncIterable<TarEntry>)[];
  readonly config: ImageConfig;
  /** In the words of Go, such as `amd64`. That of this computer if it is not given. */
  readonly architecture?: string;
  /** From 1 (fast) to 9 (small). */
  readonly compression?: number;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Layer {
  readonly descriptor: Descriptor;
  /** Of the archive before its compression. */
  readonly diffId: string;
  readonly file: string;
}

const TYPE = 'application/vnd.oci.image';

/** Writes the archive to `file`, whose folder it creates, and returns the digest of the image. */
export async function writeImage(image: Image, file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  // Beside the file, because a rename works within one file system only.
  const work = await mkdtemp(`${file}.part-`);
  try {
    const layers: Layer[] = [];
    for (const [index, entries] of image.layers.entries())
      layers.push(await writeLayer(entries, join(work, String(index)), image.compression ?? 6));
    const { digest, entries } = describe(image, layers);
    await pipeline(Readable.from(writeTar(entries)), createWriteStream(join(work, 'image')));
    await rename(join(work, 'image'), file);
    return digest;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function writeLayer(entries: Image['layers'][number], file: string, level: number): Promise<Layer> {
  const [plain, packed] = [measuring(), measuring()];
  const tar = Readable.from(writeTar(entries), { objectMode: false });
  await pipeline(tar, plain.stream, createGzip({ level }), packed.stream, createWriteStream(file));
  const descriptor = { mediaType: `${TYPE}.layer.v1.tar+gzip`, ...packed.result() };
  return { descriptor, diffId: plain.result().digest, file };
}

/** Passes bytes on, and knows their digest and number afterwards. */
function measuring() {
  const hash = createHash('sha256');
  let size = 0;
  const stream = new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      size += piece.length;
      done(null, piece);
    },
  });
  return { stream, result: () => ({ digest: `sha256:${hash.digest('hex')}`, size }) };
}

/** The files of the archive, in the image layout of the OCI. */
function describe(image: Image, layers: readonly Layer[]): { readonly digest: string; readonly entries: TarEntry[] } {
  const config = blobOf(`${TYPE}.config.v1+json`, {
    architecture: image.architecture ?? (process.arch === 'x64' ? 'amd64' : process.arch),
    os: 'linux',
    config: image.config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  });
  const manifest = blobOf(`${TYPE}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${TYPE}.manifest.v1+json`,
    config: config.descriptor,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  // containerd reads the first of the two, Docker and Podman the second.
  const annotations = { 'io.containerd.image.name': image.name, 'org.opencontainers.image.ref.name': image.name };
  const index = { schemaVersion: 2, manifests: [{ ...manifest.descriptor, annotations }] };
  const entries: TarEntry[] = [
    { kind: 'file', path: 'oci-layout', content: JSON.stringify({ imageLayoutVersion: '1.0.0' }) },
    { kind: 'file', path: 'index.json', content: JSON.stringify(index) },
    config.entry,
    manifest.entry,
  ];
  // Two layers with the same content are one file.
  const files = new Map(layers.map(({ descriptor, file }) => [pathOf(descriptor.digest), file]));
  for (const [path, source] of files) entries.push({ kind: 'copy', path, source, mode: 0o644 });
  return { digest: manifest.descriptor.digest, entries };
}

function blobOf(mediaType: string, value: object): { readonly descriptor: Descriptor; readonly entry: TarEntry } {
  const content = Buffer.from(JSON.stringify(value));
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  const descriptor = { mediaType, digest, size: content.length };
  return { descriptor, entry: { kind: 'file', path: pathOf(digest), content } };
}

const pathOf = (digest: string): string => `blobs/${digest.replace(':', '/')}`;
