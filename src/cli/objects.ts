// The objects of Kubernetes that the plugin reads and applies, with errors that name the missing right.
import { ApiError } from '../kube/api-error.ts';
import type { PodTransport } from '../kube/http/transport.ts';
import { apiVersion } from '../operator/api/common.ts';

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

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface Execution extends KubeObject {
  readonly spec: { readonly connectionRef?: { readonly name: string } };
  readonly status?: {
    readonly id?: string;
    readonly state?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface Connection extends KubeObject {
  readonly spec: {
    readonly endpoint?: string;
    readonly tenantID?: string;
    readonly auth?: { readonly type: 'None' | 'Token' | 'Keystone'; readonly secretRef?: { readonly name: string } };
    readonly tls?: { readonly caSecretRef?: { readonly name: string }; readonly insecureSkipVerify?: boolean };
  };
  readonly status?: { readonly endpoint?: string; readonly tenantID?: string };
}

export interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const manager = 'kubectl-dataprocessing';
const kinds = {
  JobExecution: `/apis/${apiVersion}/namespaces/%/jobexecutions/`,
  Connection: `/apis/${apiVersion}/namespaces/%/connections/`,
  Secret: '/api/v1/namespaces/%/secrets/',
} as const;

interface Kinds {
  readonly JobExecution: Execution;
  readonly Connection: Connection;
  readonly Secret: Secret;
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
    const path = `${kinds[kind].replace('%', encodeURIComponent(this.namespace))}${encodeURIComponent(name)}`;
    try {
      return (await this.#transport.request({ method: 'GET', path })) as Kinds[K];
    } catch (error) {
      const what = `${kind} ${JSON.stringify(name)} in namespace ${JSON.stringify(this.namespace)}`;
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 404) throw new Error(`there is no ${what}`, { cause: error });
      if (error.status !== 403) throw error;
      throw new Error(`you may not read ${what}: ask for the verb "get" on it${remedy}`, { cause: error });
    }
  }

  /** Server-side apply. Conflicts with other managers are errors, as with `kubectl apply --server-side`. */
  async apply(object: KubeObject): Promise<KubeObject> {
    const { namespace = this.namespace, name } = object.metadata;
    const [group, version = group] = object.apiVersion.split('/');
    const base = group === version ? `/api/${version}` : `/apis/${object.apiVersion}`;
    const plural = await this.#pluralOf(base, object);
    const path = `${base}/namespaces/${encodeURIComponent(namespace)}/${plural}/${encodeURIComponent(name)}`;
    const query = { fieldManager: manager, fieldValidation: 'Strict' };
    const contentType = 'application/apply-patch+yaml';
    return (await this.#transport.request({ method: 'PATCH', path, query, contentType, body: object })) as KubeObject;
  }

  async #pluralOf(base: string, { apiVersion: wanted, kind }: KubeObject): Promise<string> {
    const known = this.#plurals.get(base) ?? (await this.#discover(base));
    this.#plurals.set(base, known);
    const plural = known.get(kind);
    if (plural === undefined) throw new Error(`the API server has no kind ${kind} in ${wanted}, in a namespace`);
    return plural;
  }

  async #discover(base: string): Promise<ReadonlyMap<string, string>> {
    const { resources } = (await this.#transport.request({ method: 'GET', path: base })) as {
      readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
    };
    const whole = resources.filter(({ name, namespaced }) => namespaced && !name.includes('/'));
    return new Map(whole.map(({ kind, name }) => [kind, name]));
  }
}
