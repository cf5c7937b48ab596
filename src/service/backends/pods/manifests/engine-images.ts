// The images of the engines, as the file of --engine-images names them.
import { z } from 'zod';
import { parseSettings, readSettings } from '../../../../lib/settings-file.ts';
import { wordList } from '../../../../lib/word-list.ts';
import type { EngineProcess } from '../../../engines/engine.ts';
import { type EngineImage, type EngineImages, type ImageSource, imageIn, imagesOf } from '../../../engines/image.ts';
import { engineImages } from '../../../engines/index.ts';
import type { AbsentVersions } from '../../../engines/plugin.ts';
import { lineOf } from '../../../engines/release-line.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';

const path = z.string().regex(/^\/[\w./+-]*$/, { error: 'is not an absolute path' });
const imageSchema = ({ name, official, extras, unofficial = [] }: ImageSource) => {
  const fields = z.strictObject({
    reference: z.string().regex(/^[\w.-]+(:\d+)?\/[\w./-]+(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/, {
      error: `is not a complete reference such as registry.example/${name}:${official.version}`,
    }),
    home: path,
    java: path,
    ...Object.fromEntries(extras.map((extra) => [extra, path.optional()])),
    user: z
      .int()
      .min(1)
      .max(2 ** 31 - 1),
    version: z.string().regex(/^\d+\.\d+\.\d+$/, { error: `is not a version such as ${official.version}` }),
  });
  const hasOfficial = (version = official.version) => !unofficial.map(lineOf).includes(lineOf(version));
  return fields
    .partial()
    .refine(({ reference, ...others }) => !('s3a' in others) || reference !== undefined, {
      path: ['s3a'],
      error: 'is not in the image of Apache: state the reference of an image that has this folder',
    })
    .refine(({ reference, version }) => reference !== undefined || hasOfficial(version), {
      path: ['version'],
      error: 'is in no image of Apache that can be used: state the reference of an image with this version and Java 17',
    });
};

/** What is left out is that of the official image of the version. */
function completed({ official, referenceOf }: ImageSource, given: Partial<EngineImage>): EngineImage {
  const { version = official.version } = given;
  return { ...official, reference: referenceOf?.(version) ?? official.reference, version, ...given };
}

/** Those that clusters can have if the file names no others. */
const usualVersions = ({ official, versions = [official.version] }: ImageSource): readonly string[] => versions;
const allVersions = (source: ImageSource): readonly string[] => [
  ...usualVersions(source),
  ...(source.unofficial ?? []),
];

/** The release lines that can be run, each once. */
function lineSchema(source: ImageSource) {
  const lines = allVersions(source).map(lineOf);
  const image = imageSchema(source).refine(({ version }) => version === undefined || lines.includes(lineOf(version)), {
    path: ['version'],
    error: `is not a version that can be run: use one of ${wordList(lines, 'or')}`,
  });
  const several = z
    .array(image)
    .min(1, { error: 'is empty: leave it out, or state an image' })
    .refine(
      (images) => new Set(images.map((each) => lineOf(each.version ?? source.official.version))).size === images.length,
      {
        error: `has several images of one release line: state one for each of ${wordList(lines, 'or')}, with its version`,
      },
    );
  return { image, several };
}

/** One image, or a list with one for each release line. */
function imagesSchema(source: ImageSource) {
  const { image, several } = lineSchema(source);
  return z
    .unknown()
    .transform((given, context) => {
      const { data, error } = (Array.isArray(given) ? several : image).safeParse(given);
      for (const { path, message } of error?.issues ?? [])
        context.addIssue({ code: 'custom', path: [...path], message });
      return ([data ?? []].flat() as readonly Partial<EngineImage>[]).map((each) => completed(source, each));
    })
    .prefault(usualVersions(source).map((version) => ({ version })));
}
const schema = z.strictObject(Object.fromEntries(engineImages.map((each) => [each.name, imagesSchema(each)])));

/** Throws an Error that names each wrong field. */
export const parseImages = (text: string): EngineImages => parseSettings(schema, text);

/** The official images if there is no file. Throws `cannot read images FILE: ...`. */
export const readImages = (file: string | undefined): EngineImages =>
  file === undefined ? parseImages('{}') : readSettings('images', file, parseImages);

type Versioned = Pick<ClusterRecord, 'plugin_name' | 'bigdata_version'>;

/** That of its release line. The programs of jobs, and what starts them on the cluster, are in it. Throws if there is none. */
export function imageOfCluster(images: EngineImages, { plugin_name, bigdata_version }: Versioned): EngineImage {
  const source = engineImages.find(({ plugin }) => plugin === plugin_name);
  if (source === undefined) throw new Error(`there is no image for clusters of the plugin ${plugin_name}`);
  const { name, referenceOf } = source;
  const image = imagesOf(images, name).find(({ version }) => lineOf(version) === lineOf(bigdata_version));
  if (image === undefined)
    throw new Error(`there is no image of ${name} ${bigdata_version}: name one in the file of --engine-images`);
  if (image.reference !== referenceOf?.(image.version)) return image;
  return { ...image, reference: referenceOf(bigdata_version), version: bigdata_version };
}

/** That of the cluster, unless the process is one of another engine. */
export function imageOfProcess(
  images: EngineImages,
  cluster: Versioned,
  { image }: Pick<EngineProcess, 'image'>,
): EngineImage {
  const own = engineImages.find(({ plugin }) => plugin === cluster.plugin_name)?.name;
  return image === undefined || image === own ? imageOfCluster(images, cluster) : imageIn(images, image);
}

/** By plugin: the versions without an image, with what to do to get them. */
export const absentImages = (images: EngineImages): AbsentVersions =>
  Object.fromEntries(
    engineImages.map((source) => {
      const lines = imagesOf(images, source.name).map(({ version }) => lineOf(version));
      const absent = allVersions(source).filter((version) => !lines.includes(lineOf(version)));
      const remedy = `name an image of it as ${source.name} in the file of --engine-images, and restart the service`;
      return [source.plugin, Object.fromEntries(absent.map((version) => [version, remedy]))] as const;
    }),
  );
