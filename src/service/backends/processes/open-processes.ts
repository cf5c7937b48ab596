// The provisioner of processes with its engines, and the plugins that they run.
import { dirname, join, resolve } from 'node:path';
import { xdgFolder } from '../../../lib/fetch/cache.ts';
import type { FetchRules } from '../../../lib/fetch/guarded.ts';
import type { CommonPorts, Log } from '../../../lib/ports.ts';
import type { AskJson } from '../../engines/engine.ts';
import type { HomeSearch } from '../../engines/homes/find.ts';
import { registry } from '../../engines/index.ts';
import { pluginsOf } from '../../engines/plugin.ts';
import type { Get } from '../../engines/probes.ts';
import { anyRoom, type Room } from '../../model/disk/volume.ts';
import type { ClusterRecord } from '../../model/records/records.ts';
import { type OfferedFlavor, readFlavors } from '../flavors-file.ts';
import { environmentsFor, packagesFor } from '../packages.ts';
import type { Download } from '../runs/transfer.ts';
import { Folders } from './clusters/folders.ts';
import { ownFolder } from './clusters/owner.ts';
import { memoryOfClusters, plannedOf } from './clusters/plan-checks.ts';
import { ProcessProvisioner } from './clusters/process-provisioner.ts';
import type { ProcessSettings } from './flags.ts';
import { findHost } from './host.ts';
import { ProcessJobs } from './jobs/process-jobs.ts';
import { RunFolders } from './jobs/run-folders.ts';
import { RunMemory } from './jobs/run-memory.ts';
import { runsFolder, stopMachines } from './stop-and-clean.ts';

interface OpenProcessesInput extends CommonPorts {
  readonly settings: ProcessSettings;
  /** Where the service keeps its data, if it keeps any. */
  readonly data: string | undefined;
  /** The volume of the data. */
  readonly room?: Room | undefined;
  /** How engines are found, and installed if there are none. */
  readonly search: HomeSearch;
  readonly get: Get;
  readonly ask: AskJson;
  /** Gets files from the HDFS of clusters. */
  readonly download: Download;
  /** Gets files from wherever users say, within these rules. */
  readonly guardedDownload: (rules: FetchRules) => Download;
  /** All clusters, with the counts that are wanted. When absent: they do not count for runs. */
  readonly clusters?: () => readonly ClusterRecord[];
  /** Random text without spaces. */
  readonly createSecret: () => string;
}

/** Addresses that begin with 127, start times of processes and the signal that drains workers are those of Linux. */
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

/** Jobs run here as well, and reach this computer anyway. */
const fetchRules = ({ 'allow-fetch-from': allowed, 'deny-fetch-from': denied }: ProcessSettings): FetchRules => ({
  allowed: allowed.length === 0 ? ['127.0.0.0/8', '::1/128'] : allowed,
  denied,
});

/** The same file can be for a service whose machines are pods. */
function warnOfPods(flavors: readonly OfferedFlavor[], log: Log): void {
  const names = flavors.filter(({ pod, queue }) => pod !== undefined || queue !== undefined).map(({ name }) => name);
  if (names.length === 0) return;
  const text = `pod and queue of these flavors have no effect with --provisioner processes: ${names.join(', ')}`;
  log.warn({ action: 'engines' }, text);
}

/** Throws an Error with the remedy if an engine cannot be run. */
export async function openProcesses(opening: OpenProcessesInput) {
  const { settings, search, clock, log, get, createSecret } = opening;
  checkPlatform(process.platform);
  for (const { checkHost } of registry) checkHost?.();
  const machines = machinesFolder({ machines: settings.machines, data: opening.data }, search.environment);
  const { 'machine-memory': memory, 'job-files': jobFiles, 'log-bytes': logBytes } = settings;
  const offered = readFlavors(settings['flavors-file']);
  const { flavors } = offered;
  warnOfPods(flavors, log);
  const { host, description, absent } = await findHost(settings, search, flavors);
  log.info({ action: 'engines' }, `${description}, machines in ${machines}`);
  const versions = registry.flatMap(({ onHost }) => onHost(host));
  const engines = versions.map(({ engine }) => engine);
  const folders = new Folders(machines, createSecret);
  const memoryOf = (all: readonly ClusterRecord[]) => memoryOfClusters(plannedOf(engines, all));
  const clusters = () => memoryOf(opening.clusters?.() ?? []);
  const admission = new RunMemory({ limit: memory, clusters, clusterOf: (cluster) => memoryOf([cluster]) });
  const memoryOfRuns = () => admission.taken;
  const limits = { flavors, memory, memoryOfRuns, allowsAffinity: settings['allow-affinity-violations'] };
  const provisioner = new ProcessProvisioner({ folders, engines, clock, log, get, limits });
  const { ask, download: hdfs, guardedDownload, room = anyRoom } = opening;
  const runs = new RunFolders(join(machines, runsFolder), { room, log });
  const download = guardedDownload(fetchRules(settings));
  const packages = packagesFor(settings, search);
  const environments = environmentsFor(settings, search, () => host.python);
  const historyUrl = settings['history-url'];
  const files = { hdfs, download, jobFiles, packages, environments, logBytes, historyUrl };
  const jobs = new ProcessJobs({ ...offered, admission, folders, runs, engines, clock, log, ask, ...files });
  const disown = ownFolder(machines, room);
  const close = async (): Promise<void> => {
    if (settings['stop-clusters']) await stopMachines(machines, { clock, signal: new AbortController().signal });
    disown();
  };
  const catalog = { plugins: pluginsOf(versions, absent), flavors };
  return { provisioner, engine: jobs, catalog, close };
}
