// The benchmark of real Spark clusters and jobs, reported as one JSON document.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLineProgress } from '../src/lib/fetch/progress.ts';
import { awakeClock } from '../src/lib/system.ts';
import { findHome } from '../src/service/engines/homes/find.ts';
import { findJava } from '../src/service/engines/homes/java.ts';
import { sparkSource } from '../src/service/engines/spark/source.ts';
import { type Benchmark, runBenchmark } from './bench/program.ts';
import { help, type Options, readOptions } from './bench-engines/options.ts';
import { runPhases } from './bench-engines/phases.ts';
import type { Setting } from './bench-engines/setting.ts';
import { Subject } from './bench-engines/subject.ts';
import { compareWithTargets } from './bench-engines/targets.ts';
import { buildJar } from './demo/jar.ts';
import { startService } from './demo/launch.ts';
import { openPrograms } from './demo/programs.ts';

const words = 'the quick brown fox jumps over the lazy dog\n';
const counter = join(import.meta.dirname, 'bench-engines', 'programs', 'WordCount.java');
const stopMs = 60_000;

type How = Parameters<Benchmark<Options>['run']>[1];

/** The service with its files in a folder of its own. Its clusters end with it. */
async function openSetting(options: Options, { cleanup, print }: How): Promise<Setting> {
  const java = findJava({ environment: process.env }).file;
  const progress = createLineProgress(print, awakeClock);
  const spark = await findHome(sparkSource, { environment: process.env, progress, clock: awakeClock });
  const folder = await mkdtemp(join(tmpdir(), 'dataprocessing-bench-engines-'));
  const programs = await openPrograms(folder, (name, how) => print(`${name} ended by itself: ${how}`));
  cleanup.add(async () => programs.close());
  const [machines, files, jar] = [join(folder, 'machines'), join(folder, 'files'), join(folder, 'program.jar')];
  const text = join(files, 'text');
  await mkdir(files);
  await writeFile(text, words.repeat(10_000));
  await writeFile(jar, await buildJar(spark.folder, counter));
  const engine = ['--provisioner', 'processes', '--spark', spark.folder, '--java', java, '--stop-clusters'];
  // The machines take far less than they may.
  engine.push('--machine-memory', '65536');
  const repository = options['maven-repository'];
  if (repository !== undefined) engine.push('--maven-repository', repository);
  const where = ['--port', '0', '--log-level', 'warn', '--machines', machines, '--job-files', files];
  const { program, url } = await startService(programs, [...where, ...engine]);
  // Clusters outlive a service that is killed.
  cleanup.add(async () => void (await program.end('SIGTERM', stopMs)));
  const service = { pid: program.pid };
  return { subject: new Subject(url), options, spark, java, machines, jar, text, service, print };
}

await runBenchmark({
  help,
  readOptions,
  async run(options, how) {
    const before = loadavg()[0];
    const setting = await openSetting(options, how);
    const figures = await runPhases(setting);
    const loadAverages = { before, after: loadavg()[0] };
    const machine = {
      node: process.version,
      cores: availableParallelism(),
      loadAverages,
      spark: setting.spark.version,
    };
    return { failure: undefined, machine, ...figures, targets: compareWithTargets(figures) };
  },
});
