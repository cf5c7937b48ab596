// Jobs of the type Hive: scripts that Spark SQL runs on the cluster. Their tables outlive them, and go with the cluster.
import { join } from 'node:path';
import type { FlatConfigs } from '../../../../wire/common.ts';
import {
  type EngineHints,
  type EngineJob,
  type EngineNode,
  type EngineRun,
  nodesWith,
  type Program,
} from '../../engine.ts';
import { checkNames, onlyMain } from '../../jobs/common.ts';
import { createMeant } from '../../known-settings.ts';
import { hiveSettings } from '../hive-settings.ts';
import { ports, type SparkHome } from '../launch.ts';
import { driverPages } from '../metrics.ts';
import { sparkJobOptions } from '../options.ts';
import { s3aOf } from '../s3a.ts';
import { completeRemedy, hasHive } from '../source.ts';
import { hiveNames } from './hive-names.ts';
import { checkScript } from './hive-script.ts';
import { observe } from './observe.ts';
import { packagesOf } from './packages.ts';
import { checkConfigs, sparkPages, submitOf, temporaryOf } from './submit.ts';

const type = 'Hive';
const meantInHive = createMeant(hiveNames);
const tableForm = 'spark.sql.legacy.createHiveTableByDefault';
const main = 'org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver';

/** What Spark takes for a setting of Hive. Those with `spark.hive.` win over those with `spark.hadoop.`. */
const namesOf = (name: string): readonly string[] => [
  name,
  `spark.hadoop.${name}`,
  ...(name.startsWith('hive.') ? [`spark.${name}`] : []),
];

/** Settings of the metastore and of the folders of Hive. */
const reserved = [
  'spark.sql.warehouse.dir',
  'spark.sql.catalogImplementation',
  'spark.sql.hive.metastore.',
  'spark.redaction.regex',
  'spark.sql.redaction.options.regex',
  ...[
    'hive.metastore.',
    'hive.exec.scratchdir',
    'hive.exec.local.scratchdir',
    'hive.querylog.location',
    'javax.jdo.',
  ].flatMap(namesOf),
];

/** DataNucleus keeps the metastore. It ignores the case of its names, and has others for those of `javax.jdo.option.`. */
const ofMetastore =
  /^spark\.hadoop\.(javax\.jdo\.|datanucleus\.connection(url|drivername|username|password|factory2?(name)?)$)/i;

function checkMetastore(configs: FlatConfigs): void {
  const taken = Object.keys(configs).find((name) => ofMetastore.test(name));
  if (taken !== undefined)
    throw new Error(
      `cannot run Hive job: configs have ${taken}, which Hive takes for one of javax.jdo., which the service sets: leave it out`,
    );
}

/** The folder of the metastore, on the machine of the master, of which a cluster has exactly one. */
const placeOf = (master: EngineNode): string => join(master.folder, 'hive');

/**
 * What Spark hides, of settings and of variables: it puts `*********(redacted)` in their place, also in the statements of the script. Its own patterns hide each
 * variable whose name or value has `secret`, `password`, `token` or `url` in it. These hide settings with secrets, and whatever looks like the name of one.
 */
const hidden = {
  'spark.redaction.regex':
    '^((spark|hive|javax|fs)\\.[\\s\\S]*(secret|password|token|access[.]?key)|(secret|password|token|access[.]?key)(?![\\s\\S]))',
  'spark.sql.redaction.options.regex': '^url(?![\\s\\S])',
} as const;
const isHidden = (text: string): boolean =>
  Object.values(hidden).some((pattern) => new RegExp(pattern, 'i').test(text));

/** A variable for the first half of a reference: Spark replaces references in values, too, but not what becomes one. */
const dollar = 'DATAPROCESSING_DOLLAR';

function checkParam(name: string, value: string): void {
  const refuse = (why: string) => new Error(`cannot run Hive job: params have ${name}, ${why}`);
  if (!/^[A-Za-z_][\w.]*$/.test(name)) throw refuse('which is no name of a variable: rename it');
  if (isHidden(name) || name === dollar)
    throw refuse('a name whose value Spark does not show to the script: rename it');
  if (isHidden(value))
    throw refuse('whose value Spark takes for the name of a secret, and hides: write it in the script');
}

