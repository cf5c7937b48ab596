// The Python packages of a Spark job: an archive that its driver and its executors unpack, so that none of them needs an index, also packages that cannot be
// imported from an archive.
import { basename, extname, join, relative } from 'node:path';
import { suppliesFolder } from '../../../model/disk/disk-usage.ts';
import type { EngineRun, Program } from '../../engine.ts';

export const requirementsOption = {
  name: 'edp.python.requirements',
  default: '',
  description:
    'The lib with the Python packages of the program: requirements.txt, or a wheel, zip or pex with all of them',
};
const setting = requirementsOption.name;

/** Where executors have it, in the folder in which they run. */
const unpacked = 'python-environment';
const archive = join(suppliesFolder, `${unpacked}.zip`);
/** Made from a pex, where packages are not at the root. */
const flat = join(suppliesFolder, 'python-flat');

export interface PythonEnvironment {
  /** The file of the job. */
  readonly file: string;
  readonly settings: Readonly<Record<string, string>>;
}

const isPex = (file: string): boolean => extname(file) === '.pex';

/** Undefined if the job has none. Throws an Error with the remedy if it names something else than a file of the job with packages. */
export function environmentOf({ configs, libs, folder }: EngineRun): PythonEnvironment | undefined {
  const named = String(configs[setting] ?? '');
  if (named === '') return undefined;
  const refuse = (why: string) =>
    new Error(`cannot run Spark job: configs have ${setting} ${named.slice(0, 100)}, ${why}`);
  const file = libs.find((path) => basename(path) === named);
  if (file === undefined) throw refuse('which the job does not have: name one of its libs');
  if (!['.txt', '.whl', '.zip', '.pex'].includes(extname(file)))
    throw refuse('which is no list and no archive of packages: name a lib that ends with .txt, .whl, .zip or .pex');
  const [path, archives] = ['spark.executorEnv.PYTHONPATH', 'spark.archives'].map((name) => configs[name] ?? '');
  const own = `${join(folder, isPex(file) ? `${flat}.zip` : archive)}#${unpacked}`;
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

/** A pex has each wheel in a folder below `.deps`, or as a file there. All of them become one folder for the driver, and one archive for executors. */
const flattening = `import os, shutil, sys, zipfile
archive, target, flat = sys.argv[1:]
zipfile.ZipFile(archive).extractall(target)
wheels = os.path.join(target, '.deps')
for name in sorted(os.listdir(wheels)) if os.path.isdir(wheels) else []:
    wheel = os.path.join(wheels, name)
    if os.path.isdir(wheel):
        shutil.copytree(wheel, target, copy_function=shutil.move, dirs_exist_ok=True)
    else:
        zipfile.ZipFile(wheel).extractall(target)
shutil.rmtree(wheels, ignore_errors=True)
shutil.make_archive(flat, 'zip', target)
`;
const unpackingPex = '"$1" -I -c "$2" "$3" "$4" "$5" && shift 5 && exec "$@"';

/** The arguments of the shell that come before the program. */
function unpackingOf(file: string, python: string, folder: string): readonly string[] {
  const [from, target] = [join(folder, archive), join(folder, suppliesFolder, unpacked)];
  return isPex(file)
    ? [unpackingPex, 'sh', python, flattening, from, target, join(folder, flat)]
    : [unpacking, 'sh', python, from, target];
}

/** The program, with its packages. */
export function withEnvironment(
  program: Program,
  python: string,
  { folder }: EngineRun,
  { file }: PythonEnvironment,
): Program {
  const { file: first, args, env } = program;
  return {
    ...program,
    file: '/bin/sh',
    args: ['-c', ...unpackingOf(file, python, folder), first, ...args],
    env: { ...env, PYTHONPATH: join(folder, suppliesFolder, unpacked) },
    environment: { from: relative(folder, file), archive },
  };
}
