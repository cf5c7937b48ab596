// A service with one execution in a pod, over a small API server, while things go wrong: at each of its steps, one at a time or two.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiCall } from '../../../../../../src/kube/http/call.ts';
import type { PodTransport } from '../../../../../../src/kube/http/transport.ts';
import type { Clock } from '../../../../../../src/lib/ports.ts';
import { sleep } from '../../../../../../src/lib/timing/wait.ts';
import type { JobEngine } from '../../../../../../src/service/backends/job-engine.ts';
import { KubeApi } from '../../../../../../src/service/backends/pods/api/api.ts';
import { Informers } from '../../../../../../src/service/backends/pods/api/informers.ts';
import { PodJobs } from '../../../../../../src/service/backends/pods/jobs/pod-jobs.ts';
import { PodRuns } from '../../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { createSimulatedProvisioner } from '../../../../../../src/service/backends/simulated-provisioner.ts';
import { usualFlavors } from '../../../../../../src/service/engines/flavors.ts';
import { shellJob } from '../../../../../../src/service/engines/jobs/shell-job.ts';
import { createSeededRandom } from '../../../../../../src/service/model/records/identifiers.ts';
import type { JobExecutionRecord } from '../../../../../../src/service/model/records/records.ts';
import { isOver } from '../../../../../../src/service/model/stages/execution-stages.ts';
import { createMemoryStore, type Store } from '../../../../../../src/service/model/store/store.ts';
import { assemble } from '../../../../../../src/service/program/assembly.ts';
import type { Service } from '../../../../../../src/service/resources/service.ts';
import { ManualClock } from '../../../../../support/clock.ts';
import { settleFiles, watchFiles } from '../../../../../support/files-settle.ts';
import { clusterOf, groupOf } from '../../../../provisioning/battery.ts';
import { tinyEngine } from '../../../processes/clusters/tiny-engine.ts';
import { noAnswer, refusalAt, TinyApiServer } from './api-server.ts';

/** What goes wrong at a step. Requests can be refused, lost, late or hang; the service can be killed at all steps, also when it writes. */
export const faults = ['restart', 'lost', 'late', 'hang', 'kill before', 'kill after'] as const;
/** What others do. */
export const deeds = [
  'cancel',
  'delete',
  'delete cluster',
  'delete Job',
  'delete Job alone',
  'delete pod',
  'preempt',
  'kill service',
] as const;
export type Mishap = (typeof faults)[number] | (typeof deeds)[number];

/** Changes the engine, as if it or the service had a bug. */
export type Flaw = (engine: JobEngine, parts: EngineParts) => JobEngine;

interface EngineParts {
  readonly api: KubeApi;
  readonly runs: PodRuns;
  readonly clock: Clock;
}

/** By the numbers of the steps at which they happen. */
export type Plot = ReadonlyMap<number, Mishap>;

const isDeed = (mishap: Mishap | undefined): mishap is (typeof deeds)[number] => deeds.some((deed) => deed === mishap);

const execution = '11111111-2222-4333-8444-555555555555';
const tenant = 't';
const namespace = 'data';
const restartMs = 1000;
const lateMs = 100_000;
const hangMs = 330_000;
const downMs = 5000;
const timeoutMs = 30_000;
const fileMs = 4000;

/** In memory where the system has such a folder: thousands of worlds would wait for a disk at each of their writes. */
const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

class Killed extends Error {}

/** Nothing of a life that was killed goes on. */
interface WorldLife {
  dead: boolean;
  readonly service: Service;
  readonly runs: PodRuns;
  readonly close: () => void;
}

/** What came of a plot. */
export interface WorldEnd {
  /** The first invariant that broke. */
  readonly broken: string | undefined;
  readonly status: string | undefined;
  readonly message: string | undefined;
  readonly steps: number;
}

const engine = {
  ...tinyEngine('vanilla', '1', ['namenode', 'datanode']),
  jobs: [{ ...shellJob, program: () => ({ file: '/bin/true', args: [], env: {} }) }],
};
const log = { debug() {}, info() {}, warn() {}, error() {} };
const place = { namespace, domain: 'cluster.local', secret: 'secret' };
const image = { reference: 'image', home: '/opt', java: '/java', user: 1, version: '1' };

