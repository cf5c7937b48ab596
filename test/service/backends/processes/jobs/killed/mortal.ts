// A life of the service that is killed: it calls the engine for one run, as the words on its command line say, and tells when it begins.
import { systemAskJson, systemClock, systemDownload } from '../../../../../../src/lib/system.ts';
import type { ExecutionOrder } from '../../../../../../src/service/backends/job-engine.ts';
import { Folders } from '../../../../../../src/service/backends/processes/clusters/folders.ts';
import { ProcessJobs } from '../../../../../../src/service/backends/processes/jobs/process-jobs.ts';
import { RunFolders } from '../../../../../../src/service/backends/processes/jobs/run-folders.ts';
import { tinyEngine } from '../../clusters/tiny-engine.ts';

const [root = '', text = '', order = '{}', ...calls] = process.argv.slice(2);
const jobs = new ProcessJobs({
  folders: new Folders(root, () => 'secret'),
  runs: new RunFolders(`${root}/runs`),
  engines: [tinyEngine('vanilla', '1', ['namenode', 'datanode'])],
  flavors: [],
  clock: systemClock,
  log: { debug() {}, info() {}, warn() {}, error() {} },
  ask: systemAskJson,
  download: systemDownload,
  hdfs: systemDownload,
  jobFiles: undefined,
  packages: '',
  environments: '',
  logBytes: 1_000_000,
});
const main = {
  id: 'main',
  name: 'main.sh',
  url: 'internal-db://main',
  extra: {},
  size: Buffer.byteLength(text),
  read: () => Buffer.from(text),
};
const given = {
  ...(JSON.parse(order) as ExecutionOrder),
  signal: new AbortController().signal,
  mains: [main],
  // JSON has no maps.
  references: new Map(),
  accepted: () => undefined,
  report: () => undefined,
};

// The clock does not keep the process alive.
setInterval(() => undefined, 1000);
process.stdout.write('begins\n');
for (const call of calls) await jobs[call as 'submit' | 'finish' | 'kill'](given);
process.stdout.write('done\n');
