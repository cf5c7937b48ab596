// Images of the engines on this computer, for tests where no registry can be reached. They have names and layout of the official ones.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readImages } from '../../src/service/backends/pods/manifests/engine-images.ts';
import { imageIn } from '../../src/service/engines/image.ts';
import { type Architecture, isNeeded, unpackDebian } from './debian.ts';
import { entriesOf } from './folder.ts';
import { type Image, writeImage } from './oci.ts';
import type { TarEntry } from './tar.ts';

interface EngineFolders {
  /** The installations, as the service finds them. */
  readonly spark: string;
  readonly hadoop: string;
  /** Undefined: there is no image of it. */
  readonly flink?: string | undefined;
  /** The jars for S3, which only an image of one's own has. */
  readonly s3a?: string | undefined;
}

interface EngineArchives {
  readonly spark: string;
  readonly hadoop: string;
  readonly flink?: string;
}

/** The folders of Java in the official images, by engine. */
const javaHomes = ['opt/java/openjdk', 'usr/lib/jvm/jre'] as const;

const tools = ['bash', 'coreutils', 'dash', 'findutils', 'gawk', 'grep', 'hostname', 'procps', 'sed', 'util-linux'];
const packages = [...tools, 'openjdk-17-jre-headless', 'python3-minimal', 'libpython3-stdlib'];

const accounts =
  'root:x:0:0:root:/root:/bin/sh\nspark:x:185:185:spark:/tmp:/bin/sh\nhadoop:x:1000:1000:hadoop:/tmp:/bin/sh\n' +
  'flink:x:9999:9999:flink:/tmp:/bin/sh\n';
const groups = 'root:x:0:\nspark:x:185:\nhadoop:x:1000:\nflink:x:9999:\n';

/** Where the jars for S3 are in the image of Spark. */
export const s3aInImage = '/opt/s3a';

/** Writes the archives into `folder`, unless they are there. */
export async function buildEngineImages(
  { spark, hadoop, flink, s3a }: EngineFolders,
  folder: string,
  architecture: Architecture,
): Promise<EngineArchives> {
  const fileOf = (name: string) => join(folder, `${name}.tar`);
  const files = { spark: fileOf('spark'), hadoop: fileOf('hadoop'), ...(flink && { flink: fileOf('flink') }) };
  if (Object.values(files).every(existsSync)) return files;
  await mkdir(folder, { recursive: true });
  const images = readImages(undefined);
  const work = await mkdtemp(join(folder, '.base-'));
  try {
    const base = join(work, 'root');
    await mkdir(base);
    await unpackDebian(base, work, { architecture, names: packages, withDependencies: true });
    await finishBase(base);
    const imageOf = (name: keyof EngineArchives, ...layers: readonly AsyncIterable<TarEntry>[]): Image => ({
      name: imageIn(images, name).reference,
      architecture,
      layers: [baseLayer(base), ...layers],
      config: { Env: ['PATH=/usr/local/bin:/usr/bin:/bin'], User: `${imageIn(images, name).user}` },
      compression: 1,
    });
    const more = s3a === undefined ? [] : [entriesOf(s3a, { at: s3aInImage.slice(1) })];
    await writeImage(imageOf('spark', entriesOf(spark, { at: 'opt/spark' }), ...more), files.spark);
    await writeImage(imageOf('hadoop', hadoopLayer(hadoop)), files.hadoop);
    if (flink !== undefined) await writeImage(imageOf('flink', entriesOf(flink, { at: 'opt/flink' })), fileOf('flink'));
    return files;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** What the scripts of packages would do. */
async function finishBase(base: string): Promise<void> {
  const jvm = join(base, 'usr', 'lib', 'jvm');
  const java = (await readdir(jvm)).find((name) => /^java-17-openjdk-\w+$/.test(name));
  if (java === undefined) throw new Error('the package of Java has no folder of its own');
  for (const home of javaHomes) {
    await mkdir(dirname(join(base, home)), { recursive: true });
    await symlink(`/usr/lib/jvm/${java}`, join(base, home));
  }
  for (const [link, target] of [
    ['bin/sh', 'dash'],
    ['usr/bin/awk', 'gawk'],
    ['usr/bin/java', '/usr/lib/jvm/jre/bin/java'],
    ['usr/bin/python3', 'python3.11'],
  ] as const) {
    const place = join(base, link);
    await mkdir(dirname(place), { recursive: true });
    if (!existsSync(place)) await symlink(target, place);
  }
}

async function* baseLayer(base: string): AsyncGenerator<TarEntry> {
  yield* entriesOf(base, { includes: (path) => isNeeded(path) || path.startsWith('etc/java') });
  yield { kind: 'file', path: 'etc/passwd', content: accounts };
  yield { kind: 'file', path: 'etc/group', content: groups };
}

/** Jars of Maven in the folders of the official archive. */
async function* hadoopLayer(folder: string): AsyncGenerator<TarEntry> {
  if (!existsSync(join(folder, 'jars'))) return yield* entriesOf(folder, { at: 'opt/hadoop' });
  const isStreaming = (path: string) => path.startsWith('hadoop-streaming-');
  const jars = join(folder, 'jars');
  yield* entriesOf(jars, { at: 'opt/hadoop/share/hadoop/common/lib', includes: (path) => !isStreaming(path) });
  const [streaming] = (await readdir(jars)).filter(isStreaming);
  if (streaming === undefined) return;
  for (const path of ['opt/hadoop/share/hadoop/tools', 'opt/hadoop/share/hadoop/tools/lib'])
    yield { kind: 'folder', path };
  const path = 'opt/hadoop/share/hadoop/tools/lib/hadoop-streaming-3.5.0.jar';
  yield { kind: 'copy', path, source: join(jars, streaming) };
}
