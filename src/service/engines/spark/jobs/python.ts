// The Python packages of a Spark job: an archive that its driver and its executors unpack, so that none of them needs an index, also packages that cannot be
// imported from an archive.
import { basename, extname, join, relative } from 'node:path';
import { suppliesFolder } from '../../../model/disk/disk-usage.ts';
import type { EngineRun, Program } from '../../engine.ts';

export const requirementsOption = {
  name: 'edp.python.requirements',
  default: '',
  description: 'The lib with the Python packages of the program: requirements.txt, or a wheel or zip with all of them',
};
const setting = requirementsOption.name;

/** Where executors have it, in the folder in which they run. */
const unpacked = 'python-environment';
const archive = join(suppliesFolder, `${unpacked}.zip`);

export interface PythonEnvironment {
  /** The file of the job. */
  readonly file: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Undefined if the job has none. Throws an Error with the remedy if it names something else than a file of the job with packages. */
export function environmentOf({ configs, libs, folder }: EngineRun): PythonEnvironment | undefined {
  const named = String(configs[setting] ?? '');
  if (named === '') return undefined;
  const refuse = (why: string) =>
    new Error(`cannot run Spark job: configs have ${setting} ${named.slice(0, 100)}, ${why}`);
  const file = libs.find((path) => basename(path) === named);
  if (file === undefined) throw refuse('which the job does not have: name one of its libs');
  if (!['.txt', '.whl', '.zip'].includes(extname(file)))
    throw refuse('which is no list and no archive of packages: name a lib that ends with .txt, .whl or .zip');
  const [path, archives] = ['spark.executorEnv.PYTHONPATH', 'spark.archives'].map((name) => configs[name] ?? '');
  const own = `${join(folder, archive)}#${unpacked}`;
  return {
    file,
    settings: {
      'spark.archives': [archives, own].filter((each) => each !== '').join(','),
      'spark.executorEnv.PYTHONPATH': [unpacked, path].filter((each) => each !== '').join(':'),
    },
  };
}

/** Unpacks the archive for the driver first, whose program imports from it before Spark does. */
const unpacking = '"$1" -I -m zipfile -e "$2" "$3" && shift 3 && exec "$@"';

/** The program, with its packages. */
export function withEnvironment(
  program: Program,
  python: string,
  { folder }: EngineRun,
  { file }: PythonEnvironment,
): Program {
  const target = join(folder, suppliesFolder, unpacked);
  const { file: first, args, env } = program;
  return {
    ...program,
    file: '/bin/sh',
    args: ['-c', unpacking, 'sh', python, join(folder, archive), target, first, ...args],
    env: { ...env, PYTHONPATH: target },
    environment: { from: relative(folder, file), archive },
  };
}
