// The images of the engines: where the programs are in them, and who runs them.
import { z } from 'zod';
import { parseSettings, readSettings } from '../../../../lib/settings-file.ts';
import type { EngineProcess } from '../../../engines/engine.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';

export interface EngineImage {
  /** Complete, with the host of its registry. */
  readonly reference: string;
  /** The folder of the installation, as the official archive has it. */
  readonly home: string;
  readonly java: string;
  /** A number, so that Kubernetes can verify that it is not root. Hadoop wants it to have a name in the image. */
  readonly user: number;
  /** The interpreter of programs in Python. Only Spark has one. */
  readonly python?: string | undefined;
  /** The folder with the jars that S3 needs. Only an image of Spark can have one, and that of Apache does not. */
  readonly s3a?: string | undefined;
  /** The version that is in it, for the names of jars. */
  readonly version: string;
}

export interface EngineImages {
  readonly spark: EngineImage;
  readonly hadoop: EngineImage;
}

const officialSpark = 'docker.io/apache/spark';

const official: EngineImages = {
  spark: {
    reference: `${officialSpark}:4.1.2`,
    home: '/opt/spark',
    java: '/opt/java/openjdk/bin/java',
    python: '/usr/bin/python3',
    user: 185,
    version: '4.1.2',
  },
  hadoop: {
    reference: 'docker.io/apache/hadoop:3.5.0',
    home: '/opt/hadoop',
    java: '/usr/lib/jvm/jre/bin/java',
    user: 1000,
    version: '3.5.0',
  },
};

const path = z.string().regex(/^\/[\w./+-]*$/, { error: 'is not an absolute path' });
const image = z.strictObject({
  reference: z.string().regex(/^[\w.-]+(:\d+)?\/[\w./-]+(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/, {
    error: 'is not a complete reference such as registry.example/spark:4.1.2',
  }),
  home: path,
  java: path,
  python: path.optional(),
  s3a: path.optional(),
  user: z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  version: z.string().regex(/^\d+\.\d+\.\d+$/, { error: 'is not a version such as 4.1.2' }),
});
const schema = z.strictObject({
  spark: image
    .partial()
    .refine(({ s3a, reference }) => s3a === undefined || reference !== undefined, {
      path: ['s3a'],
      error: 'is not in the image of Apache: state the reference of an image that has this folder',
    })
    .optional(),
  hadoop: image.omit({ python: true, s3a: true }).partial().optional(),
});

const completed = (usual: EngineImage, given: z.output<typeof schema>['spark'] = {}): EngineImage => ({
  reference: given.reference ?? usual.reference,
  home: given.home ?? usual.home,
  java: given.java ?? usual.java,
  python: given.python ?? usual.python,
  s3a: given.s3a,
  user: given.user ?? usual.user,
  version: given.version ?? usual.version,
});

/** What the file leaves out is that of the official image. Throws an Error that names each wrong field. */
export function parseImages(text: string): EngineImages {
  const { spark, hadoop } = parseSettings(schema, text);
  return { spark: completed(official.spark, spark), hadoop: completed(official.hadoop, hadoop) };
}

/** The official images if there is no file. Throws `cannot read images FILE: ...`. */
export const readImages = (file: string | undefined): EngineImages =>
  file === undefined ? official : readSettings('images', file, parseImages);

type Versioned = Pick<ClusterRecord, 'plugin_name' | 'bigdata_version'>;

/**
 * The programs of jobs, and what starts them on the cluster. Programs and processes of Spark need the same version, so without another image
 * a cluster keeps that of its own version when a later service has a newer one.
 */
export function imageOfCluster(
  { spark, hadoop }: EngineImages,
  { plugin_name, bigdata_version }: Versioned,
): EngineImage {
  if (plugin_name !== 'spark') return hadoop;
  const isOfficial = spark.reference === official.spark.reference;
  return isOfficial ? { ...spark, reference: `${officialSpark}:${bigdata_version}`, version: bigdata_version } : spark;
}

/** HDFS beside Spark is that of Hadoop. */
export const imageOfProcess = (
  images: EngineImages,
  cluster: Versioned,
  { target }: Pick<EngineProcess, 'target'>,
): EngineImage => (target === 'HDFS' ? images.hadoop : imageOfCluster(images, cluster));
