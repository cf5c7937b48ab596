// The provisioner of processes with its engines, and the plugins that they run.
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { xdgFolder } from '../../lib/fetch/cache.ts';
import type { Clock, Log } from '../../lib/ports.ts';
import type { ProcessSettings } from '../command-line/provisioner-flags.ts';
import type { AskJson } from '../engines/engine.ts';
import { readFlavors, usualFlavors } from '../engines/flavors.ts';
import { createHadoop } from '../engines/hadoop/hadoop.ts';
import { type HadoopHome, javaHomeOf } from '../engines/hadoop/launch.ts';
import { hadoopSource } from '../engines/hadoop/source.ts';
import { type EngineHome, engineCache, findHome, type HomeSearch, lookNear, useGiven } from '../engines/homes/find.ts';
import { findJava } from '../engines/homes/java.ts';
import { pluginOf } from '../engines/plugin.ts';
import type { Get } from '../engines/probes.ts';
import { sparkSource } from '../engines/spark/source.ts';
import { createSpark } from '../engines/spark/spark.ts';
import { ProcessJobs } from '../runs/process-jobs.ts';
import { RunFolders } from '../runs/run-folders.ts';
import type { Download } from '../runs/transfer.ts';
import { runsFolder, stopMachines } from './end.ts';
import { Folders } from './folders.ts';
import { ownFolder } from './owner.ts';
import { ProcessProvisioner } from './provisioner.ts';

interface Opening {
  readonly settings: ProcessSettings;
  /** Where the service keeps its data, if it keeps any. */
  readonly data: string | undefined;
  /** How engines are found, and installed if there are none. */
  readonly search: Omit<HomeSearch, 'given'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly get: Get;
  readonly ask: AskJson;
  readonly download: Download;
  /** Random text without spaces. */
  readonly createSecret: () => string;
}

/** Addresses of the range 127.77, start times of processes and the signal that drains workers are those of Linux. */
export function checkPlatform(platform: string): void {
  if (platform !== 'linux')
    throw new Error('--provisioner processes needs Linux, or WSL 2 on Windows: leave it out to simulate clusters');
}

interface Places {
  readonly machines: string | undefined;
  readonly data: string | undefined;
}

/** The folder of the flag, else one beside the data of the service, else one for the state of the user. */
export function machinesFolder({ machines, data }: Places, environment: NodeJS.ProcessEnv): string {
  if (machines !== undefined) return resolve(machines);
  if (data !== undefined) return join(dirname(resolve(data)), 'machines');
  return join(xdgFolder(environment, 'XDG_STATE_HOME', join('.local', 'state')), 'dataprocessing-service', 'machines');
}

/** Hadoop is not installed by itself. Throws if the flag names something else. */
function findHadoop({ settings, search }: Opening): EngineHome | undefined {
  const { hadoop: given } = settings;
  return given === undefined ? lookNear(hadoopSource, search.environment) : useGiven(hadoopSource, given);
}

function hadoopHomeOf({ folder }: EngineHome, java: string, cache: string): HadoopHome {
  return { folder, java, javaHome: javaHomeOf(realpathSync(java)), cache };
}

/** Throws an Error with the remedy if an engine cannot be run. */
export async function openProcesses(opening: Opening) {
  const { settings, search, clock, log, get, createSecret } = opening;
  checkPlatform(process.platform);
  const machines = machinesFolder({ machines: settings.machines, data: opening.data }, search.environment);
  const java = findJava({ given: settings.java, environment: search.environment });
  const { folder, version, from } = await findHome(sparkSource, { ...search, given: settings.spark });
  const hadoop = findHadoop(opening);
  const others = hadoop === undefined ? '' : `, Hadoop ${hadoop.version} in ${hadoop.folder} (${hadoop.from})`;
  log.info(
    { action: 'engines' },
    `Spark ${version} in ${folder} (${from})${others}, Java ${java.version}, machines in ${machines}`,
  );
  const cache = engineCache(search.environment);
  const hadoopHome = hadoop && hadoopHomeOf(hadoop, java.file, cache);
  const home = { folder, java: java.file, hadoop: hadoopHome, cache };
  const { flavorsFile, memory, allowsAffinity } = settings;
  const flavors = flavorsFile === undefined ? usualFlavors : readFlavors(flavorsFile);
  const versions = [{ engine: createSpark(home, flavors), version }];
  if (hadoop !== undefined && hadoopHome !== undefined)
    versions.push({ engine: createHadoop(hadoopHome, flavors), version: hadoop.version });
  const engines = versions.map(({ engine }) => engine);
  const folders = new Folders(machines, createSecret);
  const limits = { flavors, memory, allowsAffinity };
  const provisioner = new ProcessProvisioner({ folders, engines, clock, log, get, limits });
  const runs = new RunFolders(join(machines, runsFolder));
  const { ask, download } = opening;
  const { jobFiles, logBytes, stopClusters } = settings;
  const jobs = new ProcessJobs({ folders, runs, engines, clock, log, ask, download, jobFiles, logBytes });
  const disown = ownFolder(machines);
  const close = async (): Promise<void> => {
    if (stopClusters) await stopMachines(machines, { clock, signal: new AbortController().signal });
    disown();
  };
  const catalog = { plugins: versions.map(pluginOf), flavors: flavors.map(({ id }) => id) };
  return { provisioner, engine: jobs, catalog, close };
}
