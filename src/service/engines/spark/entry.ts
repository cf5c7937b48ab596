// Spark in the registry of engines.
import type { EngineEntry, Host, OfferedEngine } from '../engine-entry.ts';
import type { Flavor } from '../flavors.ts';
import { hadoopInImage, hadoopOnHost } from '../hadoop/entry.ts';
import { localUser } from '../hadoop/user.ts';
import { isNoOlder } from '../homes/python.ts';
import { type EngineImages, imagesOf } from '../image.ts';
import { releaseOf, sparkReleases } from './releases.ts';
import { simulatedSpark } from './simulated.ts';
import { sparkSource, sparkSources } from './source.ts';
import { createSpark } from './spark.ts';

const { name, version } = sparkSource;
const referenceOf = (wanted: string): string => `docker.io/apache/spark:${wanted}${releaseOf(wanted).imageTag ?? ''}`;

function onHost(host: Host): readonly OfferedEngine[] {
  const { homes, java, python, cache, flavors, metrics, historyKeys } = host;
  return (homes.get(name) ?? []).map(({ folder, version: installed }) => {
    const release = releaseOf(installed);
    const own = python !== undefined && isNoOlder(python.version, release.oldestPython) ? python.file : undefined;
    const home = { folder, release, java, python: own, hadoop: hadoopOnHost(host), cache, metrics, historyKeys };
    return { engine: createSpark(home, flavors), version: installed };
  });
}

function inImage(images: EngineImages, flavors: readonly Flavor[], metrics?: boolean): readonly OfferedEngine[] {
  return imagesOf(images, name).map(({ home: folder, java, python, s3a, version: installed }) => {
    const release = releaseOf(installed);
    const hadoop = hadoopInImage(images, metrics);
    const home = { folder, release, java, python, s3a, isImage: true, hadoop, metrics };
    return { engine: createSpark(home, flavors), version: installed };
  });
}

export const sparkEntry: EngineEntry = {
  plugin: 'spark',
  sources: sparkSources,
  variables: ['SPARK_', 'PYSPARK_'],
  image: {
    name,
    official: {
      reference: referenceOf(version),
      home: '/opt/spark',
      java: '/opt/java/openjdk/bin/java',
      python: '/usr/bin/python3',
      user: 185,
      version,
    },
    versions: sparkReleases.map((release) => release.version),
    extras: ['python', 's3a'],
    // Programs and processes of Spark need the same version.
    referenceOf,
  },
  memorySetting: 'spark.driver.memory',
  checkHost: localUser,
  onHost,
  inImage,
  simulated: simulatedSpark,
};
