// The benchmark of the bundled service: creates, reads and a long list, reported as one JSON document.
import { mkdtemp } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './bench/build.ts';
import { runBenchmark } from './bench/program.ts';
import { measureHostile } from './bench-service/hostile/phase.ts';
import { help, readOptions } from './bench-service/options.ts';
import { runPhases } from './bench-service/phases.ts';
import { measurePods } from './bench-service/pods/phase.ts';
import { compareHostile, comparePods, compareWithTargets } from './bench-service/targets.ts';
import { openPrograms } from './demo/programs.ts';

await runBenchmark({
  help,
  readOptions,
  async run(options, { cleanup, print }) {
    const before = loadavg()[0];
    const folder = await mkdtemp(join(tmpdir(), 'dataprocessing-bench-service-'));
    const programs = await openPrograms(folder, (name, how) => print(`${name} ended by itself: ${how}`));
    cleanup.add(async () => programs.close());
    const reports = await runPhases({ options, programs, folder, print, built: await build() });
    const limitMiB = options['limit-mib'];
    const hostile = limitMiB === 0 ? {} : { hostile: await measureHostile({ programs, folder, limitMiB, print }) };
    const pods = options['pod-runs'] === 0 ? {} : { pods: await measurePods({ options, programs, folder, print }) };
    return {
      failure: undefined,
      options,
      machine: { node: process.version, cores: availableParallelism(), loadAverages: { before, after: loadavg()[0] } },
      phases: { ...reports, ...hostile, ...pods },
      targets: {
        ...compareWithTargets(reports),
        ...(hostile.hostile && compareHostile(hostile.hostile)),
        ...(pods.pods && comparePods(pods.pods)),
      },
    };
  },
});
