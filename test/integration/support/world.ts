// One world for a test: a namespace of the real API server, the bundled service, and the operator between them, all counted.
import { randomBytes } from 'node:crypto';
import { expect, inject, vi } from 'vitest';
import type { Injector } from '../../../dev/personality/injector.ts';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import type { ClusterConfig } from '../../../src/kube/config/config-types.ts';
import type { RequestReport } from '../../../src/kube/http/call.ts';
import type { Clock, Log } from '../../../src/lib/ports.ts';
import { systemClock, systemRandom } from '../../../src/lib/system.ts';
import { apiVersion } from '../../../src/operator/api/shared-api.ts';
import { connection } from '../../../src/operator/kinds/connection/schema.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { createOperator, type Operator } from '../../../src/operator/wiring/operator.ts';
import type { Grant } from '../../../src/service/api/authentication/authentication.ts';
import type { JobEngine } from '../../../src/service/backends/job-engine.ts';
import { createMemoryStore, type Store } from '../../../src/service/model/store/store.ts';
import type { ServerOptions } from '../../../src/service/program/options.ts';
import { createServer, type Server } from '../../../src/service/program/server.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { type ApiServer, connect, createNamespace } from '../../support/kubernetes/api-server.ts';
import { applyCrds } from '../../support/kubernetes/crds.ts';
import { limitMs } from '../../support/patience.ts';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

export interface Resource {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly id?: string;
    readonly observedGeneration: number;
    readonly conditions?: readonly Condition[];
    readonly externalName?: string;
    readonly revision?: string;
    readonly revisions?: readonly string[];
    readonly templateRevision?: string;
    readonly managedCount?: number;
    readonly unclaimedCount?: number;
    readonly nodes?: string;
    readonly drift?: readonly object[];
    readonly lastHandledReconcileAt?: string;
    readonly blockedOn?: readonly { readonly message: string }[];
  };
}

export interface WorldOptions {
  readonly quarantineMs?: number;
  readonly stageMs?: number;
  readonly token?: string;
  /** Of the service, where one token for every tenant will not do. */
  readonly grants?: readonly Grant[];
  /** Log-ins, where the service asks for them. */
  readonly login?: Pick<ServerOptions, 'identity' | 'keystone'>;
  /** What runs the jobs of the service; they are simulated without it. */
  readonly engine?: JobEngine;
  /** How the service misbehaves; it behaves without it. */
  readonly injector?: Injector;
  /** What the operator logs; dropped without it. */
  readonly log?: Log;
  /** Of an API server of one's own; the shared one without it. */
  readonly kubeconfig?: string;
  /** The operator watches all namespaces: only on an API server of one's own. */
  readonly everywhere?: boolean;
  /** Namespaces that it watches beside its own. */
  readonly alsoWatches?: readonly string[];
  /** How the operator reaches the API server; by the kubeconfig without it. */
  readonly cluster?: ClusterConfig;
}

const patience = { timeout: limitMs, interval: 50 };
/** How often faster than the real one the clock of the operator runs, unless a test says otherwise: it polls, and tries again, sooner. */
const usualPace = 5;
export const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

export class World implements AsyncDisposable {
  /** In which its methods work. */
  namespace: string;
  readonly api: ApiServer;
  readonly service: Server;
  /** What the service really has, whatever it tells. */
  readonly records: Store = createMemoryStore();
  /** Requests that began after the last `forget`. */
  kubernetes: RequestReport[] = [];
  external: string[] = [];
  /** Requests of the operator to the service that went wrong, by category. */
  failures: string[] = [];
  #operator: Operator | undefined;
  /** Goes on from one process of the operator to the next. */
  readonly #usualClock: Clock = fastClock(usualPace);
  #clock = this.#usualClock;
  /** By the clock of the operator, which times its requests. */
  #forgottenAt = 0;
  readonly #options: WorldOptions;

  private constructor(namespace: string, api: ApiServer, options: WorldOptions) {
    this.namespace = namespace;
    this.api = api;
    this.#options = options;
    this.service = createServer({
      clock: systemClock,
      random: systemRandom,
      stageMs: options.stageMs ?? 0,
      grants: options.grants ?? (options.token === undefined ? [] : [{ token: options.token }]),
      ...options.login,
      // What a proxy calls it.
      allowedHosts: ['service.test'],
      store: this.records,
      hooks: options.injector,
      ...(options.engine && { engine: options.engine }),
      onRequest: (method, path) => void this.external.push(`${method} ${path}`),
    });
  }

