// The requests of the provisioner to the API server.
import { ApiError, alreadyExists, refusalError } from '../../../../kube/api-error.ts';
import { type ApiCall, type ApiQuery, verbOf } from '../../../../kube/http/call.ts';
import type { ExecTarget } from '../../../../kube/http/pod-exec.ts';
import type { PodTransport } from '../../../../kube/http/transport.ts';
import { collectionPath, type Metadata, objectPath, type ResourceKind } from '../../../../kube/resource.ts';
import { targetOf, targetText } from '../../../../kube/target.ts';
import { Transient } from '../../../model/disk/transient.ts';
import { beginning } from './bytes.ts';
import { isGone, namesOther } from './failures.ts';
import { Requests } from './requests.ts';

/** A kind of objects, as it is in paths. */
export type ObjectKind = Pick<ResourceKind, 'apiVersion' | 'kind' | 'plural'>;

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

/** Of an object that is made here, the API server adds most of it. */
export type ObjectMeta = Pick<Metadata, 'name' | 'namespace'> & Partial<Metadata>;

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
  /** Objects that have this label are left out. */
  readonly without?: string;
}

/** The name by which the API server knows the fields that are set here. */
export const manager = 'dataprocessing-service';

export const pathOf = (kind: ObjectKind, namespace: string, name: string): string =>
  objectPath(kind, { namespace, name });

function selector(pairs: Readonly<Record<string, string>> = {}, without?: string): string | undefined {
  const equal = Object.entries(pairs).map(([key, value]) => `${key}=${value}`);
  return [...equal, ...(without === undefined ? [] : [`!${without}`])].join(',') || undefined;
}

interface Received {
  readonly kind?: unknown;
  readonly status?: unknown;
  readonly items?: unknown;
  readonly metadata?: Partial<ObjectMeta> & { readonly continue?: string };
}

/** How many objects there are in a page of a list, so that no answer takes much memory: one can have some hundred kB. */
const pageSize = 50;
/** How often a list starts over whose token has expired, because the pages took minutes. */
const restarts = 2;

const isExpired = (error: unknown): boolean =>
  error instanceof Transient && error.cause instanceof ApiError && error.cause.status === 410;

const isObject =
  <T extends KubeObject>({ kind }: ObjectKind, name: string) =>
  (answer: unknown): answer is T => {
    const received = answer as Received | null | undefined;
    return received?.kind === kind && received.metadata?.name === name && typeof received.metadata.uid === 'string';
  };

/** The items of a list have no kind. */
function isList<T extends KubeObject>(answer: unknown): answer is Received & { readonly items: readonly T[] } {
  const { kind, items } = (answer ?? {}) as Received;
  const isNamed = (item: Received | null): boolean => typeof item?.metadata?.name === 'string';
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) && items.every(isNamed);
}

/** The object as it was or is until it is gone, or a Status. */
const isDeletion = (kind: ObjectKind, name: string) => {
  const isIt = isObject(kind, name);
  return (answer: unknown): answer is unknown => {
    const { kind: received, status } = (answer ?? {}) as Received;
    return (received === 'Status' && status === 'Success') || isIt(answer);
  };
};

/** All methods reject with `Transient` if the failure may pass, and otherwise with ApiError, which says what to do about it. */
export class KubeApi {
  readonly #transport: PodTransport;
  readonly #requests: Requests;

  constructor(transport: PodTransport) {
    this.#transport = transport;
    this.#requests = new Requests(transport.clock);
  }

  /** According to a record, objects of these kinds were made in the namespace, perhaps before the service was restarted. */
  recall(namespace: string, kinds: readonly ObjectKind[]): void {
    this.#requests.recall(
      namespace,
      kinds.map(({ plural }) => plural),
    );
  }

  /**
   * Makes the object, or makes it as it is here, whoever has changed it. It is never interrupted: an aborted request could still be carried out later, when
   * the object is to be gone.
   */
  async apply<T extends KubeObject>(kind: ObjectKind, object: Made): Promise<T> {
    const { namespace, name } = object.metadata;
    const call = {
      method: 'PATCH',
      path: pathOf(kind, namespace, name),
      query: { fieldManager: manager, force: true },
      contentType: 'application/apply-patch+yaml',
      body: object,
    } as const;
    return await this.#request(call, isObject<T>(kind, name));
  }

  /** Resolves to false if there is one of this name already. */
  async create(kind: ObjectKind, object: Made): Promise<boolean> {
    const { namespace, name } = object.metadata;
    const call = {
      method: 'POST',
      path: collectionPath(kind, namespace),
      query: { fieldManager: manager },
      body: object,
    } as const;
    try {
      await this.#request(call, isObject(kind, name));
      return true;
    } catch (error) {
      if (alreadyExists(error)) return false;
      throw error;
    }
  }

  async get<T extends KubeObject>(kind: ObjectKind, namespace: string, name: string): Promise<T | undefined> {
    try {
      return await this.#request({ method: 'GET', path: pathOf(kind, namespace, name) }, isObject<T>(kind, name));
    } catch (error) {
      if (isGone(error, name)) return undefined;
      throw error;
    }
  }

  /** `keep`: what is needed of each object. The rest takes memory for no longer than its page. */
  async list<T extends KubeObject>(
    kind: ObjectKind,
    namespace: string,
    selection: Selection,
    keep: (object: T) => T,
  ): Promise<readonly T[]> {
    for (let left = restarts; ; left -= 1) {
      const listed: T[] = [];
      try {
        for await (const page of this.#pages<T>(collectionPath(kind, namespace), selection))
          listed.push(...page.map(keep));
        return listed;
      } catch (error) {
        if (left === 0 || !isExpired(error)) throw error;
      }
    }
  }

  async *#pages<T extends KubeObject>(path: string, selection: Selection): AsyncGenerator<readonly T[]> {
    const { labels, fields, without } = selection;
    const selectors = { labelSelector: selector(labels, without), fieldSelector: selector(fields) };
    let token: string | undefined;
    do {
      const query = { ...selectors, limit: pageSize, continue: token };
      const { items, metadata } = await this.#request({ method: 'GET', path, query }, isList<T>);
      yield items;
      token = metadata?.continue || undefined;
    } while (token !== undefined);
  }

  /** What depends on it goes with it. One that is gone is no failure. */
  async remove(kind: ObjectKind, namespace: string, name: string): Promise<void> {
    try {
      const body = { propagationPolicy: 'Background' };
      await this.#request({ method: 'DELETE', path: pathOf(kind, namespace, name), body }, isDeletion(kind, name));
    } catch (error) {
      if (!isGone(error, name)) throw error;
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

  /** An answer about something else than was asked for is none of the API server: it is not known whether the request was carried out. */
  #request<T>(call: ApiCall, isExpected: (answer: unknown) => answer is T): Promise<T> {
    return this.#requests.make(call, async () => {
      const answer = await this.#transport.request(call).catch((error: unknown) => {
        throw namesOther(error, targetOf(call.path).name) ? somethingElse(call, error) : error;
      });
      if (isExpected(answer)) return answer;
      throw somethingElse(call);
    });
  }
}

function somethingElse(call: ApiCall, cause?: unknown): ApiError {
  const action = `${verbOf(call)} ${targetText(call.path)}`;
  return new ApiError(
    'unreachable',
    `cannot ${action}: the answer is about something else, so it is not from the API server`,
    {
      cause,
    },
  );
}
