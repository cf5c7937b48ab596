// Runs of scripts on a cluster of the tiny engine.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../../../src/lib/ports.ts';
import { systemAskJson, systemClock, systemDownload } from '../../../../../src/lib/system.ts';
import type { OfferedFlavor } from '../../../../../src/service/backends/flavors-file.ts';
import type { Binary, ExecutionOrder } from '../../../../../src/service/backends/job-engine.ts';
import { Folders } from '../../../../../src/service/backends/processes/clusters/folders.ts';
import { endProcessesOfRun } from '../../../../../src/service/backends/processes/clusters/leftovers.ts';
import { readRecord } from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import type { OomCount } from '../../../../../src/service/backends/processes/jobs/out-of-memory.ts';
import { ProcessJobs } from '../../../../../src/service/backends/processes/jobs/process-jobs.ts';
import { RunFolders } from '../../../../../src/service/backends/processes/jobs/run-folders.ts';
import type { RunMemory } from '../../../../../src/service/backends/processes/jobs/run-memory.ts';
import type { Download } from '../../../../../src/service/backends/runs/transfer.ts';
import type { Engine } from '../../../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import type { FlatConfigs } from '../../../../../src/wire/common.ts';
import { clusterOf } from '../../../provisioning/battery.ts';
import { tinyEngine } from '../clusters/tiny-engine.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

interface Setting {
  readonly engines?: readonly Engine[];
  readonly jobFiles?: string;
  readonly logBytes?: number;
  readonly clock?: Clock;
  readonly oomCount?: (pid: number) => OomCount;
  readonly flavors?: readonly OfferedFlavor[];
  readonly defaultJobFlavor?: string;
  readonly admission?: RunMemory;
}

/** A folder for runs, which end with the test. */
export function openJobs({ engines = [tinyEngine('vanilla', '1', ['namenode', 'datanode'])], ...given }: Setting = {}) {
  const root = mkdtempSync(join(tmpdir(), 'runs-'));
  const files = new RunFolders(join(root, 'runs'));
  const folders = new Folders(root, () => 'secret');
  onTestFinished(async () => {
    const at = { clock: systemClock, signal: new AbortController().signal, graceMs: 0 };
    const runs = existsSync(join(root, 'runs')) ? readdirSync(join(root, 'runs')) : [];
    for (const run of runs) await endProcessesOfRun(run, readRecord(files.paths(run).decision), at);
    rmSync(root, { recursive: true });
  });
  const options = {
    folders,
    runs: files,
    engines,
    flavors: usualFlavors,
    clock: systemClock,
    log,
    ask: systemAskJson,
    download: systemDownload,
    hdfs: systemDownload,
  };
  const create = (more: Pick<Setting, 'jobFiles' | 'admission'> & { readonly download?: Download } = {}) =>
    new ProcessJobs({
      ...options,
      jobFiles: undefined,
      packages: 'start the service with --maven-repository URL, or name jars in libs',
      environments: 'start the service with --python-index URL, or name a wheel',
      logBytes: 1_000_000,
      ...given,
      ...more,
    });
  return { root, files, folders, create };
}

/** A binary whose bytes the service stores. */
export const script = (text: string, name = 'main.sh'): Binary => ({
  id: name,
  name,
  url: `internal-db://${name}`,
  extra: {},
  size: Buffer.byteLength(text),
  read: () => Buffer.from(text),
});

interface Given {
  readonly libs?: readonly Binary[];
  readonly args?: readonly string[];
  readonly params?: FlatConfigs;
  readonly configs?: FlatConfigs;
  readonly input?: ExecutionOrder['input'];
}

let count = 0;
const first = `run-of-${process.pid}`;

/** The order to run the script. Each one is for another execution. */
export function orderOf(main?: Binary, given: Given = {}, signal = new AbortController().signal): ExecutionOrder {
  const { libs = [], args = [], params = {}, configs = {}, input } = given;
  const id = `${first}-${(count += 1)}`;
  const job_configs = { args: [...args], params, configs };
  const mains = main === undefined ? [] : [main];
  return {
    tenant: 't',
    execution: {
      id,
      name: id,
      job_id: 'job-1',
      created_at: 'now',
      cluster_id: 'cluster-1',
      job_configs,
      interface: {},
      info: { status: 'PENDING' },
      data_source_urls: {},
      prepared: { mains: [], libs: [] },
    },
    cluster: clusterOf([]),
    job: { id: 'job-1', name: 'job', type: 'Shell', mains: [], libs: [], interface: [], created_at: 'now' },
    signal,
    mains,
    libs,
    input,
    output: undefined,
    job_configs,
    references: new Map(),
    accepted: () => undefined,
    report: () => undefined,
  };
}
