// The benchmark: the cost of many Clusters for the operator and everything around it, reported as one JSON document.
import { availableParallelism, loadavg } from 'node:os';
import { reasonOf } from '../src/lib/errors.ts';
import { executionCount } from './bench/jobs.ts';
import { readProbe } from './bench/measure.ts';
import { help, type Options, readOptions } from './bench/options.ts';
import { type PhaseReport, type Reports, runPhase } from './bench/phases.ts';
import { toMiB } from './bench/processes.ts';
import { runBenchmark } from './bench/program.ts';
import { type Stage, setStage } from './bench/stage.ts';
import { compareWithTargets } from './bench/targets.ts';
import type { Cleanup } from './demo/stage.ts';

type Print = (line: string) => void;

interface Run {
  readonly reports: Reports;
  /** Why a phase did not come to its end; those before it have their figures nevertheless. */
  readonly failure?: string;
}

async function runPhases(stage: Stage, print: Print): Promise<Run> {
  let reports: Reports = {};
  for (const phase of stage.options.phases) {
    try {
      const report = await runPhase(stage, phase);
      reports = { ...reports, [phase]: report };
      print(`  ${summaryOf(report)}`);
    } catch (error) {
      return { reports, failure: `cannot finish phase ${phase}: ${reasonOf(error)}` };
    }
  }
  return { reports };
}

function summaryOf({ seconds, settleSeconds, kubernetes, service, cpuSeconds }: PhaseReport): string {
  const sent = `${kubernetes.writes} writes, ${kubernetes.events} events, ${service.total} service requests`;
  const cpu = `CPU s: operator ${cpuSeconds.operator.toFixed(1)}, API server ${cpuSeconds.apiServer.toFixed(1)}`;
  return `${seconds.toFixed(2)} s, and ${settleSeconds.toFixed(2)} s until the last write; ${sent}; ${cpu}.`;
}

async function run(options: Options, { cleanup, print }: { readonly cleanup: Cleanup; readonly print: Print }) {
  const before = loadavg()[0];
  const stage = await setStage(options, print, cleanup);
  const { rssBytes } = await readProbe(stage.subject());
  const { reports, failure } = await runPhases(stage, print);
  const loadAverages = { before, after: loadavg()[0] };
  const memory = memoryOf(toMiB(rssBytes), reports, options.n);
  return {
    failure,
    options,
    // A load above the number of cores that the phases do not explain: others were at work, and only CPU seconds count.
    machine: { node: process.version, cores: availableParallelism(), loadAverages },
    memory,
    phases: reports,
    targets: compareWithTargets(reports, {
      clusters: options.n,
      executions: executionCount(options),
      provisionMs: options['provision-ms'],
      ...memory,
    }),
  };
}

interface Memory {
  readonly rssMiBAtStart: number;
  readonly rssMiBWithAll?: number;
  readonly kibPerCluster?: number;
  readonly kibPerClusterWhileMade?: number;
}

/**
 * What the Clusters take: the operator with all of them, less the one with none. At rest that is the one after the last phase that
 * leaves them; while they are made, the most that it ever was.
 */
function memoryOf(rssMiBAtStart: number, { create, scale, idle }: Reports, clusters: number): Memory {
  const holding = idle ?? scale ?? create;
  if (create === undefined || holding === undefined) return { rssMiBAtStart };
  const kibPerCluster = (rssMiB: number): number => ((rssMiB - rssMiBAtStart) * 1024) / clusters;
  return {
    rssMiBAtStart,
    rssMiBWithAll: holding.operator.rssMiB,
    kibPerCluster: kibPerCluster(holding.operator.rssMiB),
    kibPerClusterWhileMade: kibPerCluster(create.operator.peakRssMiB),
  };
}

await runBenchmark({ help, readOptions, run });
