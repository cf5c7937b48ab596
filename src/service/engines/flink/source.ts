// Where Flink comes from.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineSource } from '../homes/engine-source.ts';

const version = '2.3.0';
const wanted = '2.3';
/** As in the official archive. */
export const jarFolder = 'lib';

const logging = '2.24.3';

/** Not in the official archive: what it publishes has not been tried. */
export const flinkSource: EngineSource = {
  name: 'flink',
  title: 'Apache Flink',
  version,
  lines: [wanted],
  installed: 'by name',
  help: 'the Flink 2.3 that runs clusters; default: FLINK_HOME, or the one that npm run engines -- flink installs. Without one there is no Flink',
  variable: 'FLINK_HOME',
  maven: {
    dependencies: [
      `org.apache.flink:flink-runtime:${version}`,
      `org.apache.flink:flink-runtime-web:${version}`,
      `org.apache.flink:flink-clients:${version}`,
      `org.apache.flink:flink-streaming-java:${version}`,
      `org.apache.flink:flink-connector-files:${version}`,
      `org.apache.logging.log4j:log4j-core:${logging}`,
      `org.apache.logging.log4j:log4j-slf4j-impl:${logging}`,
    ],
    // A profiler with programs for three systems.
    exclusions: ['tools.profiler:async-profiler'],
    jars: jarFolder,
    files: {},
  },
  readVersion: readFlinkVersion,
  lacks: () => [],
};

/** The official archive has everything in one jar. */
function readFlinkVersion(folder: string): string {
  const jars = join(folder, jarFolder);
  const names = existsSync(jars) ? readdirSync(jars) : [];
  const [found] = names.flatMap((name) => /^flink-(?:dist|runtime)-(\d+\.\d+\.\d+)\.jar$/.exec(name)?.[1] ?? []);
  if (found === undefined) throw new Error(`it has no flink-dist-*.jar or flink-runtime-*.jar in ${jarFolder}`);
  return found;
}
