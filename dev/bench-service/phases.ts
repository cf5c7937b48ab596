// The phases of the benchmark: creates, reads and lists, each with the longest block of the service's event loop.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Built } from '../bench/build.ts';
import type { LoopFigures } from '../bench/loop.ts';
import { cpuSecondsOf, toMiB } from '../bench/processes.ts';
import { startService } from '../demo/launch.ts';
import { type Programs, waitForLine } from '../demo/programs.ts';
import { type Load, type Loaded, load, type Sending, send } from './load.ts';
import { measureNoise, type NoisyReport } from './noisy.ts';
import type { Options } from './options.ts';
import type { ProbeFigures } from './probe.ts';

interface Watched {
  readonly loop: LoopFigures;
  readonly rssMiB: number;
  readonly cpuSeconds: number;
}

export type Report = Loaded & Watched;
export type ListReport = Report & { readonly clusters: number; readonly mib: number };

export interface Reports {
  readonly createInMemory: Report;
  readonly createPersistent: Report;
  readonly read: Report;
  readonly list: ListReport;
  readonly noisy: readonly NoisyReport[];
}

interface Subject extends Load {
  readonly pid: number;
  readonly probeUrl: string;
}

const stopMs = 30_000;
const paths = { clusters: '/v1.0/bench/clusters', templates: '/v1.0/bench/node-group-templates' };
const plugin = { plugin_name: 'vanilla', bigdata_version: '1.2.1' };
const master = { name: 'master', count: 1, flavor_id: '3', node_processes: ['namenode', 'jobtracker'] };
const worker = { name: 'worker', count: 3, flavor_id: '2', node_processes: ['datanode', 'tasktracker'] };

const templateOf = (index: number) => ({
  name: `workers-${index}`,
  ...plugin,
  flavor_id: '2',
  node_processes: worker.node_processes,
  node_configs: { HDFS: { 'dfs.replication': '2' } },
});

const clusterOf = (index: number) => ({
  name: `cluster-${index}`,
  ...plugin,
  default_image_id: 'd720a061-2a38-4a70-b45a-0b70a1c4f3a4',
  user_keypair_id: 'bench',
  node_groups: [master, worker],
});

export interface Setting {
  readonly options: Options;
  readonly programs: Programs;
  readonly built: Built;
  /** For the data file. */
  readonly folder: string;
  readonly print: (line: string) => void;
}

export async function runPhases(setting: Setting): Promise<Reports> {
  const { options, print } = setting;
  const create = (subject: Subject, count: number) =>
    watch(subject, () =>
      load(subject, count, (index) => ({ method: 'POST', path: paths.templates, body: templateOf(index) })),
    );
  print(`Creating ${options.creates} node group templates in memory.`);
  const createInMemory = await withService(setting, [], (subject) => create(subject, options.creates));
  const persistent = Math.ceil(options.creates / 10);
  print(`Creating ${persistent} persistent ones.`);
  const data = ['--data', join(setting.folder, 'service.sqlite')];
  const createPersistent = await withService(setting, data, (subject) => create(subject, persistent));
  return {
    createInMemory,
    createPersistent,
    ...(await withService(setting, [], (subject) => readAndList(setting, subject))),
    noisy: await measureNoise({
      ...setting,
      runs: options.noisy,
      seconds: options['noisy-seconds'],
      base: options.base,
    }),
  };
}

async function withService<T>(
  { programs, built, options }: Setting,
  flags: readonly string[],
  work: (subject: Subject) => Promise<T>,
): Promise<T> {
  const common = ['--port', '0', '--log-level', 'warn', '--stage-ms', '0', '--quota', String(4 * options.clusters + 4)];
  const { program, url } = await startService(programs, [...common, ...flags], {
    script: built.service,
    nodeFlags: [`--import=${built.serviceProbe}`],
  });
  const probeUrl = `http://127.0.0.1:${await waitForLine(program, /probe on port (\d+)/)}`;
  const result = await work({ url, parallel: options.parallel, pid: program.pid, probeUrl });
  await program.end('SIGTERM', stopMs);
  return result;
}

async function readAndList({ options, print }: Setting, subject: Subject): Promise<Pick<Reports, 'read' | 'list'>> {
  const { clusters, reads, lists } = options;
  print(`Starting ${clusters} clusters.`);
  await load(subject, clusters - 1, (index) => start(index));
  const path = await startLast(subject, clusters);
  print(`Listing them ${lists} times.`);
  const list = await watch(subject, () =>
    load({ ...subject, parallel: 1 }, lists, () => ({ method: 'GET', path: paths.clusters })),
  );
  const text = await send(subject.url, { method: 'GET', path: paths.clusters });
  if (text.split('"status":"Active"').length !== clusters + 1)
    throw new Error('cannot list the clusters: not all of them are there and Active');
  print(`Reading one of them ${reads} times.`);
  const read = await watch(subject, () => load(subject, reads, () => ({ method: 'GET', path })));
  return { read, list: { ...list, clusters, mib: toMiB(Buffer.byteLength(text)) } };
}

const start = (index: number): Sending => ({ method: 'POST', path: paths.clusters, body: clusterOf(index) });

/** Its path, once it is Active: all that were started before it are, too, and no text of them was made yet. */
async function startLast({ url }: Subject, index: number): Promise<string> {
  const { cluster } = JSON.parse(await send(url, start(index))) as { readonly cluster: { readonly id: string } };
  const path = `${paths.clusters}/${cluster.id}`;
  while (!(await send(url, { method: 'GET', path })).includes('"status":"Active"')) await pause(50);
  return path;
}

async function watch<T extends Loaded>({ probeUrl, pid }: Subject, work: () => Promise<T>): Promise<T & Watched> {
  await fetch(probeUrl, { method: 'POST' });
  const before = cpuSecondsOf(pid);
  const result = await work();
  const { loop, rssBytes } = (await (await fetch(probeUrl)).json()) as ProbeFigures;
  return { ...result, loop, rssMiB: toMiB(rssBytes), cpuSeconds: cpuSecondsOf(pid) - before };
}