  /** The service runs and the CRDs are there; the operator starts with `operate`. */
  static async create(options: WorldOptions = {}): Promise<World> {
    const { kubeconfig = inject('kubeconfig') } = options;
    await applyCrds(kubeconfig);
    const api = await connect(kubeconfig);
    const namespace = await createNamespace(api, `world-${randomBytes(5).toString('hex')}`);
    const world = new World(namespace, api, options);
    await world.service.start();
    return world;
  }

  /** `clock` is for the operator; API server and service keep real time. A test that measures time or counts requests gives the real one. */
  async operate(clock = this.#usualClock): Promise<void> {
    this.#clock = clock;
    this.#forgottenAt = clock.monotonic();
    const { quarantineMs = 3_000, kubeconfig = inject('kubeconfig') } = this.#options;
    const cluster =
      this.#options.cluster ?? (await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock }));
    this.#operator = createOperator({
      cluster,
      namespaces: this.#options.everywhere === true ? [] : [this.namespace, ...(this.#options.alsoWatches ?? [])],
      installation: 'tests',
      quarantineMs,
      health: { host: '127.0.0.1', port: 0 },
      instance: 'tests',
      clock,
      random: systemRandom,
      log: this.#options.log ?? quiet,
      // An answer may be noted after a test has seen what the request did, and has forgotten it, or has started the next process with another clock.
      onKubernetesRequest: (report) => {
        const isSince = clock === this.#clock && clock.monotonic() - report.ms >= this.#forgottenAt;
        if (isSince) this.kubernetes.push(report);
      },
      onServiceRequest: (_key, note) => {
        if (note.category !== undefined) this.failures.push(note.category);
      },
    });
    await this.#operator.start();
  }

  async halt(): Promise<void> {
    await this.#operator?.stop(10_000);
    this.#operator = undefined;
  }

  /** An answer of the operator's health server. */
  async ask(path: '/healthz' | '/readyz' | '/metrics'): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await fetch(`http://127.0.0.1:${this.#operator?.healthPort()}${path}`);
    return { status: answer.status, text: await answer.text() };
  }

  forget(): void {
    this.#forgottenAt = this.#clock.monotonic();
    this.kubernetes = [];
    this.external = [];
    this.failures = [];
  }

  /** Writes to the API server, events aside: `patch clusters/status`. */
  writes(): readonly string[] {
    const reads = ['get', 'list', 'watch'];
    const written = this.kubernetes.filter(
      ({ verb, resource }) => !reads.includes(verb) && !resource.startsWith('events'),
    );
    return written.map(({ verb, resource }) => `${verb} ${resource}`);
  }

  path(kind: string, name?: string): string {
    const { plural, scope } = definitions.find((one) => one.kind === kind) ?? {};
    const root =
      scope === 'Cluster'
        ? `/apis/${apiVersion}/${plural}`
        : plural === undefined
          ? `/api/v1/namespaces/${this.namespace}/${kind === 'ConfigMap' ? 'configmaps' : 'secrets'}`
          : `/apis/${apiVersion}/namespaces/${this.namespace}/${plural}`;
    return name === undefined ? root : `${root}/${name}`;
  }

  async apply(kind: string, name: string, spec: object): Promise<Resource> {
    const body =
      kind === 'Secret' || kind === 'ConfigMap'
        ? { apiVersion: 'v1', kind, metadata: { name }, ...spec }
        : { apiVersion, kind, metadata: { name }, spec };
    const answer = await this.api.apply(this.path(kind, name), body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body as Resource;
  }

  async get(kind: string, name: string): Promise<Resource | undefined> {
    const { status, body } = await this.api.send({ path: this.path(kind, name) });
    return status === 404 ? undefined : (body as Resource);
  }

  async annotate(kind: string, name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
    await this.api.send({ method: 'PATCH', path: this.path(kind, name), body: { metadata: { annotations } } });
  }

  async delete(kind: string, name: string): Promise<void> {
    await this.api.send({ method: 'DELETE', path: this.path(kind, name) });
  }

  /** A Connection `default` to the service of this world. */
  async connectService(spec: object = {}): Promise<void> {
    await this.apply(connection.kind, 'default', { endpoint: this.service.url, tenantID: 'demo', ...spec });
  }

  async until(
    kind: string,
    name: string,
    holds: (resource: Resource) => boolean,
    timeout = patience.timeout,
  ): Promise<Resource> {
    return vi.waitFor(
      async () => {
        const found = await this.get(kind, name);
        if (!found || !holds(found)) throw new Error(`${kind} ${name} is still: ${JSON.stringify(found?.status)}`);
        return found;
      },
      { ...patience, timeout },
    );
  }

  /** By the rule of `kubectl wait --for=condition=Ready`. */
  async ready(kind: string, name: string): Promise<Resource> {
    return this.until(kind, name, (resource) => {
      const ready = conditionOf(resource, 'Ready');
      return ready?.status === 'True' && ready.observedGeneration === resource.metadata.generation;
    });
  }

  async gone(kind: string, name: string, timeout = patience.timeout): Promise<void> {
    await vi.waitFor(
      async () => {
        const found = await this.get(kind, name);
        if (found) throw new Error(`${kind} ${name} is still there: ${JSON.stringify(found.status)}`);
      },
      { ...patience, timeout },
    );
  }

  /** What the service has, by its own answer. */
  async remote(
    route: 'clusters' | 'cluster-templates' | 'node-group-templates',
    token = this.#options.token,
  ): Promise<readonly Remote[]> {
    const answer = await fetch(`${this.service.url}/v1.0/demo/${route}`, {
      headers: token === undefined ? {} : { 'x-auth-token': token },
    });
    return ((await answer.json()) as Record<string, readonly Remote[]>)[route.replaceAll('-', '_')] ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.halt();
    await this.service.close();
    await this.api.close();
  }
}

