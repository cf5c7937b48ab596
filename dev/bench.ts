// The benchmark: what many Clusters cost the operator and everything around it, as one JSON document.
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { readProbe } from './bench/measure.ts';
import { help, type Options, phases, readOptions } from './bench/options.ts';
import { runPhase } from './bench/phases.ts';
import { toMiB } from './bench/processes.ts';
import { type Stage, setStage } from './bench/stage.ts';
import { compareWithTargets, type Reports } from './bench/targets.ts';
import { Cleanup } from './demo/stage.ts';
import { reasonOf } from './plane/progress.ts';

const begun = performance.now();

function say(line: string): void {
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);
}

async function runPhases(stage: Stage): Promise<Reports> {
  let reports: Reports = {};
  for (const phase of phases.filter((each) => stage.options.phases.includes(each))) {
    const report = await runPhase(stage, phase);
    reports = { ...reports, [phase]: report };
    say(`  ${report.seconds.toFixed(2)} s, and ${report.settleSeconds.toFixed(2)} s until the last write.`);
  }
  return reports;
}

async function run(options: Options, cleanup: Cleanup): Promise<object> {
  const stage = await setStage(options, say, cleanup);
  const { rssBytes } = await readProbe(stage.subject());
  const reports = await runPhases(stage);
  return {
    options,
    machine: { node: process.version, cores: availableParallelism() },
    memory: memoryOf(toMiB(rssBytes), reports, options.n),
    phases: reports,
    targets: compareWithTargets(reports, options.n),
  };
}

/** What the Clusters take: the operator with all of them, after the last phase that leaves them, less the one with none. */
function memoryOf(rssMiBAtStart: number, reports: Reports, clusters: number): object {
  const holding = [reports.create, reports.scale, reports.idle].filter((report) => report !== undefined).at(-1);
  if (holding === undefined) return { rssMiBAtStart };
  const kibPerCluster = ((holding.operator.rssMiB - rssMiBAtStart) * 1024) / clusters;
  return { rssMiBAtStart, rssMiBWithAll: holding.operator.rssMiB, kibPerCluster };
}

/** Figures beyond a thousandth say nothing and hide those that do. */
const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;

async function main(options: Options): Promise<void> {
  const cleanup = new Cleanup();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void cleanup.run().finally(() => process.exit(1)));
  try {
    const document = `${JSON.stringify(await run(options, cleanup), rounded, 2)}\n`;
    process.stdout.write(document);
    if (options.out !== undefined) await writeFile(options.out, document);
  } finally {
    await cleanup.run();
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(help);
  else await main(options);
} catch (error) {
  process.stderr.write(`cannot finish the benchmark: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}
