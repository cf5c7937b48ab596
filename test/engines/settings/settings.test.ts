// Every setting that the service writes into a configuration of an engine is one that the engine has. A misspelled one would have no effect, silently.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Engine, EngineNode, EngineRun } from '../../../src/service/engines/engine.ts';
import { createFlink } from '../../../src/service/engines/flink/flink.ts';
import { flinkSource, jarFolder } from '../../../src/service/engines/flink/source.ts';
import { createHadoop } from '../../../src/service/engines/hadoop/hadoop.ts';
import { pigJars, pigSource } from '../../../src/service/engines/hadoop/jobs/pig.ts';
import { hadoopJars, hadoopSources } from '../../../src/service/engines/hadoop/source.ts';
import { setUpS3 } from '../../../src/service/engines/s3/setup.ts';
import { s3aJars } from '../../../src/service/engines/s3a/jars.ts';
import { s3aFile, s3aKeysFile } from '../../../src/service/engines/s3a/s3a-options.ts';
import { releaseOf } from '../../../src/service/engines/spark/releases.ts';
import { sparkSources } from '../../../src/service/engines/spark/source.ts';
import { createSpark } from '../../../src/service/engines/spark/spark.ts';
import { node, run } from '../../service/engines/run-of-a-job.ts';
import { findEngine, findS3aPart } from '../engines.ts';
import { defaultsIn, namesIn } from './constants.ts';

const hadoops = hadoopSources.flatMap((source) => findEngine(source) ?? []);
const [hadoop] = hadoops;
const pig = findEngine(pigSource);
const flink = findEngine(flinkSource);
/** The folder with the connector for S3, which is installed beside the engines. */
const s3a = findS3aPart();
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

const keys = { 'access.key': 'key', 'secret.key': 'key', 'session.token': 'token' };
const region = { 'endpoint.region': 'eu-central-1', 'path.style.access': 'true', 'connection.ssl.enabled': 'false' };
/** All that a run with data in S3 gets, also for single buckets. Without the connector, nobody knows its settings. */
const ofS3 = {
  ...setUpS3({ cluster: region, job: keys, buckets: new Map([['logs', { endpoint: 'http://127.0.0.1:9000' }]]) })
    .settings,
  [s3aKeysFile]: '/w/keys',
};
const s3 = { settings: s3a === undefined ? {} : ofS3, classPath: [] };

const runs: readonly (readonly [type: string, Partial<EngineRun>])[] = [
  [
    'MapReduce',
    { mains: [], libs: ['/w/a.jar', '/w/b.jar'], configs: { 'mapred.mapper.class': 'A' }, input: 'hdfs:///i' },
  ],
  [
    'MapReduce.Streaming',
    {
      mains: [],
      libs: ['/w/map.py'],
      configs: { 'edp.streaming.mapper': 'cat', 'edp.streaming.reducer': 'wc' },
      input: 'hdfs:///i',
    },
  ],
  ['Pig', { input: 'hdfs:///i' }],
  ['Spark', { libs: ['/w/a.jar'], configs: { 'edp.java.main_class': 'Main' } }],
  ['Spark', { mains: ['/w/main.py'], libs: ['/w/words.py'] }],
  ['Hive', { mains: ['/w/main.sql'] }],
  // Of Flink. That of other engines has no settings.
  ['Java', { mains: [], libs: ['/w/a.jar'], configs: { 'edp.java.main_class': 'Main' } }],
];

/** What the engine writes for its machines, and for runs on them, by the name of the file. */
function filesOf(engine: Engine): readonly (readonly [name: string, text: string])[] {
  const nodes = machinesOf(engine);
  const machines = nodes.flatMap((each) =>
    engine.processes
      .filter(({ name }) => each.processes.includes(name))
      .map((process) => process.files?.(each, nodes) ?? {}),
  );
  // Where there is no history server, jobs of Pig get more settings.
  const clusters = [nodes, nodes.filter(({ processes }) => !processes.includes('historyserver'))];
  const programs = runs.flatMap(([type, given]) =>
    engine.jobs
      .filter((job) => job.type === type)
      .flatMap((job) =>
        clusters.map((each) => job.program(run({ nodes: each, s3, output: 'hdfs:///o', ...given })).files ?? {}),
      ),
  );
  return [...machines, ...programs].flatMap((files) => Object.entries(files));
}

