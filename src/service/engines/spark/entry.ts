// Spark in the registry of engines.
import type { EngineEntry, Host, OfferedEngine } from '../engine-entry.ts';
import type { Flavor } from '../flavors.ts';
import { hadoopInImage, hadoopOnHost } from '../hadoop/entry.ts';
import { localUser } from '../hadoop/user.ts';
import { type EngineImages, imageIn } from '../image.ts';
import { simulatedSpark } from './simulated.ts';
import { sparkSource } from './source.ts';
import { createSpark } from './spark.ts';

const { name, version } = sparkSource;
const referenceOf = (wanted: string): string => `docker.io/apache/spark:${wanted}`;

function onHost(host: Host): OfferedEngine | undefined {
  const { homes, java, python, cache, flavors, metrics } = host;
  const found = homes.get(name);
  if (found === undefined) return undefined;
  const home = { folder: found.folder, java, python, hadoop: hadoopOnHost(host), cache, metrics };
  return { engine: createSpark(home, flavors), version: found.version };
}

function inImage(images: EngineImages, flavors: readonly Flavor[], metrics?: boolean): OfferedEngine {
  const { home: folder, java, python, s3a, version: installed } = imageIn(images, name);
  const home = { folder, java, python, s3a, isImage: true, hadoop: hadoopInImage(images, metrics), metrics };
  return { engine: createSpark(home, flavors), version: installed };
}

export const sparkEntry: EngineEntry = {
  plugin: 'spark',
  sources: [sparkSource],
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
