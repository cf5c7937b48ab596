// Where Hadoop comes from.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Digest } from '../../../lib/fetch/download.ts';
import { wordList } from '../../../lib/word-list.ts';
import { apacheUrls, type EngineSource, type MavenSet } from '../homes/engine-source.ts';
import { lineOf } from '../release-line.ts';

const jars = 'jars';

/** The folders of the official archive. */
export const distribution = ['common', 'common/lib', 'hdfs', 'hdfs/lib', 'yarn', 'yarn/lib', 'mapreduce'];

/** The folders with jars, in an installation by Maven or of the official archive. */
export const hadoopJars = (folder: string): readonly string[] =>
  existsSync(join(folder, jars))
    ? [join(folder, jars)]
    : distribution.map((part) => join(folder, 'share', 'hadoop', part)).filter((path) => existsSync(path));

interface HadoopRelease {
  readonly version: string;
  /** Of the official archive. Absent if only Maven installs it. */
  readonly archive?: Digest;
}

const releases: readonly [HadoopRelease, ...HadoopRelease[]] = [
  {
    version: '3.5.0',
    archive: {
      algorithm: 'sha512',
      hex: '04ab94496cc00c8b7a28d03f6308eff8d2a4e7f37a9da5e8e086e4d6fc990e7a94d661908f6a6136039536efb362614b8aecdef185b5fb8ed588f0b152c7aa16',
    },
  },
  { version: '3.4.2' },
];
const [usual] = releases;

const mavenOf = ({ version }: HadoopRelease): MavenSet => ({
  dependencies: [
    `org.apache.hadoop:hadoop-common:${version}`,
    `org.apache.hadoop:hadoop-hdfs:${version}`,
    `org.apache.hadoop:hadoop-yarn-server-resourcemanager:${version}`,
    `org.apache.hadoop:hadoop-yarn-server-nodemanager:${version}`,
    `org.apache.hadoop:hadoop-yarn-server-timelineservice:${version}`,
    `org.apache.hadoop:hadoop-mapreduce-client-jobclient:${version}`,
    `org.apache.hadoop:hadoop-mapreduce-client-shuffle:${version}`,
    `org.apache.hadoop:hadoop-mapreduce-client-hs:${version}`,
    // Not every repository has it for 3.5. This one runs on 3.5, too.
    'org.apache.hadoop:hadoop-streaming:3.4.2',
  ],
  exclusions: [],
  jars,
  files: {},
});

const archiveOf = ({ version, archive }: HadoopRelease): Pick<EngineSource, 'archive'> =>
  archive === undefined
    ? {}
    : { archive: { urls: apacheUrls(`hadoop/common/hadoop-${version}/hadoop-${version}.tar.gz`), digest: archive } };

const sourceOf = (release: HadoopRelease): EngineSource => ({
  name: 'hadoop',
  title: 'Apache Hadoop',
  version: release.version,
  lines: [lineOf(release.version)],
  installed: release === usual ? 'by default' : 'by name',
  help: `a Hadoop ${wordList(
    releases.map(({ version }) => lineOf(version)),
    'or',
  )} that runs clusters; default: the one of HADOOP_HOME, and those of other versions that are installed. Without one there is no Hadoop`,
  variable: 'HADOOP_HOME',
  ...archiveOf(release),
  maven: mavenOf(release),
  hadoopJars,
  readVersion: readHadoopVersion,
  lacks: () => [],
});

/** The first one is the default. */
export const hadoopSources = releases.map(sourceOf);
export const hadoopSource = sourceOf(usual);
export const hadoopVersions = releases.map(({ version }) => version);
export const olderHadoops = hadoopVersions.filter((version) => version !== usual.version);

function readHadoopVersion(folder: string): string {
  const names = hadoopJars(folder).flatMap((path) => readdirSync(path));
  const [found] = names.flatMap((name) => /^hadoop-common-(\d+\.\d+\.\d+)\.jar$/.exec(name)?.[1] ?? []);
  if (found === undefined) throw new Error('it has no hadoop-common-*.jar, neither in jars nor in share/hadoop/common');
  return found;
}