class World {
  readonly clock = new ManualClock({ settle: settleFiles });
  readonly store = createMemoryStore();
  readonly folder = mkdtempSync(join(parent, 'world-'));
  readonly server: TinyApiServer;
  broken: string | undefined;
  steps = 0;
  /** The execution is, or was, stored. */
  isAsked = false;
  life: WorldLife | undefined;
  readonly #flaw: Flaw;
  #plot: Plot;
  #refusedUntil = 0;
  #starts = 0;
  readonly #running = new Set<string>();

  constructor(plot: Plot, flaw: Flaw) {
    this.#plot = plot;
    this.#flaw = flaw;
    const events = {
      started: (run: string) => {
        this.#starts += 1;
        this.#running.add(run);
        if (this.#starts > 1) this.violate('a program was started twice');
        this.check();
      },
      ended: (run: string) => void this.#running.delete(run),
    };
    this.server = new TinyApiServer(this.clock, { permit: (...asked) => this.#permit(...asked), events });
    const [machine] = [{ instance_id: 'm-1', instance_name: 'm', internal_ip: '1', management_ip: '1' }];
    const cluster = { ...clusterOf([groupOf('namenode', [machine])]), status: 'Active' };
    this.store.put('clusters', tenant, cluster);
    const job = {
      id: 'job-1',
      name: 'job',
      type: 'Shell',
      mains: ['binary-1'],
      libs: [],
      interface: [],
      created_at: 'now',
    } as const;
    this.store.put('jobs', tenant, job);
    const url = 'http://files/main.sh';
    this.store.put('jobBinaries', tenant, { id: 'binary-1', name: 'main.sh', url, created_at: 'now' });
  }

  violate(what: string): void {
    this.broken ??= `${what}, at step ${this.steps}, ${this.clock.monotonic()} ms`;
  }

  /** No program runs without a record that says so, and no record says that it has ended while its program may run. */
  check(): void {
    const { record } = this;
    this.isAsked ||= record !== undefined;
    if (this.#running.size === 0) return;
    if (record === undefined) this.violate('a program runs without a record');
    else if (isOver(record)) this.violate(`a program runs, but its record says ${record.info.status}`);
    if (this.store.get('clusters', tenant, 'cluster-1') === undefined) this.violate('a program runs without a cluster');
  }

  get record(): JobExecutionRecord | undefined {
    return this.store.get('jobExecutions', tenant, execution);
  }

  #permit(run: string, token: string, pod: string): boolean | undefined {
    const { life } = this;
    if (life === undefined) return undefined;
    try {
      return life.runs.admits(run, token) && life.runs.start(run, pod);
    } catch {
      // The pod does not get to know that it has the permit, and asks again.
      return undefined;
    }
  }

  begin(): void {
    const { clock, folder } = this;
    const life: { dead: boolean } = { dead: false };
    const mine: Clock = {
      wall: () => clock.wall(),
      monotonic: () => clock.monotonic(),
      after: (ms, callback) => clock.after(ms, () => life.dead || callback()),
    };
    const runs = mortalRuns(folder, (work) => this.#write(life, work));
    const transport = this.#transport(life, mine);
    const api = new KubeApi(transport);
    const random = createSeededRandom(3);
    const jobs = new PodJobs({
      api,
      informers: new Informers({ transport, clock: mine, random, log }),
      runs,
      engines: [engine],
      namespaceOf: () => namespace,
      runnerImage: 'runner',
      flavors: usualFlavors,
      pullSecrets: [],
      runnerUrl: 'http://runner',
      jobFiles: undefined,
      packages: '',
      environments: '',
      logBytes: 1 << 20,
      clock: mine,
      log,
      ask: async () => ({}),
      hdfs: () => Promise.reject(new Error('there is no HDFS')),
      download: async (_url, { signal }) => ({ status: 200, bytes: slowFile(mine, signal) }),
      createSecret: () => 'token',
      addressOf: () => undefined,
      imageOf: () => image,
      placeOf: async () => place,
      own: { service: () => 'service-1', namespaces: [{ tenant, namespace }] },
    });
    const machines = createSimulatedProvisioner(createSeededRandom(1));
    const provisioner = {
      ...machines,
      remove: async () => {
        if (this.#running.size > 0 && !life.dead) this.violate('machines go while a program runs');
      },
    };
    const store = this.#mortalStore(life);
    const flawed = this.#flaw(jobs, { api, runs, clock: mine });
    const service = assemble({ clock: mine, random: createSeededRandom(2), store, provisioner, engine: flawed }, log);
    this.life = Object.assign(life, { service, runs, close: () => jobs.close() });
    service.lifecycle.resume();
    service.executions.resume();
  }

  kill(): void {
    const { life } = this;
    if (life === undefined) return;
    life.dead = true;
    this.life = undefined;
    this.clock.after(downMs, () => this.begin());
  }

  /** A step of a life, and what goes wrong there. */
  #step(life: { readonly dead: boolean }): Mishap | undefined {
    if (life.dead) return undefined;
    this.steps += 1;
    const mishap = this.#plot.get(this.steps);
    if (isDeed(mishap)) this.do(mishap);
    return mishap;
  }

  #write<T>(life: { readonly dead: boolean }, work: () => T): T {
    const mishap = this.#step(life);
    if (mishap === 'kill before') this.kill();
    if (life.dead) throw new Killed();
    const result = work();
    this.check();
    if (mishap !== 'kill after') return result;
    this.kill();
    throw new Killed();
  }

  #mortalStore(life: { readonly dead: boolean }): Store {
    const { store } = this;
    return {
      ...store,
      put: (...args: Parameters<Store['put']>) => this.#write(life, () => store.put(...args)),
      remove: (...args) => this.#write(life, () => store.remove(...args)),
    };
  }

  #transport(life: { readonly dead: boolean }, clock: Clock): PodTransport {
    const request = (call: ApiCall) => this.#ask(life, call, () => this.server.serve(call));
    const open: PodTransport['open'] = async (call) => {
      const follows = call.query?.['follow'] === true;
      const bytes = await this.#ask(life, call, () => this.server.log(call.path, follows, call.signal));
      return { status: 200, bytes };
    };
    const stream: PodTransport['stream'] = (call) =>
      this.#ask(life, { method: 'GET', ...call }, () => this.server.watch(call));
    const none = () => Promise.reject(new Error('nobody needs it'));
    return { clock, request, open, stream, exec: none, close: async () => undefined };
  }

  /** A request of a life: what it leads to, and what the life gets to know of it. */
  async #ask<T>(life: { readonly dead: boolean }, { path }: ApiCall, work: () => T): Promise<T> {
    const mishap = this.#step(life);
    const never = new Promise<never>(() => undefined);
    if (mishap === 'kill before') this.kill();
    if (life.dead) return await never;
    if (mishap === 'restart') {
      this.#refusedUntil = this.clock.monotonic() + restartMs;
      this.server.restart();
    }
    if (this.clock.monotonic() < this.#refusedUntil) throw refusalAt(this.steps)(path);
    if (mishap === 'late') {
      this.clock.after(lateMs, () => attempt(work));
      await this.#pass(timeoutMs);
      throw noAnswer(path);
    }
    if (mishap === 'hang') await this.#pass(hangMs);
    const result = work();
    this.check();
    if (mishap === 'lost') throw noAnswer(path);
    if (mishap === 'kill after') this.kill();
    return life.dead ? await never : result;
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.after(ms, resolve));
  }

