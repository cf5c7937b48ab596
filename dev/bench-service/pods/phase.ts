// The phase of clusters and runs in pods: what the service costs the API server while they run and wait, and how fast it sees the end of a run.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { createTransport, type PodTransport } from '../../../src/kube/http/transport.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { cpuSecondsOf, residentMiBOf } from '../../bench/processes.ts';
import { Subject } from '../../bench-engines/subject.ts';
import { startService } from '../../demo/launch.ts';
import type { Programs } from '../../demo/programs.ts';
import { proxyKubeconfig } from '../../plane/keys/kubeconfig.ts';
import { startPlane } from '../../plane/plane.ts';
import type { Options } from '../options.ts';
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import { Kubelet, programIs, ready } from './kubelet.ts';

export interface PodsReport {
  /** The requests of the service to the API server in the steady state, besides watches that were opened. */
  readonly requestsPerSecond: number;
  readonly watchesOpened: number;
  /** By verb and resource, in the whole window. */
  readonly requests: Readonly<Record<string, number>>;
  readonly cpuSecondsPerMinute: number;
  readonly rssMiB: number;
  /** From the end of a pod to `SUCCEEDED`. */
  readonly endMs: { readonly p50: number; readonly max: number };
}

export interface PodsReports {
  readonly current: PodsReport;
  /** Of the version in `--base`. */
  readonly base?: PodsReport;
}

interface PodsSetting {
  readonly options: Options;
  readonly programs: Programs;
  readonly folder: string;
  readonly print: (line: string) => void;
}

interface Bench {
  readonly setting: PodsSetting;
  readonly pid: number;
  readonly proxy: CountingProxy;
  readonly kubelet: Kubelet;
  readonly subject: Subject;
  readonly namespace: string;
}

const root = join(import.meta.dirname, '..', '..', '..');
const version = '4.1.2';
/** Until what the last writes have caused is over. */
const settleMs = 15_000;
const ends = 20;
const [pollMs, patienceMs] = [100, 120_000];

/** Sources run, not what was built of them: another version builds in its own way. */
export async function measurePods(setting: PodsSetting): Promise<PodsReports> {
  const { options, print } = setting;
  const plane = await startPlane({ onProgress: print });
  const config = await loadClusterConfig({ kubeconfig: plane.kubeconfig, environment: {}, clock: systemClock });
  const transport = createTransport({ config, clock: systemClock });
  try {
    const measured = (name: string, folder: string) => measureVersion(setting, transport, { name, folder });
    const base = options.base === undefined ? {} : { base: await measured('base', options.base) };
    return { ...base, current: await measured('current', root) };
  } finally {
    await transport.close();
    await plane.stop();
  }
}

async function measureVersion(
  setting: PodsSetting,
  transport: PodTransport,
  { name, folder }: { readonly name: string; readonly folder: string },
): Promise<PodsReport> {
  const namespace = `bench-${name}`;
  const kubelet = new Kubelet(transport, namespace);
  await kubelet.prepare();
  await using proxy = await startCountingProxy(transport);
  const home = join(setting.folder, namespace);
  await mkdir(home);
  const kubeconfig = join(home, 'kubeconfig');
  await writeFile(kubeconfig, proxyKubeconfig(proxy.url));
  const flags = `--port 0 --runner-port 0 --log-level warn --provisioner kubernetes --namespace ${namespace}`.split(
    ' ',
  );
  const job = ['--runner-image', 'service', '--runner-url', 'http://service:8387', '--kubeconfig', kubeconfig];
  const data = ['--data', join(home, 'service.sqlite')];
  const script = join(relative(root, folder), 'src/service/program/main.ts');
  const { program, url } = await startService(setting.programs, [...flags, ...job, ...data], { script });
  const bench = { setting, pid: program.pid, proxy, kubelet, subject: new Subject(url), namespace };
  try {
    return await measureSteadyState(bench, await startAll(bench));
  } finally {
    await program.end('SIGTERM', patienceMs);
  }
}

