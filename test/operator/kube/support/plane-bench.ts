// A namespace of the real API server with a custom resource of our own, and a store that follows it.
import { expect, inject } from 'vitest';
import { defaultStatus } from '../../../../dev/generate/crd.ts';
import { loadClusterConfig } from '../../../../src/kube/config/cluster-config.ts';
import type { RequestReport } from '../../../../src/kube/http/call.ts';
import { type ApiTransport, createTransport } from '../../../../src/kube/http/transport.ts';
import { collectionPath, objectPath, type ResourceKind } from '../../../../src/kube/resource.ts';
import { systemClock, systemRandom } from '../../../../src/lib/system.ts';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { KubernetesStore, type StoreOptions } from '../../../../src/operator/kube/kubernetes-store.ts';
import type { ResourceChange } from '../../../../src/operator/reconcile/pass-ports.ts';
import { type ApiServer, connect, createNamespace } from '../../../support/kubernetes/api-server.ts';
import { type RecordingLog, recordingLog, until } from './ports.ts';

export const noPlane = inject('kubeconfig') === '';

const group = 'test.dataprocessing.dev';

export function testKind(kind: string): ResourceKind {
  return { kind, apiVersion: `${group}/v1`, plural: `${kind.toLowerCase()}s` };
}

export const crdPath = ({ plural }: ResourceKind): string =>
  `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`;

/** A kind with a status that has a default and a list of conditions, and is one field to the API server, as ours are. */
export function testCrd({ kind, plural }: ResourceKind): object {
  const text = { type: 'string' };
  const times = { observedGeneration: { type: 'integer', format: 'int64' }, lastTransitionTime: text };
  const condition = {
    type: 'object',
    required: ['type'],
    properties: { type: text, status: text, reason: text, message: text, ...times },
  };
  const conditions = {
    type: 'array',
    items: condition,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  };
  const status = {
    type: 'object',
    default: defaultStatus,
    'x-kubernetes-map-type': 'atomic',
    properties: { observedGeneration: { type: 'integer', format: 'int64' }, phase: text, conditions },
  };
  const spec = { type: 'object', properties: { size: { type: 'integer' }, note: text } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}

export async function installCrd(server: ApiServer, kind: ResourceKind): Promise<void> {
  await until(`${kind.kind} is applied`, async () => (await server.apply(crdPath(kind), testCrd(kind))).status < 300);
  await until(`${kind.kind} is served`, async () => (await server.send({ path: collectionPath(kind) })).status === 200);
}

export class PlaneBench {
  readonly server: ApiServer;
  readonly transport: ApiTransport;
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly reports: RequestReport[];

  private constructor(parts: Pick<PlaneBench, 'server' | 'transport' | 'kind' | 'namespace' | 'reports'>) {
    this.server = parts.server;
    this.transport = parts.transport;
    this.kind = parts.kind;
    this.namespace = parts.namespace;
    this.reports = parts.reports;
  }

  static async open(namespace: string, kubeconfig = inject('kubeconfig')): Promise<PlaneBench> {
    const server = await connect(kubeconfig);
    const kind = testKind('Widget');
    await createNamespace(server, namespace);
    await installCrd(server, kind);
    const reports: RequestReport[] = [];
    const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
    const transport = createTransport({ config, clock: systemClock, onRequest: (report) => reports.push(report) });
    return new PlaneBench({ server, transport, kind, namespace, reports });
  }

  async close(): Promise<void> {
    await this.transport.close();
    await this.server.close();
  }

  follow(options: Partial<StoreOptions> = {}): Follower {
    return new Follower({
      transport: this.transport,
      resources: [this.kind],
      namespaces: [this.namespace],
      clock: systemClock,
      random: systemRandom,
      log: recordingLog(),
      lateDeletion: undefined,
      ...options,
    });
  }

  /** Whether the API server begins a watch with a list. Older versions, such as Kubernetes 1.30, refuse that. */
  async streamsLists(): Promise<boolean> {
    const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1';
    const { status, body } = await this.server.send({ path: `${collectionPath(this.kind, this.namespace)}?${query}` });
    if (status === 422) expect(body).toMatchObject({ message: expect.stringContaining('the WatchList feature gate') });
    else expect(status).toBe(200);
    return status === 200;
  }

  path(name: string): string {
    return objectPath(this.kind, { namespace: this.namespace, name });
  }

  /** Creates or changes the object as another client would. */
  async apply(name: string, spec: object, metadata: object = {}): Promise<RawResource> {
    const { apiVersion, kind } = this.kind;
    const body = { apiVersion, kind, metadata: { name, namespace: this.namespace, ...metadata }, spec };
    const answer = await this.server.apply(this.path(name), body);
    if (answer.status >= 300) throw new Error(`cannot apply ${name}: ${JSON.stringify(answer.body)}`);
    return answer.body as RawResource;
  }

  async get(name: string): Promise<RawResource | undefined> {
    const answer = await this.server.send({ path: this.path(name) });
    return answer.status === 200 ? (answer.body as RawResource) : undefined;
  }

  async delete(name: string): Promise<void> {
    await this.server.send({ method: 'DELETE', path: this.path(name) });
  }

  /** `name@version` of all objects, as the API server has them now; undefined while it does not say. */
  async truth(): Promise<readonly string[] | undefined> {
    const { status, body } = await this.server.send({ path: collectionPath(this.kind, this.namespace) });
    if (status !== 200) return undefined;
    return (body as { items: readonly RawResource[] }).items.map(versionText).toSorted();
  }
}

/** A started store with everything that it told. */
export class Follower {
  readonly store: KubernetesStore;
  readonly changes: ResourceChange[] = [];
  readonly own: ResourceChange[] = [];
  readonly log: RecordingLog;
  readonly #kind: string;

  constructor(options: StoreOptions) {
    this.log = options.log as RecordingLog;
    this.#kind = options.resources[0]?.kind ?? '';
    this.store = new KubernetesStore(options);
    this.store.subscribe((change) => this.changes.push(change));
    this.store.subscribeWrites((change) => this.own.push(change));
    this.store.start();
  }

  synced(): Promise<void> {
    return until('the store is synced', () => this.store.health().synced);
  }

  get held(): readonly string[] {
    return [...this.store.list(this.#kind)].map(versionText).toSorted();
  }

  /** Waits until the cache holds exactly what the API server has. */
  async caughtUp(bench: PlaneBench): Promise<void> {
    await until('the cache equals the API server', async () => {
      const truth = await bench.truth();
      return JSON.stringify(truth) === JSON.stringify(this.held);
    });
  }

  stop(): Promise<void> {
    return this.store.stop();
  }
}

function versionText({ metadata }: RawResource): string {
  return `${metadata.name}@${metadata.resourceVersion}`;
}

/** Runs the work on all items, so many at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = [...items];
  const run = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, run));
}

/** A transport that changes the query of each watch before it is sent. */
export function rewriting(transport: ApiTransport, rewrite: (query: Query) => Query): ApiTransport {
  return {
    request: (call) => transport.request(call),
    stream: (call) => transport.stream({ ...call, query: rewrite({ ...call.query }) }),
    close: () => transport.close(),
  };
}

type Query = Record<string, string | number | boolean | undefined>;
