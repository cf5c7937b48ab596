// Where Pig comes from, and its jobs: their scripts become jobs of MapReduce.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlatConfigs } from '../../../../wire/common.ts';
import { type EngineRun, nodesWith, type Program } from '../../engine.ts';
import type { EngineSource } from '../../homes/engine-source.ts';
import { onlyMain } from '../../jobs/common.ts';
import type { HadoopHome } from '../launch.ts';

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
  lines: ['0.17', '0.18'],
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
  // Names of entries are not compressed.
  if (pig.release.startsWith('0.18.') && !readFileSync(pig.file).includes(bundled))
    throw new Error(`${pig.file} lacks classes that it uses, as that of Maven repositories does: use Pig 0.17`);
  return pig.release;
}

/** What to do about these jobs where there are none. */
export function pigRemedy({ pig, image }: HadoopHome): Readonly<Record<string, string>> {
  if (pig !== undefined) return {};
  const why =
    image === undefined
      ? 'there is no Pig on this computer: install it with npm run engines -- pig, or name it with --pig, and restart the service'
      : 'clusters in pods have no Pig: write the script for Spark, or run it on a cluster of --provisioner processes';
  return { Pig: why };
}

/** A file of parameters. Pig replaces what begins with a dollar sign, also in values. */
function parametersOf({ params, input, output }: EngineRun): string {
  const refuse = (name: string, why: string) => new Error(`cannot run Pig job: params have ${name}, ${why}`);
  const data = { ...(input !== undefined && { INPUT: input }), ...(output !== undefined && { OUTPUT: output }) };
  const lines = Object.entries<FlatConfigs[string]>({ ...data, ...params }).map(([name, value]) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw refuse(name, 'which is no name of a parameter: rename it');
    const text = String(value);
    if (/[\r\n]/.test(text)) throw refuse(name, 'whose value has several lines: use one');
    return `${name} = "${text.replaceAll(/[\\"$]/g, '\\$&')}"\n`;
  });
  return lines.join('');
}

/** Pig asks the history server about each job of MapReduce. Where there is none, it waits two minutes for it. */
const hasty: FlatConfigs = { 'pig.stats.notaskreport': true, 'ipc.client.connect.retry.interval': 100 };

/** A program of Hadoop, with the configuration of the cluster and these settings. */
type ClientOf = (
  run: EngineRun,
  program: { main: string; args: readonly string[]; libs: readonly string[] },
) => Program;

/** The libs are beside the script. `folder`: that of Pig. */
export function pigProgram(folder: string, run: EngineRun, clientOf: ClientOf): Program {
  const script = onlyMain(run, 'Pig', 'the script');
  const file = join('.hadoop', 'parameters');
  const parameters = ['-param_file', join(run.folder, file)];
  const configs = { ...(nodesWith(run.nodes, 'historyserver').length === 0 && hasty), ...run.configs };
  const client = clientOf(
    { ...run, configs, libs: [] },
    {
      main: 'org.apache.pig.Main',
      args: ['-x', 'mapreduce', ...parameters, ...run.args, '-f', script],
      libs: pigJars(folder).map((path) => join(path, '*')),
    },
  );
  return { ...client, files: { ...client.files, [file]: parametersOf(run) } };
}