  /** Users of the service try again until it is there. */
  do(deed: (typeof deeds)[number]): void {
    const { server, life } = this;
    if (deed === 'kill service') return this.kill();
    if (deed === 'delete Job' || deed === 'delete Job alone') {
      for (const path of server.paths('jobs')) server.delete(path, deed === 'delete Job alone');
      return;
    }
    if (deed === 'preempt') return server.preempt();
    if (deed === 'delete pod') return server.paths('pods').forEach((path) => server.delete(path));
    // A request to the service is carried out between two of its steps.
    if (life !== undefined) queueMicrotask(() => attempt(() => this.ask(deed)));
    else this.clock.after(downMs, () => this.do(deed));
  }

  ask(wish: 'cancel' | 'delete' | 'delete cluster' | 'run'): void {
    const { life } = this;
    if (life === undefined) return;
    const { executions, lifecycle } = life.service;
    const { record } = this;
    const cluster = this.store.get('clusters', tenant, 'cluster-1');
    if (wish === 'run') {
      if (cluster !== undefined) executions.start(tenant, newExecution, { operation: 'run' });
    } else if (wish === 'delete cluster') {
      if (cluster !== undefined && cluster.work?.operation !== 'delete')
        lifecycle.keep(tenant, lifecycle.begin(cluster, { operation: 'delete' }));
    } else if (record === undefined) return;
    else if (wish === 'cancel') {
      if (!isOver(record)) executions.start(tenant, record, { operation: 'cancel' });
    } else if (isOver(record) && record.work === undefined) executions.remove(tenant, record);
    else if (record.work?.operation !== 'delete') executions.delete(tenant, record);
  }

