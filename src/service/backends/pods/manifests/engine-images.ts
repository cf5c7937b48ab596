// The images of the engines, as the file of --engine-images names them.
import { z } from 'zod';
import { parseSettings, readSettings } from '../../../../lib/settings-file.ts';
import type { EngineProcess } from '../../../engines/engine.ts';
import { type EngineImage, type EngineImages, type ImageSource, imageIn } from '../../../engines/image.ts';
import { engineImages } from '../../../engines/index.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';

const path = z.string().regex(/^\/[\w./+-]*$/, { error: 'is not an absolute path' });
const imageOf = ({ name, official, extras }: ImageSource) => {
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
  return fields
    .partial()
    .refine(({ reference, ...others }) => !('s3a' in others) || reference !== undefined, {
      path: ['s3a'],
      error: 'is not in the image of Apache: state the reference of an image that has this folder',
    })
    .optional();
};
const schema = z.strictObject(Object.fromEntries(engineImages.map((each) => [each.name, imageOf(each)])));

/** What the file leaves out is that of the official image. Throws an Error that names each wrong field. */
export function parseImages(text: string): EngineImages {
  const given = parseSettings(schema, text);
  const of = (name: string) => given[name] as Partial<EngineImage> | undefined;
  return Object.fromEntries(engineImages.map(({ name, official }) => [name, { ...official, ...of(name) }]));
}

/** The official images if there is no file. Throws `cannot read images FILE: ...`. */
export const readImages = (file: string | undefined): EngineImages =>
  file === undefined ? parseImages('{}') : readSettings('images', file, parseImages);

type Versioned = Pick<ClusterRecord, 'plugin_name' | 'bigdata_version'>;

/** The programs of jobs, and what starts them on the cluster. Throws if no engine runs the plugin. */
export function imageOfCluster(images: EngineImages, { plugin_name, bigdata_version }: Versioned): EngineImage {
  const source = engineImages.find(({ plugin }) => plugin === plugin_name);
  if (source === undefined) throw new Error(`there is no image for clusters of the plugin ${plugin_name}`);
  const { name, official, referenceOf } = source;
  const image = imageIn(images, name);
  if (referenceOf === undefined || image.reference !== official.reference) return image;
  return { ...image, reference: referenceOf(bigdata_version), version: bigdata_version };
}

export const imageOfProcess = (
  images: EngineImages,
  cluster: Versioned,
  { image }: Pick<EngineProcess, 'image'>,
): EngineImage => (image === undefined ? imageOfCluster(images, cluster) : imageIn(images, image));
