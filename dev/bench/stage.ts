// Starts what the benchmark measures: API server, service and operator, each in a process of its own.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { operatorAccount, writeAccountKubeconfig } from '../demo/account.ts';
import { openApiServer } from '../demo/api-server.ts';
import { startOperator, startService } from '../demo/launch.ts';
import { openObjects } from '../demo/manifests.ts';
import { openPrograms, type Programs, waitForLine } from '../demo/programs.ts';
import { waitForReady } from '../demo/readiness.ts';
import type { Tenant } from '../demo/remote.ts';
import { type Cleanup, install } from '../demo/stage.ts';
import { type Plane, startPlane } from '../plane/plane.ts';
import { type Built, build } from './build.ts';
import { type Client, openClient } from './client.ts';
import { unlessEnded } from './ending.ts';
import { readStart } from './image.ts';
import type { Options } from './options.ts';
import {
  clusterCollection,
  groundOf,
  jobClusters,
  namespace,
  quotaOf,
  templatesOf,
  tenant,
  token,
} from './workload.ts';

/** The operator, which a phase may restart. */
export interface Subject {
  readonly pid: number;
  readonly healthUrl: string;
  readonly probeUrl: string;
}

export interface Stage {
  readonly options: Options;
  readonly print: (line: string) => void;
  /** Watches the Clusters. */
  readonly client: Client;
  /** Watches another collection. It is closed at the end of the benchmark. */
  readonly watch: (collection: string) => Promise<Client>;
  readonly tenant: Tenant;
  /** Of kubectl, and of its user. */
  readonly plugin: { readonly script: string; readonly kubeconfig: string };
  readonly pids: { readonly apiServer: number; readonly etcd: number; readonly service: number };
  readonly subject: () => Subject;
  /** Aborts when a process ends unexpectedly. The reason names it. */
  readonly ended: AbortSignal;
  /** Restarts the operator. Resolves when it is ready. */
  readonly restart: () => Promise<Restarted>;
}

export interface Restarted {
  readonly subject: Subject;
  /** Both on the clock of performance.now(). */
  readonly startedAt: number;
  readonly readyAt: number;
}

/** Statuses that a cluster of the dialect "neutral" passes through after its start. */
const startStages = 4;
const stopMs = 30_000;
const templatesReadyMs = 120_000;

/** With all templates Ready and no Cluster. What was started is in `cleanup` at once, also when a later step throws. */
export async function setStage(options: Options, print: Stage['print'], cleanup: Cleanup): Promise<Stage> {
  print('Starting etcd, kube-apiserver, the bundled service and the operator.');
  const ending = new AbortController();
  const plane = await openPlane(print, ending);
  cleanup.add(async () => plane.stop());
  const folder = await mkdtemp(join(tmpdir(), 'dataprocessing-bench-'));
  const programs = await openPrograms(folder, (name, how) => end(ending, `${name} ended by itself: ${how}`));
  cleanup.add(async () => programs.close());
  const built = await build();
  const service = await startService(programs, serviceFlags(options), { script: built.service });
  const kubeconfig = join(folder, 'operator.kubeconfig');
  const objects = await prepareKubernetes({ options, administrator: plane.kubeconfig, kubeconfig, url: service.url });
  const operator = await openSubject(programs, { options, kubeconfig, built });
  cleanup.add(operator.stop);
  cleanup.add(objects.close);
  await unlessEnded(ending.signal, objects.ready);
  const watch = async (collection: string): Promise<Client> => {
    const client = await openClient(plane.kubeconfig, collection);
    cleanup.add(async () => client.close());
    return client;
  };
  const client = await watch(clusterCollection);
  return {
    options,
    print,
    client,
    watch,
    tenant: { url: service.url, tenant, token },
    plugin: { script: built.plugin, kubeconfig: plane.kubeconfig },
    pids: { ...plane.pids, service: service.program.pid },
    subject: operator.current,
    ended: ending.signal,
    restart: operator.restart,
  };
}

const end = (ending: AbortController, what: string): void => ending.abort(new Error(what));

async function openPlane(print: Stage['print'], ending: AbortController): Promise<Plane> {
  let report = print;
  const plane = await startPlane({ onProgress: (line) => report(line) });
  // After the start it only reports ended processes.
  report = (what) => end(ending, what);
  return plane;
}

function serviceFlags(options: Options): readonly string[] {
  const stageMs = Math.round(options['provision-ms'] / startStages);
  const settings = {
    quota: quotaOf(options.n + jobClusters),
    'latency-ms': options['latency-ms'],
    'stage-ms': stageMs,
  };
  const flags = { port: 0, token, 'log-level': 'warn', ...settings };
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

interface Preparation {
  readonly options: Options;
  readonly administrator: string;
  /** Where to write that of the operator. */
  readonly kubeconfig: string;
  readonly url: string;
}

/** What deploy/ installs, the Connection and the templates, which get Ready once there is an operator. */
async function prepareKubernetes({ options, administrator, kubeconfig, url }: Preparation) {
  const server = await openApiServer(administrator);
  const objects = openObjects(server, namespace);
  await install(objects);
  await writeAccountKubeconfig(server, operatorAccount, kubeconfig);
  const templates = templatesOf(options.templates);
  for (const manifest of [...groundOf(url, options['requests-per-second']), ...templates])
    await objects.apply(manifest);
  return {
    ready: async () => waitForReady(objects, templates, { withinMs: templatesReadyMs, everyMs: 250 }),
    close: async () => server.close(),
  };
}

interface Setting {
  readonly options: Options;
  readonly kubeconfig: string;
  readonly built: Built;
}

async function openSubject(programs: Programs, { options, kubeconfig, built }: Setting) {
  const profile = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`];
  const { nodeFlags, environment } = await readStart();
  const start = async () => {
    const { program, healthUrl } = await startOperator(programs, ['--kubeconfig', kubeconfig, '--leader-elect'], {
      script: built.operator,
      environment,
      nodeFlags: [...nodeFlags, ...profile, `--import=${built.probe}`],
    });
    const probeUrl = `http://127.0.0.1:${await waitForLine(program, /probe on port (\d+)/)}`;
    return { program, pid: program.pid, healthUrl, probeUrl };
  };
  let running = await start();
  // It gives its lease up: the successor of one that was killed would wait for the lease to run out.
  const stop = async () => running.program.end('SIGTERM', stopMs);
  return {
    current: (): Subject => running,
    stop,
    restart: async (): Promise<Restarted> => {
      await stop();
      const startedAt = performance.now();
      running = await start();
      return { subject: running, startedAt, readyAt: performance.now() };
    },
  };
}