/** The data sources and params are variables of the script. Each value reaches it as it is. */
function variablesOf({ params, input, output }: EngineRun): Readonly<Record<string, string>> {
  const data = { ...(input !== undefined && { INPUT: input }), ...(output !== undefined && { OUTPUT: output }) };
  const given = Object.entries<FlatConfigs[string]>({ ...data, ...params });
  const values = given.map(([name, value]) => [name, String(value)] as const);
  for (const [name, value] of values) checkParam(name, value);
  const escaped = values.map(([name, value]) => [name, value.replaceAll('${', () => `\${${dollar}}{`)] as const);
  const isUsed = values.some(([, value]) => value.includes('${'));
  return { ...Object.fromEntries(escaped), ...(isUsed && { [dollar]: '$' }) };
}

const ignoringCase = (patterns: Readonly<Record<string, string>>): FlatConfigs =>
  Object.fromEntries(Object.entries(patterns).map(([name, pattern]) => [name, `(?i)${pattern}`]));

/** One program at a time can open the metastore. Others wait for their turn, which ends with the program, however it ends. */
const inTurn = `
[ -d "$1" ] || mkdir -m 700 "$1"
exec 9> "$1/lock" || exit 1
flock -n 9 || { echo 'waiting for another Hive job of this cluster to end'; flock 9; } || exit 1
shift; exec "$@"
`;

function program(home: SparkHome, run: EngineRun): Program {
  const { args, configs, libs, nodes } = run;
  checkConfigs(home, run, type, { known: [], others: 'hive.', reserved });
  checkMetastore(configs);
  const hive = Object.fromEntries(Object.entries(configs).filter(([key]) => key.startsWith('hive.')));
  checkNames(hive, type, 'Hive', meantInHive);
  if (args.length > 0) throw new Error('cannot run Hive job: a script has no args: pass values in params');
  const script = onlyMain(run, type, 'the script');
  const [master] = nodesWith(nodes, 'master');
  if (master === undefined) throw new Error('cannot run Hive job: its cluster has no master');
  const flags = (flag: string, values: FlatConfigs) =>
    Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`]);
  const java = submitOf(home, run, {
    type,
    main,
    args: ['spark-internal', '-f', script, ...flags('--hiveconf', hive), ...flags('--hivevar', variablesOf(run))],
    // Most of the time goes into loading the classes of Hive, and not into what they do.
    jvm: ['-XX:TieredStopAtLevel=1'],
    jars: libs.filter((path) => path.endsWith('.jar')),
    // As Hive does it: a table is a text file unless the script says otherwise.
    defaults: { [tableForm]: true },
    settings: {
      ...hiveSettings(nodes, { place: placeOf(master), temporary: temporaryOf(run) }),
      ...ignoringCase(hidden),
    },
  });
  return { ...java, file: '/bin/sh', args: ['-c', inTurn, 'sh', placeOf(master), java.file, ...java.args] };
}

const hints: EngineHints = {
  options: [
    ...sparkJobOptions,
    { name: tableForm, default: true, description: 'Whether tables are text files unless the script says otherwise' },
    {
      name: 'hive.exec.dynamic.partition.mode',
      default: 'strict',
      description: 'nonstrict: all partitions can be dynamic',
    },
  ],
  takes: ['params'],
};

/** The tables are described in a folder of the master, which only programs on the same computer can open. */
const canRun = ({ folder, isImage = false }: SparkHome): boolean => !isImage && hasHive(folder);

/** Empty if the installation has no Hive. Data sources are optional, because a script can name its data itself. */
export const hiveJobs = (home: SparkHome): readonly EngineJob[] =>
  canRun(home)
    ? [
        {
          type,
          hints,
          needs: [],
          s3Path: () => s3aOf(home),
          packages: packagesOf(type, home.release),
          shownOn: sparkPages,
          program: (run) => program(home, run),
          checkMain: checkScript,
          ...driverPages(home),
          progressPort: ports.driverPage,
          observe,
        },
      ]
    : [];

/** What to do about these jobs where there are none. */
export function hiveRemedy(home: SparkHome): Readonly<Record<string, string>> {
  if (canRun(home)) return {};
  const why =
    home.isImage === true
      ? 'clusters in pods keep no tables of Hive: run the script with spark.sql() in a job of the type Spark'
      : `its Spark has no Hive: ${completeRemedy(home.release)}`;
  return { [type]: why };
}