/** Resolves to the executions, by the names of their pods. */
async function startAll(bench: Bench): Promise<ReadonlyMap<string, string>> {
  const { kubelet, subject, setting } = bench;
  const { 'pod-runs': runs, 'pod-clusters': waiting } = setting.options;
  setting.print(`Starting ${runs} executions, and ${waiting} clusters that wait for their pods.`);
  const cluster = await subject.createCluster('active', version, 1);
  await startMachines(bench);
  await subject.until(`/clusters/${cluster}`, (answer) => answer.cluster.status === 'Active');
  const job = await createJob(subject);
  const pods = new Map<string, string>();
  for (let index = 0; index < runs; index += 1) {
    const { job_execution } = await subject.send('POST', `/jobs/${job}/execute`, {
      cluster_id: cluster,
      job_configs: {},
    });
    const [made] = await comes(async () =>
      (await kubelet.list('batch/v1 jobs')).filter((each) => !pods.has(each.metadata.name)),
    );
    if (made === undefined) throw new Error('a Job is gone');
    pods.set(made.metadata.name, job_execution.id);
    await kubelet.makePod(made.metadata.name, made.spec.template, programIs({ running: {} }));
  }
  for (let index = 0; index < waiting; index += 1) await subject.createCluster(`waiting-${index}`, version, 1);
  return pods;
}

async function createJob(subject: Subject): Promise<string> {
  const { job_binary_internal } = await subject.send('PUT', '/job-binary-internals/main.sh', Buffer.from('true'));
  const url = `internal-db://${job_binary_internal.id}`;
  const { job_binary } = await subject.send('POST', '/job-binaries', { name: 'main.sh', url });
  const { job } = await subject.send('POST', '/jobs', { name: 'wait', type: 'Shell', mains: [job_binary.id] });
  return job.id;
}

async function startMachines({ kubelet, proxy, namespace }: Bench): Promise<void> {
  const made = new Set<string>();
  while (made.size < 2) {
    const sets = await comes(async () =>
      (await kubelet.list('apps/v1 statefulsets')).filter(({ metadata }) => !made.has(metadata.name)),
    );
    for (const { metadata, spec } of sets) {
      made.add(metadata.name);
      const host = `${metadata.name}-0.${spec.serviceName}.${namespace}.svc.cluster.local`;
      proxy.workers = [...proxy.workers, { host, state: 'ALIVE' }];
      await kubelet.makePod(`${metadata.name}-0`, spec.template, ready);
    }
  }
}

async function measureSteadyState(bench: Bench, pods: ReadonlyMap<string, string>): Promise<PodsReport> {
  const { proxy, pid, setting } = bench;
  await pause(settleMs);
  setting.print(`Counting requests for ${setting.options['pod-seconds']} s.`);
  const [before, cpuBefore] = [proxy.counts(), cpuSecondsOf(pid)];
  await pause(setting.options['pod-seconds'] * 1000);
  const [after, cpu, rssMiB] = [proxy.counts(), cpuSecondsOf(pid) - cpuBefore, residentMiBOf(pid)];
  const differences = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  const requests = differences.filter(([, count]) => count > 0);
  const sum = (isWatch: boolean): number =>
    requests.filter(([name]) => name.startsWith('WATCH') === isWatch).reduce((total, [, count]) => total + count, 0);
  return {
    requestsPerSecond: sum(false) / setting.options['pod-seconds'],
    watchesOpened: sum(true),
    requests: Object.fromEntries(requests),
    cpuSecondsPerMinute: (cpu * 60) / setting.options['pod-seconds'],
    rssMiB,
    endMs: await measureEnds(bench, pods),
  };
}

async function measureEnds(
  { kubelet, subject, proxy }: Bench,
  pods: ReadonlyMap<string, string>,
): Promise<PodsReport['endMs']> {
  const took: number[] = [];
  for (const [pod, execution] of [...pods].slice(0, ends)) {
    const at = performance.now();
    proxy.endLog(pod);
    await kubelet.setStatus(pod, programIs({ terminated: { exitCode: 0 } }));
    await subject.until(`/job-executions/${execution}`, (answer) => answer.job_execution.info.status === 'SUCCEEDED');
    took.push(performance.now() - at);
  }
  const sorted = took.toSorted((one, other) => one - other);
  return { p50: sorted[Math.floor(sorted.length / 2)] ?? 0, max: sorted.at(-1) ?? 0 };
}

/** Resolves to what is found, once that is something. */
async function comes<T>(find: () => Promise<readonly T[]>): Promise<readonly T[]> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await pause(pollMs)) {
    const found = await find();
    if (found.length > 0) return found;
  }
  throw new Error('the service makes no more objects');
}
