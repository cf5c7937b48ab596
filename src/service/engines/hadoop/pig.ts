// Jobs of the type Pig: their scripts become jobs of MapReduce.
import { join } from 'node:path';
import type { FlatConfigs } from '../../../wire/common.ts';
import { onlyMain } from '../common-jobs.ts';
import { type EngineRun, nodesWith, type Program } from '../engine.ts';
import type { HadoopHome } from './launch.ts';
import { pigJars } from './pig-source.ts';

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
