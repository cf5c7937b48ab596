// Where Pig comes from.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineSource } from '../homes/source.ts';

const version = '0.17.0';
const jars = 'lib';

/** The folders with jars, in an installation by Maven or of the official archive. */
export const pigJars = (folder: string): readonly string[] =>
  [folder, join(folder, jars), join(folder, jars, 'h2'), join(folder, jars, 'h3')].filter((path) => existsSync(path));

/** Not in the official archive: what it publishes has not been tried. */
export const pigSource: EngineSource = {
  name: 'pig',
  title: 'Apache Pig',
  version,
  installed: 'by name',
  help: 'the Pig 0.17 or 0.18 for its jobs; default: PIG_HOME, or the one that npm run engines -- pig installs. Without one there are no jobs of the type Pig',
  variable: 'PIG_HOME',
  maven: {
    dependencies: [`org.apache.pig:pig:${version}`],
    // Those of Hadoop come from the installation that runs the cluster.
    exclusions: [
      'org.apache.hadoop:*',
      'org.apache.hive:*',
      'junit:junit',
      'org.mortbay.jetty:*',
      'net.java.dev.jets3t:*',
    ],
    jars,
    files: {},
  },
  readVersion: readPigVersion,
  lacks: () => [],
};

/** Pig 0.18 contains a library under a name of its own, which its jar in Maven repositories has lost. */
const bundled = 'org/apache/pig/org/roaringbitmap/RoaringBitmap.class';

function readPigVersion(folder: string): string {
  const files = pigJars(folder).flatMap((path) => readdirSync(path).map((name) => join(path, name)));
  const found = files.flatMap((file) => {
    const [, release] = /\/pig-(\d+\.\d+\.\d+)(?:-core-h\d)?\.jar$/.exec(file) ?? [];
    return release === undefined ? [] : [{ file, release }];
  });
  const [pig] = found;
  if (pig === undefined) throw new Error('it has no pig-*.jar, neither in itself nor in lib');
  if (!/^0\.1[78]\./.test(pig.release)) throw new Error(`it is version ${pig.release}, and Pig 0.17 or 0.18 is needed`);
  // Names of entries are not compressed.
  if (pig.release.startsWith('0.18.') && !readFileSync(pig.file).includes(bundled))
    throw new Error(`${pig.file} lacks classes that it uses, as that of Maven repositories does: use Pig 0.17`);
  return pig.release;
}