export interface Remote {
  readonly id: string;
  readonly name: string;
  readonly status?: string;
  readonly cluster_template_id?: string;
  readonly node_groups?: readonly {
    readonly name: string;
    readonly count: number;
    readonly flavor_id?: string;
    readonly node_group_template_id?: string;
  }[];
}

export function conditionOf(resource: Resource | undefined, type: string): Condition | undefined {
  return resource?.status?.conditions?.find((one) => one.type === type);
}

export const specs = {
  master: { pluginName: 'vanilla', bigdataVersion: '1.2.1', flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] },
  worker: { pluginName: 'vanilla', bigdataVersion: '1.2.1', flavorID: '2', nodeProcesses: ['datanode', 'tasktracker'] },
  small: {
    pluginName: 'vanilla',
    bigdataVersion: '1.2.1',
    defaultImageID: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61',
    nodeGroups: [
      { name: 'master', count: 1, nodeGroupTemplateRef: { name: 'master' } },
      { name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } },
    ],
  },
  cluster: { clusterTemplateRef: { name: 'small' }, userKeypairID: 'demo' },
  /** One node with all that jobs of the type Shell need. */
  ofJobs: {
    pluginName: 'vanilla',
    bigdataVersion: '1.2.1',
    defaultImageID: '3f9c1b7e-5d2a-4c68-8e0f-9a7b6c5d4e3f',
    userKeypairID: 'demo',
    nodeGroups: [
      { name: 'all', count: 1, flavorID: '2', nodeProcesses: ['namenode', 'jobtracker', 'oozie', 'tasktracker'] },
    ],
  },
  program: { url: 'manila://2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58/run.sh' },
  job: { type: 'Shell', mains: [{ jobBinaryRef: { name: 'program' } }] },
} as const;

/** The templates of `specs`, Ready. */
export async function applyTemplates(world: World): Promise<void> {
  await world.apply('NodeGroupTemplate', 'master', specs.master);
  await world.apply('NodeGroupTemplate', 'worker', specs.worker);
  await world.apply('ClusterTemplate', 'small', specs.small);
}

/** Writes to the objects of one kind: the Connection counts its objects meanwhile. */
export const writesOf = (world: World, plural: string): readonly string[] =>
  world.writes().filter((line) => new RegExp(` ${plural}(/status)?$`).test(line));

/** The Secret and the Connection's word of it, for a world whose token is `open-sesame`. */
export const tokenSecret = { type: 'dataprocessing.dev/credentials', stringData: { token: 'open-sesame' } };
export const tokenAuth = { auth: { type: 'Token', secretRef: { name: 'token' } } };

/** The operator runs, by this clock or by that of the world, and the Cluster `etl` is Ready. */
export async function runCluster(world: World, connectionSpec: object = {}, clock?: Clock): Promise<void> {
  await world.operate(clock);
  await world.connectService(connectionSpec);
  await applyTemplates(world);
  await world.apply('Cluster', 'etl', specs.cluster);
  await world.ready('Cluster', 'etl');
}
