// Jobs of the type Spark: a jar, or a program in Python.
import { basename, extname, join } from 'node:path';
import type { EngineJob, EngineRun, Program } from '../../engine.ts';
import { mainClass, mainClassOf, mainClassOption, onlyMain } from '../../jobs/common.ts';
import { ports, type SparkHome } from '../launch.ts';
import { driverPages } from '../metrics.ts';
import { sparkJobOptions } from '../options.ts';
import { defaultRelease } from '../releases.ts';
import { s3aOf } from '../s3a.ts';
import { completeRemedy, hasPython } from '../source.ts';
import { observe } from './observe.ts';
import { packagesOf } from './packages.ts';
import { environmentOf, requirementsOption, withEnvironment } from './python.ts';
import { checkConfigs, sparkPages, submitOf } from './submit.ts';

const type = 'Spark';

/** The interpreter. Throws if the computer, or the installation, cannot run programs in Python. */
function pythonOf({ folder, python, isImage = false, release = defaultRelease }: SparkHome): string {
  const refuse = (why: string) => new Error(`cannot run Spark job: its main is a program in Python, and ${why}`);
  if (isImage && python !== undefined) return python;
  if (isImage) throw refuse('the file of --engine-images states no python for spark: add it, or use a jar');
  if (!hasPython(folder))
    throw refuse(`${join(folder, 'python')} has no PySpark: use a jar, or ${completeRemedy(release)}`);
  if (python !== undefined) return python;
  throw refuse(
    `there is no python3 of version ${release.oldestPython} or newer in the PATH of the service: install it, and restart the service`,
  );
}

/** Libs in Python are modules for the driver and all executors. Other ones are jars. */
function pythonProgram(home: SparkHome, run: EngineRun, main: string): Program {
  const python = pythonOf(home);
  const isModule = (path: string) => ['.py', '.zip', '.egg'].includes(extname(path));
  const environment = environmentOf(run);
  const libs = run.libs.filter((path) => path !== environment?.file);
  const modules = libs.filter(isModule);
  const wheel = libs.find((path) => extname(path) === '.whl');
  // The driver would find its modules, and executors would not.
  if (wheel !== undefined)
    throw new Error(
      `cannot run Spark job: libs have ${basename(wheel)}, and Spark hands out no wheels: name it .zip, the format that a wheel has`,
    );
  const submitted = submitOf(home, run, {
    type,
    args: [main, ...run.args],
    // Executors run the same one, because the driver names it.
    env: { PYSPARK_PYTHON: python },
    jars: libs.filter((path) => !isModule(path)),
    settings: {
      ...(modules.length > 0 && { 'spark.submit.pyFiles': modules.join(',') }),
      ...environment?.settings,
    },
  });
  return environment === undefined ? submitted : withEnvironment(submitted, python, run, environment);
}

function program(home: SparkHome, run: EngineRun): Program {
  checkConfigs(home, run, type, { known: [mainClass, requirementsOption.name] });
  const main = onlyMain(run, type, 'a jar or a Python program');
  if (main.endsWith('.py')) return pythonProgram(home, run, main);
  if (environmentOf(run) !== undefined)
    throw new Error(
      `cannot run Spark job: configs have ${requirementsOption.name}, but its main is a jar: leave it out`,
    );
  return submitOf(home, run, { type, main: mainClassOf(run, type), args: [main, ...run.args], jars: run.libs });
}

export const sparkJob = (home: SparkHome): EngineJob => ({
  type,
  hints: { options: [mainClassOption, requirementsOption, ...sparkJobOptions], takes: ['args'] },
  needs: ['main class of a jar'],
  s3Path: () => s3aOf(home),
  packages: packagesOf(type, home.release),
  shownOn: sparkPages,
  program: (run) => program(home, run),
  ...driverPages(home),
  progressPort: ports.driverPage,
  observe,
});