/** The names in files of properties, and those of options whose default leaves them to the engine. */
function writtenBy(engine: Engine): readonly string[] {
  const inFiles = filesOf(engine).flatMap(([name, text]) => {
    if (name.endsWith('.xml')) return [...text.matchAll(/<name>([^<]+)<\/name>/g)].map(([, each = '']) => each);
    if (name.endsWith('.yaml')) return [...text.matchAll(/^"([^"]+)": /gm)].map(([, each = '']) => each);
    if (name.endsWith('.conf')) return text.split('\n').flatMap((line) => /^([^=]+)=/.exec(line)?.[1] ?? []);
    return [];
  });
  const options = [
    ...engine.options.filter(({ file }) => file !== undefined && (file !== s3aFile || s3a !== undefined)),
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

/** A setting of metrics has words of its own: `*` or a process, `sink` or `source`, a name that Spark has, and what it is. */
function partsOf(name: string): readonly string[] {
  const [, rest] = /^spark\.metrics\.conf\.(.*)$/.exec(name) ?? [];
  const words = rest?.split('.').filter((word) => !['*', 'sink', 'source'].includes(word));
  return words === undefined ? [name.replace(/^fs\.s3a\.bucket\.[^.]+\./, 'fs.s3a.')] : words;
}

const unknownIn = (names: readonly string[], known: ReadonlySet<string>): readonly string[] =>
  names
    .flatMap(partsOf)
    .filter((name) => !known.has(name) && !(composed[name]?.every((part) => known.has(part)) ?? false));

const dotted = /^[a-z$][\w-]*(\.[\w-]+)*\.?$/i;

describe.skipIf(flink === undefined)('the settings that are written for Flink', () => {
  test('are settings of Flink', () => {
    const { folder = '', java = '' } = flink ?? {};
    const written = writtenBy(createFlink({ folder, java }));
    const own = ['jobmanager.rpc.address', 'taskmanager.numberOfTaskSlots', 'client.heartbeat.interval'];
    expect(written).toEqual(expect.arrayContaining(own));
    const known = namesIn(jarsIn(join(folder, jarFolder), /^flink-(?!shaded).*\.jar$/), dotted);
    expect(known).not.toContain('taskmanager.numberOfTaskSlot');
    expect(unknownIn(written, known)).toEqual([]);
  });
});

describe.skipIf(hadoop === undefined || sparks.length === 0)('the settings that are written', () => {
  const connector = s3a === undefined ? [] : jarsIn(join(s3a, s3aJars), /^hadoop-aws-.*\.jar$/);
  const hadoopHome = { metrics: true, folder: hadoop?.folder ?? '', java: hadoop?.java ?? '', javaHome: '/java' };
  const knownToHadoop = (jars: readonly string[]) => new Set([...defaultsIn(jars), ...namesIn(jars, dotted)]);

  test.for(hadoops)('for Hadoop $version are settings of Hadoop', ({ folder, version }) => {
    const engine = createHadoop({ ...hadoopHome, folder, version, pig: pig?.folder });
    const written = writtenBy(engine);
    expect(written).toEqual(expect.arrayContaining(['dfs.replication', 'mapreduce.job.tags', 'tmpjars']));
    const parts = [...(pig === undefined ? [] : ['pig.stats.notaskreport']), ...Object.keys(s3.settings)];
    const more = ['hadoop.prometheus.endpoint.enabled', ...parts];
    expect(written).toEqual(expect.arrayContaining(more));
    const jars = hadoopJars(folder).flatMap((each) => jarsIn(each, /^hadoop-.*\.jar$/));
    const known = knownToHadoop([
      ...jars,
      ...connector,
      ...pigJars(pig?.folder ?? '/none').flatMap((each) => jarsIn(each, /^pig-.*\.jar$/)),
    ]);
    expect(known).not.toContain('yarn.resourcemanager.nm.liveness-monitor.expiry-interval-ms');
    expect(unknownIn(written, known)).toEqual([]);
  });

  test.for(sparks)('for Spark $version are settings of Spark, or of its Hadoop and Hive', (spark) => {
    const { folder: root, java, version } = spark;
    const home = {
      folder: root,
      java,
      release: releaseOf(version),
      python: 'python3',
      hadoop: hadoopHome,
      metrics: true,
    };
    const written = writtenBy(createSpark(home));
    expect(written).toEqual(expect.arrayContaining(['spark.cores.max', 'spark.executorEnv.SPARK_DIST_CLASSPATH']));
    const folder = join(home.folder, 'jars');
    const known = knownToHadoop([
      ...jarsIn(folder, /^(spark|hadoop-client-api|hive-common|hive-cli|hive-exec)[-_].*\.jar$/),
      ...connector,
      ...hadoopJars(hadoopHome.folder).flatMap((each) => jarsIn(each, /^hadoop-(common|hdfs).*\.jar$/)),
    ]);
    const ownNames = written.map((name) => name.replace(/^spark\.hadoop\./, ''));
    const others = ownNames.filter((name) => !name.startsWith('spark.executorEnv.'));
    expect(unknownIn([...others, 'spark.executorEnv.'], known)).toEqual([]);
  });
});
