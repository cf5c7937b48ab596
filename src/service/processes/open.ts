// The provisioner of processes with its engines, and the plugins that they run.
import { resolve } from 'node:path';
import type { Clock, Log } from '../../lib/ports.ts';
import { readSparkVersion } from '../engines/spark/home.ts';
import { createSpark } from '../engines/spark/spark.ts';
import type { PluginEntry } from '../plugins/plugins.ts';
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
  /** Random text without spaces. */
  readonly createSecret: () => string;
}

/** Throws an Error with the remedy if an engine cannot be run. */
export function openProcesses({ machines, spark, java, clock, log, get, createSecret }: Opening) {
  const home = { folder: resolve(spark), java };
  const version = readSparkVersion(home);
  const plugin: PluginEntry = {
    name: 'spark',
    title: 'Apache Spark',
    description: 'Spark standalone clusters of processes on the computer of the service',
    // Jobs are not run on real clusters yet.
    versions: [{ version, processes: { Spark: ['master', 'slave'] }, configs: [], jobTypes: [] }],
  };
  const folders = new Folders(resolve(machines), createSecret);
  const provisioner = new ProcessProvisioner({ folders, engines: [createSpark(home)], clock, log, get });
  return { provisioner, plugins: [plugin] };
}
