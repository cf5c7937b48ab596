// Where one scene plays: a namespace of its own, the bundled service behind a proxy, the operator, and a record of all that is seen.
import { inject } from 'vitest';
import { loadClusterConfig } from '../../src/kube/config/cluster-config.ts';
import type { Log } from '../../src/lib/ports.ts';
import { StoreError } from '../../src/lib/store-error.ts';
import { systemClock, systemRandom } from '../../src/lib/system.ts';
import type { RawResource } from '../../src/operator/api/definition.ts';
import { apiVersion } from '../../src/operator/api/shared-api.ts';
import { connection } from '../../src/operator/kinds/connection/schema.ts';
import { definitions } from '../../src/operator/kinds/index.ts';
import { createOperator, type Operator } from '../../src/operator/wiring/operator.ts';
import { prefixOf } from '../../src/wire/routes.ts';
import { type Backend, openBackend, tenant } from '../operator/kinds/support/backend.ts';
import type { Json } from '../operator/kinds/support/sample.ts';
import { type FastClock, fastClock } from '../support/fast-clock.ts';
import { type ApiServer, createNamespace } from '../support/kubernetes/api-server.ts';
import { type FaultProxy, openProxy } from '../support/service/service-proxy.ts';
import { Recorder } from './recorder.ts';

let count = 0;
/** The scenes of other files, and of other runs against the same API server, have other names. */
const series = `gitops-${process.pid}-${Date.now().toString(36)}`;

export class Stage implements AsyncDisposable {
  readonly namespace: string;
  readonly api: ApiServer;
  readonly recorder: Recorder;
  readonly backend: Backend;
  readonly proxy: FaultProxy;
  /** Of the operator; the API server keeps real time. */
  readonly clock: FastClock = fastClock(1);
  /** Errors of the operator's own that its log tells: there must be none. */
  readonly bugs: string[] = [];
  /** Clusters stay in the status that they have. */
  held = false;
  #operator: Operator | undefined;

  private constructor(parts: Pick<Stage, 'namespace' | 'api' | 'backend' | 'proxy'>) {
    this.namespace = parts.namespace;
    this.api = parts.api;
    this.backend = parts.backend;
    this.proxy = parts.proxy;
    this.recorder = new Recorder(parts.api, parts.namespace);
  }

  static async open(api: ApiServer): Promise<Stage> {
    const number = ++count;
    const backend = openBackend(number);
    const namespace = await createNamespace(api, `${series}-${number}`);
    const proxy = await openProxy(backend, { after: async () => (stage.held ? undefined : backend.rest()) });
    const stage = new Stage({ namespace, api, backend, proxy });
    return stage;
  }

  async operate(): Promise<void> {
    const kubeconfig = inject('kubeconfig');
    // A request to the API server that is under way when the clock leaps runs out of time: that is no error of the operator.
    const isLeap = (err: unknown): boolean =>
      err instanceof StoreError && err.message.endsWith('no answer within 30000 ms');
    const error: Log['error'] = ({ err }: { readonly err?: unknown }, message) => {
      if (!isLeap(err)) this.bugs.push(`${message}: ${err instanceof Error ? err.stack : ''}`);
    };
    this.#operator = createOperator({
      cluster: await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock }),
      namespaces: [this.namespace],
      installation: 'tests',
      quarantineMs: 3_000,
      health: { host: '127.0.0.1', port: 0 },
      instance: 'tests',
      clock: this.clock,
      random: systemRandom,
      log: { debug() {}, info() {}, warn() {}, error },
    });
    await this.#operator.start();
  }

  async halt(): Promise<void> {
    await this.#operator?.stop(10_000);
    this.#operator = undefined;
  }

  path(kind: string, name: string): string {
    const plural = definitions.find((one) => one.kind === kind)?.plural;
    return `/apis/${apiVersion}/namespaces/${this.namespace}/${plural}/${name}`;
  }

  async apply(kind: string, name: string, spec: Json): Promise<void> {
    const answer = await this.api.apply(this.path(kind, name), { apiVersion, kind, metadata: { name }, spec });
    if (answer.status >= 300) throw new Error(`cannot apply ${kind} ${name}: ${JSON.stringify(answer.body)}`);
  }

  async patch(kind: string, name: string, body: Json): Promise<void> {
    const answer = await this.api.send({ method: 'PATCH', path: this.path(kind, name), body });
    if (answer.status >= 300) throw new Error(`cannot patch ${kind} ${name}: ${JSON.stringify(answer.body)}`);
  }

  async delete(kind: string, name: string): Promise<void> {
    await this.api.send({ method: 'DELETE', path: this.path(kind, name) });
  }

  async fetch(kind: string, name: string): Promise<RawResource> {
    return (await this.api.send({ path: this.path(kind, name) })).body as RawResource;
  }

  /** What a Connection says to reach the service of this stage. */
  connectionSpec(spec: Json = {}): Json {
    return { endpoint: this.proxy.url, tenantID: tenant, pollSeconds: 1, ...spec };
  }

  async connect(spec: Json = {}): Promise<void> {
    await this.apply(connection.kind, 'default', this.connectionSpec(spec));
  }

  /** What a stranger does in the service, past the proxy and whoever is held up there. */
  async tamper(method: string, path: string, body: Json): Promise<Json> {
    const [collection = ''] = path.split('/');
    const url = `/${prefixOf('neutral', collection)}/${tenant}/${path}`;
    const answer = await this.backend.answer({ method, url, body: JSON.stringify(body) });
    if (answer.status >= 300) throw new Error(`the service refuses ${method} ${path}: ${answer.body}`);
    await this.backend.rest();
    return JSON.parse(answer.body) as Json;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.halt();
    this.recorder.close();
    await Promise.all([this.proxy.close(), this.backend.close()]);
  }
}
