// A small API server with what belongs to it: the controller of Jobs, the garbage collector and a kubelet. Time is virtual.
import { ApiError, refusalError } from '../../../../src/kube/api-error.ts';
import type { ApiCall } from '../../../../src/kube/http/call.ts';
import { targetOf } from '../../../../src/kube/target.ts';
import type { ManualClock } from '../../../support/clock.ts';

// Objects are as the API server has them, and each kind has fields of its own.
// oxlint-disable-next-line typescript/no-explicit-any
export type Stored = any;

export const programMs = 3000;
const graceMs = 2000;
const controllerMs = 200;
const askMs = 1000;
/** How long the kubelet lets a runner try. */
const mostTries = 60;

/** What a pod asks the service for: whether the program may start. Undefined if the service does not answer. */
export type Permit = (run: string, token: string) => boolean | undefined;

interface Events {
  readonly started: (run: string) => void;
  readonly ended: (run: string) => void;
}

const executionOf = ({ metadata }: Stored): string => metadata.labels['dataprocessing.dev/job-execution-id'];

export class TinyApiServer {
  readonly objects = new Map<string, Stored>();
  readonly #clock: ManualClock;
  readonly #permit: Permit;
  readonly #events: Events;
  /** What waits for the end of each program that runs, by the path of its pod. */
  readonly #programs = new Map<string, (() => void)[]>();
  /** All changes, in their order. */
  readonly #changes: {
    readonly version: number;
    readonly path: string;
    readonly type: string;
    readonly object: Stored;
  }[] = [];
  #version = 0;
  /** Wakes the watches, or ends them with an error. */
  #watches = Promise.withResolvers<void>();

  constructor(clock: ManualClock, permit: Permit, events: Events) {
    this.#clock = clock;
    this.#permit = permit;
    this.#events = events;
  }

  /** Carries the request out. Throws ApiError. */
  serve({ method, path, query, body }: ApiCall): unknown {
    switch (method) {
      case 'GET':
        return targetOf(path).name === undefined ? this.#list(path, query?.['labelSelector']) : this.#get(path);
      case 'POST':
        return this.#create(path, structuredClone(body));
      case 'DELETE':
        return this.delete(path);
      default:
        throw new Error(`the tiny API server does not know ${method} ${path}`);
    }
  }

  /** Resolves at the end of the program, to what it has printed. */
  async *log(path: string, follows: boolean, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    const pod = path.replace(/\/log$/, '');
    this.#get(pod);
    const waiting = this.#programs.get(pod);
    if (follows && waiting !== undefined)
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    yield Buffer.from('2026-01-01T00:00:00Z line\n');
  }

  /** Like the API server of 1.30, it does not begin a watch with a list. */
  async *watch({ path, query }: Pick<ApiCall, 'path' | 'query'>, signal: AbortSignal): AsyncGenerator<unknown> {
    if (query?.['sendInitialEvents'] !== undefined)
      throw statusError(path, [422, 'Invalid', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden']);
    const selects = selectorOf(query?.['labelSelector']);
    let seen = Number(query?.['resourceVersion'] ?? 0);
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    while (!signal.aborted) {
      const { promise } = this.#watches;
      const fresh = this.#changes.filter(({ version }) => version > seen);
      for (const { path: of, type, object, version } of fresh) {
        seen = version;
        if (of.startsWith(`${path}/`) && selects(object)) yield { type, object };
      }
      if (fresh.length === 0) await Promise.race([promise, aborted]);
    }
  }

  /** All watches end. */
  restart(): void {
    this.#watches.reject(new Error('the connection was lost'));
    this.#watches.promise.catch(() => undefined);
    this.#watches = Promise.withResolvers<void>();
  }

  #set(path: string, object: Stored, type: 'ADDED' | 'MODIFIED' | 'DELETED'): Stored {
    this.#version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    if (type === 'DELETED') this.objects.delete(path);
    else this.objects.set(path, stored);
    this.#changes.push({ version: this.#version, path, type, object: stored });
    this.#watches.resolve();
    this.#watches = Promise.withResolvers<void>();
    return stored;
  }

  /** `orphans`: what belongs to it stays. */
  delete(path: string, orphans = false): unknown {
    const object = this.#get(path);
    if (targetOf(path).resource === 'pods') return this.#deletePod(path, object);
    this.#set(path, object, 'DELETED');
    if (targetOf(path).resource === 'jobs' && !orphans)
      this.#clock.after(controllerMs, () => this.#collect(object.metadata.uid));
    return {};
  }

  paths(resource: string): readonly string[] {
    return [...this.objects.keys()].filter((path) => targetOf(path).resource === resource);
  }

  #get(path: string): Stored {
    const found = this.objects.get(path);
    if (found !== undefined) return found;
    const { resource, name } = targetOf(path);
    throw statusError(path, [404, 'NotFound', `${resource} "${name}" not found`]);
  }

  #list(path: string, selector: unknown): unknown {
    const items = [...this.objects].filter(([each]) => each.startsWith(`${path}/`)).map(([, object]) => object);
    return { items: items.filter(selectorOf(selector)), metadata: { resourceVersion: String(this.#version) } };
  }

  #create(collection: string, object: Stored): Stored {
    const path = `${collection}/${object.metadata.name}`;
    if (this.objects.has(path))
      throw statusError(path, [409, 'AlreadyExists', `"${object.metadata.name}" already exists`]);
    const made = this.#set(path, { ...object, metadata: { ...object.metadata, uid: `uid-${this.#version}` } }, 'ADDED');
    // The controller can be behind: it makes the pod even if the Job is gone by then.
    if (targetOf(path).resource === 'jobs') this.#clock.after(controllerMs, () => this.#makePod(made));
    return made;
  }

  #change(path: string, change: (object: Stored) => Stored): void {
    const object = this.objects.get(path);
    if (object !== undefined) this.#set(path, change(object), 'MODIFIED');
  }

  #makePod(job: Stored): void {
    const { namespace, name, uid } = job.metadata;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}-${uid}`;
    const metadata = {
      ...job.spec.template.metadata,
      namespace,
      name: `${name}-${uid}`,
      uid: `pod-${uid}`,
      owner: uid,
    };
    this.#set(path, { apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: 'Pending' } }, 'ADDED');
    this.#clock.after(controllerMs, () => this.#startPod(path, 0));
    if (this.#jobOf(uid) === undefined) this.#clock.after(controllerMs, () => this.#collect(uid));
  }

  #jobOf(uid: string): string | undefined {
    return this.paths('jobs').find((path) => this.objects.get(path)?.metadata.uid === uid);
  }

  /** The kubelet waits for the Secret. Then the runner asks for the permit. */
  #startPod(path: string, tries: number): void {
    const pod = this.objects.get(path);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    const run = executionOf(pod);
    const job = pod.metadata.name.slice(0, -pod.metadata.owner.length - 1);
    const secret = this.objects.get(`/api/v1/namespaces/${pod.metadata.namespace}/secrets/${job}`);
    const permitted = secret === undefined ? undefined : this.#permit(run, secret.stringData.token);
    if (permitted === undefined && tries < mostTries)
      return void this.#clock.after(askMs, () => this.#startPod(path, tries + 1));
    if (permitted !== true) return this.#finish(path, { phase: 'Failed' });
    this.#programs.set(path, []);
    this.#events.started(run);
    this.#setState(path, 'Running', { running: {} });
    this.#clock.after(programMs, () => {
      if (!this.#programs.has(path)) return;
      this.#end(path);
      this.#finish(path, { phase: 'Succeeded', ...stateOf({ terminated: { exitCode: 0 } }) });
    });
  }

  #setState(path: string, phase: string, state: object): void {
    this.#change(path, (pod) => ({ ...pod, status: { phase, ...stateOf(state) } }));
  }

  #end(path: string): void {
    const waiting = this.#programs.get(path);
    if (waiting === undefined) return;
    this.#programs.delete(path);
    this.#events.ended(executionOf(this.objects.get(path)));
    for (const each of waiting) each();
  }

  /** The controller says so on the Job. */
  #finish(path: string, status: Stored): void {
    const owner = this.objects.get(path)?.metadata.owner;
    this.#change(path, (pod) => ({ ...pod, status }));
    this.#finishJob(owner, status.phase === 'Succeeded' ? 'Complete' : 'Failed');
  }

  #finishJob(uid: string, type: 'Complete' | 'Failed'): void {
    this.#clock.after(controllerMs, () =>
      this.#change(this.#jobOf(uid) ?? '', (job) =>
        job.status === undefined ? { ...job, status: { conditions: [{ type, status: 'True' }] } } : job,
      ),
    );
  }

  #deletePod(path: string, pod: Stored): unknown {
    if (pod.metadata.deletionTimestamp !== undefined) return {};
    this.#change(path, (each) => ({ ...each, metadata: { ...each.metadata, deletionTimestamp: 'now' } }));
    this.#clock.after(graceMs, () => {
      this.#end(path);
      this.#set(path, this.objects.get(path), 'DELETED');
      this.#finishJob(pod.metadata.owner, 'Failed');
    });
    return {};
  }

  #collect(uid: string): void {
    for (const path of this.paths('pods')) {
      const pod = this.objects.get(path);
      if (pod.metadata.owner === uid) this.#deletePod(path, pod);
    }
  }
}

/** Whether an object has the labels. */
function selectorOf(selector: unknown): (object: Stored) => boolean {
  const pairs = typeof selector === 'string' ? selector.split(',').filter((pair) => pair !== '') : [];
  const wanted = pairs.map((pair) => pair.split('='));
  return ({ metadata }) => wanted.every(([key = '', value]) => metadata.labels?.[key] === value);
}

const stateOf = (state: object) => ({ containerStatuses: [{ name: 'program', state }] });

export function statusError(path: string, [status, reason, message]: readonly [number, string, string]): ApiError {
  const text = JSON.stringify({ kind: 'Status', reason, message });
  return refusalError(`ask for ${path}`, { status, contentType: 'application/json', retryAfter: undefined, text });
}

/** What an API server answers before its caches are full. */
export const forbidden = (path: string): ApiError =>
  statusError(path, [403, 'Forbidden', `User "service" cannot get resource "${targetOf(path).resource}"`]);

export const noAnswer = (path: string): ApiError => new ApiError('unreachable', `cannot ask for ${path}: no answer`);
