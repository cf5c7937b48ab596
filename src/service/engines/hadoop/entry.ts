// Hadoop in the registry of engines. Other engines have their HDFS from it.
import { join } from 'node:path';
import type { EngineEntry, Host } from '../engine-entry.ts';
import { javaHomeOf } from '../homes/java.ts';
import { type EngineImage, type EngineImages, imageIn, imagesOf } from '../image.ts';
import { createHadoop } from './hadoop.ts';
import { pigSource } from './jobs/pig.ts';
import type { HadoopHome } from './launch.ts';
import { simulatedHadoop } from './simulated.ts';
import { distribution, hadoopSource, hadoopSources, olderHadoops } from './source.ts';
import { localUser } from './user.ts';

const { name, version } = hadoopSource;

/** All that are on this computer, the default version first. */
const homesOnHost = ({ homes, java, javaHome, cache, metrics }: Host): readonly HadoopHome[] =>
  (homes.get(name) ?? []).map(({ folder, version: installed }) => {
    const pig = homes.get(pigSource.name)?.[0]?.folder;
    return { folder, version: installed, java, javaHome, cache, metrics, pig };
  });

/** The one that other engines have HDFS from. Undefined if there is none on this computer. */
export const hadoopOnHost = (host: Host): HadoopHome | undefined => homesOnHost(host)[0];

function homeInImage({ home, java, version: installed }: EngineImage, metrics: boolean | undefined): HadoopHome {
  const jars = join(home, 'share', 'hadoop');
  return {
    folder: home,
    version: installed,
    java,
    javaHome: javaHomeOf(java),
    metrics,
    image: {
      jars: distribution.map((part) => join(jars, part)),
      streaming: join(jars, 'tools', 'lib', `hadoop-streaming-${installed}.jar`),
    },
  };
}

/** The one that other engines have HDFS from, like `imageIn`. */
export const hadoopInImage = (images: EngineImages, metrics?: boolean): HadoopHome =>
  homeInImage(imageIn(images, name), metrics);

export const hadoopEntry: EngineEntry = {
  plugin: 'vanilla',
  sources: [...hadoopSources, pigSource],
  variables: ['HADOOP_', 'HDFS_', 'YARN_', 'MAPRED_', 'JAVA_HOME'],
  image: {
    name,
    official: {
      reference: `docker.io/apache/hadoop:${version}`,
      home: '/opt/hadoop',
      java: '/usr/lib/jvm/jre/bin/java',
      user: 1000,
      version,
    },
    // Not every official image of 3.4 has the Java 17 that its programs are started with.
    unofficial: olderHadoops,
    extras: [],
  },
  checkHost: localUser,
  onHost: (host) =>
    homesOnHost(host).map((home) => ({
      engine: createHadoop(home, host.flavors),
      version: home.version ?? version,
    })),
  inImage: (images, flavors, metrics) =>
    imagesOf(images, name).map((image) => ({
      engine: createHadoop(homeInImage(image, metrics), flavors),
      version: image.version,
    })),
  simulated: simulatedHadoop,
};
