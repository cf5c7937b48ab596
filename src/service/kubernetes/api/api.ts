// The requests of the provisioner to the API server.
import { alreadyExists, refusalError } from '../../../kube/api-error.ts';
import type { ApiCall, ApiQuery } from '../../../kube/http/call.ts';
import type { ExecTarget } from '../../../kube/http/exec.ts';
import type { PodTransport } from '../../../kube/http/transport.ts';
import { beginning } from './bytes.ts';
import { isGone } from './failures.ts';
import { Requests } from './requests.ts';

/** A kind of objects, as it is in paths. */
export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

export const statefulSets: ObjectKind = { apiVersion: 'apps/v1', kind: 'StatefulSet', plural: 'statefulsets' };
export const services: ObjectKind = { apiVersion: 'v1', kind: 'Service', plural: 'services' };
export const secrets: ObjectKind = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' };
export const pods: ObjectKind = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
export const claims: ObjectKind = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims' };
export const events: ObjectKind = { apiVersion: 'v1', kind: 'Event', plural: 'events' };
export const jobs: ObjectKind = { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs' };
export const ingresses: ObjectKind = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', plural: 'ingresses' };
export const policies: ObjectKind = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
};

export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

/** Any object of the API server. */
export interface KubeObject {
  readonly metadata: ObjectMeta;
}

/** An object that is made here. */
export interface Made extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

export interface Selection {
  readonly labels?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** The name by which the API server knows the fields that are set here. */
export const manager = 'dataprocessing-service';

const collection = ({ apiVersion, plural }: ObjectKind, namespace: string): string =>
  `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}/namespaces/${encodeURIComponent(namespace)}/${plural}`;

export const pathOf = (kind: ObjectKind, namespace: string, name: string): string =>
  `${collection(kind, namespace)}/${encodeURIComponent(name)}`;

const selector = (pairs: Readonly<Record<string, string>> | undefined): string | undefined =>
  pairs &&
  Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** All methods reject with `Transient` if the failure may pass, and otherwise with ApiError, which says what to do about it. */
export class KubeApi {
  readonly #transport: PodTransport;
  readonly #requests: Requests;

  constructor(transport: PodTransport) {
    this.#transport = transport;
    this.#requests = new Requests(transport.clock);
  }

  /**
   * Makes the object, or makes it as it is here, whoever has changed it. It is never interrupted: an aborted request could still be carried out later, when
   * the object is to be gone.
   */
  async apply<T extends KubeObject>(kind: ObjectKind, object: Made): Promise<T> {
    const { namespace, name } = object.metadata;
    return (await this.#request({
      method: 'PATCH',
      path: pathOf(kind, namespace, name),
      query: { fieldManager: manager, force: true },
      contentType: 'application/apply-patch+yaml',
      body: object,
    })) as T;
  }

  /** Resolves to false if there is one of this name already. */
  async create(kind: ObjectKind, object: Made): Promise<boolean> {
    try {
      const path = collection(kind, object.metadata.namespace);
      await this.#request({ method: 'POST', path, query: { fieldManager: manager }, body: object });
      return true;
    } catch (error) {
      if (alreadyExists(error)) return false;
      throw error;
    }
  }

  async get<T extends KubeObject>(kind: ObjectKind, namespace: string, name: string): Promise<T | undefined> {
    try {
      return (await this.#request({ method: 'GET', path: pathOf(kind, namespace, name) })) as T;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(
    kind: ObjectKind,
    namespace: string,
    { labels, fields }: Selection,
  ): Promise<readonly T[]> {
    const query = { labelSelector: selector(labels), fieldSelector: selector(fields) };
    const answer = await this.#request({ method: 'GET', path: collection(kind, namespace), query });
    return (answer as { readonly items?: readonly T[] }).items ?? [];
  }

  /** What depends on it goes with it. One that is gone is no failure. */
  async remove(kind: ObjectKind, namespace: string, name: string): Promise<void> {
    try {
      const body = { propagationPolicy: 'Background' };
      await this.#request({ method: 'DELETE', path: pathOf(kind, namespace, name), body });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  exec(target: ExecTarget, command: readonly string[], signal: AbortSignal): Promise<string> {
    const path = `${pathOf(pods, target.namespace, target.pod)}/exec`;
    return this.#requests.make({ method: 'POST', path }, () => this.#transport.exec(target, command, signal));
  }

  /** What a container has printed, as it comes. */
  async *log(
    { namespace, name }: Pick<ObjectMeta, 'namespace' | 'name'>,
    query: ApiQuery,
    { signal, idleMs }: { readonly signal: AbortSignal; readonly idleMs: number },
  ): AsyncGenerator<Uint8Array> {
    const call = {
      method: 'GET',
      path: `${pathOf(pods, namespace, name)}/log`,
      query,
      signal,
      timeoutMs: idleMs,
    } as const;
    try {
      const { status, bytes } = await this.#transport.open(call);
      if (status === 200) return yield* bytes;
      const text = (await beginning(bytes)).toString('utf8');
      const refusal = { status, contentType: 'application/json', retryAfter: undefined, text };
      throw refusalError(`read the log of pod ${namespace}/${name}`, refusal);
    } catch (error) {
      throw this.#requests.explain(call, error);
    }
  }

  #request(call: ApiCall): Promise<unknown> {
    return this.#requests.make(call, () => this.#transport.request(call));
  }
}
