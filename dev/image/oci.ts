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
export const writeImage = (image: Image, file: string): Promise<string> => writeImages([image], file);

/** The same for an image of several architectures: the digest is that of their index. All have the same name. */
export async function writeImages(images: readonly Image[], file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  // Beside the file, because a rename works within one file system only.
  const work = await mkdtemp(`${file}.part-`);
  try {
    const described: Described[] = [];
    for (const [number, image] of images.entries()) {
      const layers: Layer[] = [];
      for (const [index, entries] of image.layers.entries())
        layers.push(await writeLayer(entries, join(work, `${number}-${index}`), image.compression ?? 6));
      described.push(describe(image, layers));
    }
    const { digest, entries } = archiveOf(images[0]?.name ?? '', described);
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

const architectureOf = ({ architecture }: Image): string =>
  architecture ?? (process.arch === 'x64' ? 'amd64' : process.arch);

/** An image of one architecture: its manifest, and the files of the archive that it needs. */
interface Described {
  readonly manifest: Descriptor & { readonly platform: object };
  readonly entries: readonly TarEntry[];
}

function describe(image: Image, layers: readonly Layer[]): Described {
  const architecture = architectureOf(image);
  const config = blobOf(`${TYPE}.config.v1+json`, {
    architecture,
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
  const copies = layers.map(
    ({ descriptor, file }): TarEntry => ({ kind: 'copy', path: pathOf(descriptor.digest), source: file, mode: 0o644 }),
  );
  const platform = { architecture, os: 'linux' };
  return { manifest: { ...manifest.descriptor, platform }, entries: [config.entry, manifest.entry, ...copies] };
}

/** The files of the archive, in the image layout of the OCI. */
function archiveOf(name: string, described: readonly Described[]) {
  const [first] = described;
  if (first === undefined) throw new Error('cannot write an archive without an image');
  const manifests = described.map(({ manifest }) => manifest);
  const mediaType = `${TYPE}.index.v1+json`;
  const several = blobOf(mediaType, { schemaVersion: 2, mediaType, manifests });
  const [top, own] = described.length === 1 ? [first.manifest, []] : [several.descriptor, [several.entry]];
  // containerd reads the first of the two, Docker and Podman the second.
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
  const index = { schemaVersion: 2, mediaType, manifests: [{ ...top, annotations }] };
  const files: TarEntry[] = [
    { kind: 'file', path: 'oci-layout', content: JSON.stringify({ imageLayoutVersion: '1.0.0' }) },
    { kind: 'file', path: 'index.json', content: JSON.stringify(index) },
    ...own,
    ...described.flatMap(({ entries }) => entries),
  ];
  // Two layers with the same content are one file.
  const entries = [...new Map(files.map((entry) => [entry.path, entry])).values()];
  return { digest: top.digest, entries };
}

function blobOf(mediaType: string, value: object): { readonly descriptor: Descriptor; readonly entry: TarEntry } {
  const content = Buffer.from(JSON.stringify(value));
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  const descriptor = { mediaType, digest, size: content.length };
  return { descriptor, entry: { kind: 'file', path: pathOf(digest), content } };
}

const pathOf = (digest: string): string => `blobs/${digest.replace(':', '/')}`;
