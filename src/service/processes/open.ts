// The provisioner of processes with its engines, and the plugins that they run.
import { join, resolve } from 'node:path';
import type { Clock, Log } from '../../lib/ports.ts';
import type { AskJson } from '../engines/engine.ts';
import { readSparkVersion } from '../engines/spark/home.ts';
import { createSpark } from '../engines/spark/spark.ts';
import type { PluginEntry } from '../plugins/plugins.ts';
import type { Download } from '../runs/binaries.ts';
import { ProcessJobs } from '../runs/process-jobs.ts';
import { RunFolders } from '../runs/run-folders.ts';
import { Folders } from './folders.ts';
import type { Get } from './probes.ts';
import { ProcessProvisioner } from './provisioner.ts';

interface Opening {
  readonly machines: string;
  readonly spark: string;
  readonly java: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly get: Get;
  readonly ask: AskJson;
  readonly download: Download;
  readonly jobFiles: string | undefined;
  readonly logBytes: number;
  /** Random text without spaces. */
  readonly createSecret: () => string;
}

/** Throws an Error with the remedy if an engine cannot be run. */
export function openProcesses(opening: Opening) {
  const { machines, spark, java, clock, log, get, createSecret } = opening;
  const home = { folder: resolve(spark), java };
  const version = readSparkVersion(home);
  const engine = createSpark(home);
  const plugin: PluginEntry = {
    name: 'spark',
    title: 'Apache Spark',
    description: 'Spark standalone clusters of processes on the computer of the service',
    versions: [
      {
        version,
        processes: { Spark: ['master', 'slave'] },
        configs: [],
        jobTypes: engine.jobs.map(({ type }) => type),
      },
    ],
  };
  const folders = new Folders(resolve(machines), createSecret);
  const engines = [engine];
  const provisioner = new ProcessProvisioner({ folders, engines, clock, log, get });
  const runs = new RunFolders(join(resolve(machines), 'runs'));
  const { ask, download, jobFiles, logBytes } = opening;
  const jobs = new ProcessJobs({ folders, runs, engines, clock, log, ask, download, jobFiles, logBytes });
  return { provisioner, engine: jobs, plugins: [plugin] };
}
