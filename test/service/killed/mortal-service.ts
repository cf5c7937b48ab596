// The service with an engine of the tests, or a real one. It kills itself at the point that a file names.
import { join } from 'node:path';
import { systemAskJson, systemClock, systemDownload, systemGet, systemRandom } from '../../../src/lib/system.ts';
import { ownFolder } from '../../../src/service/backends/processes/clusters/owner.ts';
import { ProcessProvisioner } from '../../../src/service/backends/processes/clusters/process-provisioner.ts';
import { ProcessJobs } from '../../../src/service/backends/processes/jobs/process-jobs.ts';
import { RunFolders } from '../../../src/service/backends/processes/jobs/run-folders.ts';
import { usualFlavors } from '../../../src/service/engines/flavors.ts';
import { pluginOf } from '../../../src/service/engines/plugin.ts';
import { openSqliteStore } from '../../../src/service/model/store/sqlite-store.ts';
import { createServer } from '../../../src/service/program/server.ts';
import { type MortalOptions, openEngine } from './engines.ts';
import { MortalFolders, mortalEngine, mortalJobs, mortalProvisioner, strikeAt } from './strikes.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as MortalOptions;
const { root, machines, subject } = options;
const reach = strikeAt(join(root, 'strike'));
const log = {
  debug() {},
  info() {},
  warn: (fields: object, text: string) => console.error(text, fields),
  error: (fields: object, text: string) => console.error(text, fields),
};
const real = openEngine(subject);
const engines = [mortalEngine(real.engine, reach)];
const folders = new MortalFolders(machines, reach);
const common = { folders, engines, clock: systemClock, log };
const limits = { flavors: usualFlavors, memory: undefined, allowsAffinity: false };
const provisioner = new ProcessProvisioner({ ...common, get: systemGet, limits });
const jobs = new ProcessJobs({
  ...common,
  flavors: usualFlavors,
  runs: new RunFolders(join(machines, 'runs')),
  ask: systemAskJson,
  download: systemDownload,
  hdfs: systemDownload,
  jobFiles: undefined,
  packages: '',
  environments: '',
  logBytes: 100_000,
});
ownFolder(machines);
const server = createServer({
  clock: systemClock,
  random: systemRandom,
  log,
  // The answer to a request is sent before the service can be killed because of it.
  stageMs: 50,
  store: openSqliteStore(join(root, 'service.db')),
  catalog: { plugins: [pluginOf(real)], flavors: usualFlavors },
  provisioner: mortalProvisioner(provisioner, reach),
  engine: mortalJobs(jobs, reach),
});
process.stdout.write(`listening on ${await server.start()}\n`);
