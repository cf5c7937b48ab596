// The bundled service with its clusters in pods of the node of the tests: the images of the engines, and what is left of a cluster.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { KubernetesObject } from '@kubernetes/client-node';
import { inject } from 'vitest';
import { buildEngineImages } from '../../../dev/image/engines.ts';
import { buildProduct } from '../../../dev/image/product.ts';
import { importImage } from '../../../dev/plane/node/images.ts';
import { cacheRoot } from '../../../src/lib/fetch/cache.ts';
import { flinkSource } from '../../../src/service/engines/flink/source.ts';
import { hadoopSource } from '../../../src/service/engines/hadoop/source.ts';
import { engineCache, lookNear } from '../../../src/service/engines/homes/find.ts';
import { hadoopVersionIn, s3aFolder } from '../../../src/service/engines/s3a/jars.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { openSceneOf, type Scene, sparkCluster, type Wanted } from '../../engines/support.ts';
import { openServiceAccount } from './account.ts';
import { cluster } from './cluster.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
const runnerImage = 'localhost/dataprocessing-operator:test';

/** Why there are no clusters in pods here, or undefined. */
export function findObstacle(): string | undefined {
  if (inject('podsKubeconfig') === '') return 'there is no cluster';
  if (inject('podsDirectory') === '') return 'the cluster of TEST_KUBECONFIG does not have the images of the engines';
  const missing = [sparkSource, hadoopSource].filter((source) => lookNear(source, process.env) === undefined);
  return missing.length === 0 ? undefined : `npm run engines installs ${missing.map(({ name }) => name).join(' and ')}`;
}

/** The jars for S3 that fit Spark. Undefined if they are not installed. */
export function findS3Jars(): string | undefined {
  const spark = lookNear(sparkSource, process.env);
  const version = spark && hadoopVersionIn([join(spark.folder, 'jars')]);
  const folder = version && s3aFolder(engineCache(process.env), version);
  return folder !== undefined && existsSync(folder) ? folder : undefined;
}

/** Builds the images, unless they are there, and imports them into the node of the plane. */
export async function importEnginesInto(plane: string): Promise<void> {
  const [spark, hadoop] = [lookNear(sparkSource, process.env), lookNear(hadoopSource, process.env)];
  const flink = lookNear(flinkSource, process.env);
  if (spark === undefined || hadoop === undefined) throw new Error('the engines are not on this computer');
  const s3a = findS3Jars();
  const folder = join(
    cacheRoot(process.env),
    'engine-images',
    `official-${spark.version}-${hadoop.version}-${flink === undefined ? '' : `flink-${flink.version}-`}${s3a === undefined ? '' : 's3a-'}${architecture}`,
  );
  const folders = { spark: spark.folder, hadoop: hadoop.folder, flink: flink?.folder, s3a };
  const archives = await buildEngineImages(folders, folder, architecture);
  const file = join(plane, 'service.tar');
  await buildProduct({ root, name: runnerImage, architectures: [architecture], file, print: () => undefined });
  for (const archive of [...Object.values(archives), file]) await importImage(plane, archive);
}

/** The same for the node that all tests share. */
export const importEngines = async (): Promise<void> => importEnginesInto(inject('podsDirectory'));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('there is no port');
  return address.port;
}

/** A cluster of one master and so many workers, of the Spark that is in the image. */
export const sparkInPods = (workers: number): Wanted =>
  sparkCluster(lookNear(sparkSource, process.env)?.version ?? '', workers);

/** Where the pods are: by default in the cluster that all tests share. `host` is the address at which they reach this computer. */
interface Place {
  readonly kubeconfig?: string;
  readonly host?: string;
  /** The kubeconfig of something between the service and the API server. It gets that of the service. */
  readonly through?: (kubeconfig: string) => Promise<string>;
  /** The API server is restarted meanwhile. */
  readonly isRestarted?: boolean;
}

/** The service on this computer, which makes its clusters in the namespace, with the permissions of an installation. */
export async function openPodScene(
  namespace: string,
  flags: readonly string[] = [],
  { kubeconfig = inject('podsKubeconfig'), host = inject('podsHost'), through, isRestarted }: Place = {},
): Promise<Scene> {
  const port = await freePort();
  const account = await openServiceAccount(kubeconfig, namespace, isRestarted);
  const used = through === undefined ? account : await through(account);
  return await openSceneOf(() => [
    '--provisioner',
    'kubernetes',
    '--kubeconfig',
    used,
    '--namespace',
    namespace,
    '--runner-image',
    runnerImage,
    '--runner-port',
    String(port),
    '--runner-url',
    `http://${host}:${port}`,
    ...flags,
  ]);
}

const kinds = [
  ['apps/v1', 'StatefulSet'],
  ['batch/v1', 'Job'],
  ['v1', 'Pod'],
  ['v1', 'Service'],
  ['v1', 'Secret'],
  ['v1', 'PersistentVolumeClaim'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
] as const;

/** Whatever the service has made in the namespace and is still there. */
export async function leftInPods(namespace: string): Promise<readonly string[]> {
  const lists = kinds.map(async ([apiVersion, kind]) => {
    const { items } = await cluster().objects.list<KubernetesObject>(apiVersion, kind, namespace);
    return items.map(({ metadata }) => `${kind} ${metadata?.name}`);
  });
  return (await Promise.all(lists)).flat();
}