  /** Nothing goes wrong any more. */
  heal(): void {
    this.#plot = new Map();
  }

  /** What must not be there after the execution was removed. */
  left(): readonly string[] {
    return ['jobs', 'pods', 'secrets'].flatMap((kind) => this.server.paths(kind));
  }

  async end(): Promise<void> {
    if (this.life !== undefined) {
      this.life.dead = true;
      this.life.close();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const newExecution: JobExecutionRecord = {
  id: execution,
  name: execution,
  job_id: 'job-1',
  created_at: 'now',
  cluster_id: 'cluster-1',
  job_configs: {},
  interface: {},
  info: { status: '' },
  data_source_urls: {},
};

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // Nobody gets this answer.
  }
}

const writes: readonly PropertyKey[] = ['bar', 'start', 'token', 'publish', 'forget', 'remove'];

/** Writes of the folder are steps, too. */
function mortalRuns(folder: string, write: <T>(work: () => T) => T): PodRuns {
  return new Proxy(new PodRuns(folder), {
    get(runs, name) {
      const value: unknown = Reflect.get(runs, name, runs);
      if (typeof value !== 'function') return value;
      const call = (...args: readonly unknown[]) => Reflect.apply(value, runs, args) as unknown;
      return writes.includes(name) ? (...args: readonly unknown[]) => write(() => call(...args)) : call;
    },
  });
}

/** It takes long enough for the pod of an earlier submission to get its permit meanwhile. */
async function* slowFile(clock: Clock, signal: AbortSignal): AsyncIterable<Uint8Array> {
  for (const text of ['echo ', 'done\n']) {
    await sleep(clock, fileMs / 2, signal);
    yield Buffer.from(text);
  }
}

const minute = 60_000;

/** Plays one execution from its start to its end, and then the deletion of everything. */
export async function play(plot: Plot, flaw: Flaw = (jobs) => jobs): Promise<WorldEnd> {
  const unwatch = watchFiles();
  const world = new World(plot, flaw);
  try {
    world.begin();
    await world.clock.advance(1);
    // A user who gets no answer asks again.
    for (let tries = 0; tries < 3 && !world.isAsked; tries += 1) {
      attempt(() => world.ask('run'));
      await world.clock.advance(2 * downMs);
    }
    await world.clock.advance(25 * minute);
    const { record, steps } = world;
    world.heal();
    const { status, message } = record?.info ?? {};
    if (record !== undefined && !isOver(record)) world.violate(`the execution is still ${status}: ${message}`);
    for (const wish of ['delete', 'delete cluster'] as const) {
      attempt(() => world.ask(wish));
      await world.clock.advance(15 * minute);
    }
    if (world.record !== undefined) world.violate('the execution cannot be deleted');
    if (world.left().length > 0) world.violate(`${world.left().join(', ')} are left`);
    // Without anybody's doing, a run comes to the end that it would have come to anyway. One that hangs can be given up.
    const isCalm = [...plot.values()].every(
      (mishap) => mishap === 'kill service' || (!isDeed(mishap) && mishap !== 'hang'),
    );
    if (isCalm && status !== 'SUCCEEDED') world.violate(`the execution has become ${status}: ${message}`);
    return { broken: world.broken, status, message, steps };
  } finally {
    await world.end();
    unwatch();
  }
}
