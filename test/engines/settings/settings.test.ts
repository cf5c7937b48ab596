// Every setting that the service writes into a configuration of an engine is one that the engine has. A misspelled one would have no effect, silently.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Engine, EngineNode, EngineRun } from '../../../src/service/engines/engine.ts';
import { createHadoop } from '../../../src/service/engines/hadoop/hadoop.ts';
import { hadoopJars, hadoopSources } from '../../../src/service/engines/hadoop/source.ts';
import { releaseOf } from '../../../src/service/engines/spark/releases.ts';
import { sparkSources } from '../../../src/service/engines/spark/source.ts';
import { createSpark } from '../../../src/service/engines/spark/spark.ts';
import { node, run } from '../../service/engines/run-of-a-job.ts';
import { findEngine } from '../engines.ts';
import { defaultsIn, namesIn } from './constants.ts';

const hadoops = hadoopSources.flatMap((source) => findEngine(source) ?? []);
const [hadoop] = hadoops;
const sparks = sparkSources.flatMap((source) => findEngine(source) ?? []);

const jarsIn = (folder: string, pattern: RegExp): readonly string[] =>
  readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));

/** A machine for each process, as the engine has them. */
function machinesOf(engine: Engine): readonly EngineNode[] {
  return engine.processes.map(({ name }, index) => {
    const machine = node(name, `127.77.1.${index + 1}`);
    return { ...machine, group: { ...machine.group, flavor_id: '3', node_processes: [name] } };
  });
}

const runs: readonly (readonly [type: string, Partial<EngineRun>])[] = [
  [
    'MapReduce',
    { mains: [], libs: ['/w/a.jar', '/w/b.jar'], configs: { 'mapred.mapper.class': 'A' }, input: 'hdfs:///i' },
  ],
  ['Pig', { input: 'hdfs:///i' }],
  ['Spark', { libs: ['/w/a.jar'], configs: { 'edp.java.main_class': 'Main' } }],
  ['Spark', { mains: ['/w/main.py'], libs: ['/w/words.py'] }],
  ['Hive', { mains: ['/w/main.sql'] }],
];

/** What the engine writes for its machines, and for runs on them, by the name of the file. */
function filesOf(engine: Engine): readonly (readonly [name: string, text: string])[] {
  const nodes = machinesOf(engine);
  const s3 = { settings: {}, classPath: [] };
  const machines = nodes.flatMap((each) =>
    engine.processes
      .filter(({ name }) => each.processes.includes(name))
      .map((process) => process.files?.(each, nodes) ?? {}),
  );
  const programs = runs.flatMap(([type, given]) =>
    engine.jobs
      .filter((job) => job.type === type)
      .map((job) => job.program(run({ nodes, s3, output: 'hdfs:///o', ...given })).files ?? {}),
  );
  return [...machines, ...programs].flatMap((files) => Object.entries(files));
}

/** The names in files of properties, and those of options whose default leaves them to the engine. */
function writtenBy(engine: Engine): readonly string[] {
  const inFiles = filesOf(engine).flatMap(([name, text]) => {
    if (name.endsWith('.xml')) return [...text.matchAll(/<name>([^<]+)<\/name>/g)].map(([, each = '']) => each);
    if (name.endsWith('.conf')) return text.split('\n').flatMap((line) => /^([^=]+)=/.exec(line)?.[1] ?? []);
    return [];
  });
  const options = [
    ...engine.options.filter(({ file }) => file !== undefined),
    ...engine.jobs.flatMap(({ hints }) => hints?.options ?? []),
  ];
  const names = new Set([...inFiles, ...options.map(({ name }) => name)]);
  return [...names].filter((name) => !name.startsWith('edp.')).toSorted();
}

/** Names that the engine puts together, with parts that are in its classes. */
const composed: Readonly<Record<string, readonly string[]>> = {
  'yarn.scheduler.capacity.root.queues': ['yarn.scheduler.capacity.', 'root', 'queues'],
  'yarn.scheduler.capacity.root.default.capacity': ['yarn.scheduler.capacity.', 'root', 'capacity'],
};

/** Only the connector for S3 has them, which is installed beside the engines. */
const ofConnector = ['fs.s3a.endpoint.region'];

const unknownIn = (names: readonly string[], known: ReadonlySet<string>): readonly string[] =>
  names.filter(
    (name) =>
      !known.has(name) && !ofConnector.includes(name) && !(composed[name]?.every((part) => known.has(part)) ?? false),
  );

describe.skipIf(hadoop === undefined || sparks.length === 0)('the settings that are written', () => {
  const hadoopHome = { folder: hadoop?.folder ?? '', java: hadoop?.java ?? '', javaHome: '/java' };
  const knownToHadoop = (jars: readonly string[]) =>
    new Set([...defaultsIn(jars), ...namesIn(jars, /^[a-z][\w-]*(\.[\w-]+)*\.?$/i)]);

  test.for(hadoops)('for Hadoop $version are settings of Hadoop', ({ folder, version }) => {
    const engine = createHadoop({ ...hadoopHome, folder, version, pig: undefined });
    const written = writtenBy(engine);
    expect(written).toEqual(expect.arrayContaining(['dfs.replication', 'mapreduce.job.tags', 'tmpjars']));
    const jars = hadoopJars(folder).flatMap((each) => jarsIn(each, /^hadoop-.*\.jar$/));
    const known = knownToHadoop(jars);
    expect(known).not.toContain('yarn.resourcemanager.nm.liveness-monitor.expiry-interval-ms');
    expect(unknownIn(written, known)).toEqual([]);
  });

  test.for(sparks)('for Spark $version are settings of Spark, or of its Hadoop and Hive', (spark) => {
    const { folder: root, java, version } = spark;
    const home = { folder: root, java, release: releaseOf(version), python: 'python3', hadoop: hadoopHome };
    const written = writtenBy(createSpark(home));
    expect(written).toEqual(expect.arrayContaining(['spark.cores.max', 'spark.executorEnv.SPARK_DIST_CLASSPATH']));
    const folder = join(home.folder, 'jars');
    const known = knownToHadoop([
      ...jarsIn(folder, /^(spark|hadoop-client-api|hive-common|hive-cli|hive-exec)[-_].*\.jar$/),
      ...hadoopJars(hadoopHome.folder).flatMap((each) => jarsIn(each, /^hadoop-(common|hdfs).*\.jar$/)),
    ]);
    const ownNames = written.map((name) => name.replace(/^spark\.hadoop\./, ''));
    const others = ownNames.filter((name) => !name.startsWith('spark.executorEnv.'));
    expect(unknownIn([...others, 'spark.executorEnv.'], known)).toEqual([]);
  });
});
