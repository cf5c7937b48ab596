// The objects of Kubernetes that the plugin reads and applies, with errors that name the missing right.
import { ApiError, kindAbsent } from '../kube/api-error.ts';
import type { PodTransport } from '../kube/http/transport.ts';
import { collectionPath, objectPath, type ResourceKind } from '../kube/resource.ts';
import { apiVersion, type Condition } from '../operator/api/shared-api.ts';

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly generation?: number;
  };
}

export interface Execution extends KubeObject {
  readonly spec: {
    readonly connectionRef?: { readonly kind?: 'Connection' | 'SharedConnection'; readonly name: string };
    readonly clusterRef?: { readonly name: string };
  };
  readonly status?: {
    readonly id?: string;
    readonly state?: string;
    readonly termination?: { readonly exitCode?: number };
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly cluster?: { readonly name?: string; readonly id?: string };
  };
}

export interface RunningCluster extends KubeObject {
  readonly status?: {
    readonly endpoints?: readonly { readonly target: string; readonly name: string; readonly url: string }[];
  };
}

export interface Connection extends KubeObject {
  readonly spec: {
    /** Of a SharedConnection: where its Secrets are. */
    readonly credentialsNamespace?: string;
    /** Of a SharedConnection: whether namespaces may take what exists in the service. */
    readonly allowAdopt?: boolean;
    readonly endpoint?: string;
    readonly formerEndpoints?: readonly string[];
    readonly tenantID?: string;
    readonly dialect?: string;
    readonly auth?: { readonly type: 'None' | 'Token' | 'Keystone'; readonly secretRef?: { readonly name: string } };
    readonly tls?: { readonly caSecretRef?: { readonly name: string }; readonly insecureSkipVerify?: boolean };
  };
  readonly status?: { readonly endpoint?: string; readonly tenantID?: string };
}

export interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const mostNames = 500;
const namesMs = 3_000;
const pageMs = 30_000;
export const manager = 'kubectl-dataprocessing';
const kinds: Readonly<Record<keyof Kinds, ResourceKind>> = {
  JobExecution: { kind: 'JobExecution', apiVersion, plural: 'jobexecutions' },
  Cluster: { kind: 'Cluster', apiVersion, plural: 'clusters' },
  Connection: { kind: 'Connection', apiVersion, plural: 'connections' },
  SharedConnection: { kind: 'SharedConnection', apiVersion, plural: 'sharedconnections', clusterScoped: true },
  Secret: { kind: 'Secret', apiVersion: 'v1', plural: 'secrets' },
};

interface Kinds {
  readonly JobExecution: Execution;
  readonly Cluster: RunningCluster;
  readonly Connection: Connection;
  readonly SharedConnection: Connection;
  readonly Secret: Secret;
}

interface PageWish {
  readonly limit: number;
  /** `next` of the page before. */
  readonly continue?: string;
  /** Of all namespaces. */
  readonly everywhere?: boolean;
  readonly timeoutMs?: number;
}

export interface ObjectPage<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export class Objects {
  readonly namespace: string;
  readonly #transport: PodTransport;
  /** Plurals by kind, for each API version. */
  readonly #plurals = new Map<string, ReadonlyMap<string, string>>();

  constructor(transport: PodTransport, namespace: string) {
    this.#transport = transport;
    this.namespace = namespace;
  }

  /** `remedy`: what to do without the right to read it. */
  async get<K extends keyof Kinds>(kind: K, name: string, remedy = ''): Promise<Kinds[K]> {
    return this.read<Kinds[K]>(kinds[kind], name, remedy);
  }

  /** Those of another namespace. */
  within(namespace: string): Objects {
    return new Objects(this.#transport, namespace);
  }

  /** An object of any kind. */
  async read<T extends KubeObject>(kind: ResourceKind, name: string, remedy = ''): Promise<T> {
    const path = objectPath(kind, { namespace: this.namespace, name });
    try {
      return (await this.#transport.request({ method: 'GET', path })) as T;
    } catch (error) {
      const where = kind.clusterScoped === true ? '' : ` in namespace ${JSON.stringify(this.namespace)}`;
      const what = `${kind.kind} ${JSON.stringify(name)}${where}`;
      if (!(error instanceof ApiError)) throw error;
      // Its message is the same in other words.
      if (error.status === 404 && !kindAbsent(error)) throw new Error(`there is no ${what}`);
      if (error.status !== 403) throw error;
      throw new Error(`you may not read ${what}: ask for the verb "get" on it${remedy}`, { cause: error });
    }
  }

  /** For the Tab key: some of them are enough, and nobody waits long. */
  async names(kind: ResourceKind): Promise<readonly string[]> {
    const { items } = await this.page(kind, { limit: mostNames, timeoutMs: namesMs });
    return items.map(({ metadata }) => metadata.name);
  }

  /** A part of a list. */
  async page<T extends KubeObject = KubeObject>(kind: ResourceKind, ask: PageWish): Promise<ObjectPage<T>> {
    const path = collectionPath(kind, ask.everywhere === true ? undefined : this.namespace);
    const { limit, continue: from, timeoutMs = pageMs } = ask;
    const call = { method: 'GET', path, query: { limit, continue: from }, timeoutMs } as const;
    const { items, metadata } = (await this.#transport.request(call)) as {
      readonly items: readonly T[];
      readonly metadata?: { readonly continue?: string };
    };
    const next = metadata?.continue;
    return { items, ...(next ? { next } : {}) };
  }

  /** Server-side apply. Conflicts with other managers are errors, as with `kubectl apply --server-side`. */
  async apply(object: KubeObject): Promise<KubeObject> {
    const { namespace = this.namespace, name } = object.metadata;
    const kind = { ...object, plural: await this.#pluralOf(object) };
    const path = objectPath(kind, { namespace, name });
    const query = { fieldManager: manager, fieldValidation: 'Strict' };
    const contentType = 'application/apply-patch+yaml';
    return (await this.#transport.request({ method: 'PATCH', path, query, contentType, body: object })) as KubeObject;
  }

  async #pluralOf({ apiVersion: wanted, kind }: KubeObject): Promise<string> {
    const known = this.#plurals.get(wanted) ?? (await this.#discover(wanted));
    this.#plurals.set(wanted, known);
    const plural = known.get(kind);
    if (plural === undefined) throw new Error(`the API server has no kind ${kind} in ${wanted}, in a namespace`);
    return plural;
  }

  async #discover(wanted: string): Promise<ReadonlyMap<string, string>> {
    const path = wanted.includes('/') ? `/apis/${wanted}` : `/api/${wanted}`;
    const { resources } = (await this.#transport.request({ method: 'GET', path })) as {
      readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
    };
    const whole = resources.filter(({ name, namespaced }) => namespaced && !name.includes('/'));
    return new Map(whole.map(({ kind, name }) => [kind, name]));
  }
}

/** The condition of a run that is over. */
export function endOf({ status }: Execution): Condition | undefined {
  return status?.conditions?.find((one) => (one.type === 'Complete' || one.type === 'Failed') && one.status === 'True');
}
