// A small API server with what belongs to it: the controller of Jobs, the garbage collector and a kubelet. Time is virtual.
import { ApiError, refusalError } from '../../../../../../src/kube/api-error.ts';
import type { ApiCall, StreamCall } from '../../../../../../src/kube/http/call.ts';
import type { PodTransport } from '../../../../../../src/kube/http/transport.ts';
import { targetOf } from '../../../../../../src/kube/target.ts';
import type { Clock } from '../../../../../../src/lib/ports.ts';
import { jobs, type ObjectKind, pathOf, pods, secrets } from '../../../../../../src/service/backends/pods/api/api.ts';
import { programContainer } from '../../../../../../src/service/backends/pods/jobs/run-manifests.ts';
import { OpenStream } from '../../../../../operator/kube/support/fake-transport.ts';
import { type Answer, ApiServer, type Change, statusAnswer } from '../../../../../simulator/api/api-server.ts';
import { refusalOf, ServedWatch } from '../../../../../simulator/api/served-watch.ts';

// Objects are as the API server has them, and each kind has fields of its own.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

const usualProgramMs = 3000;
const graceMs = 2000;
const controllerMs = 200;
const askMs = 1000;
/** How long Kueue lets a Job wait that it has preempted. */
const waitMs = 10_000;
/** How long the kubelet lets a runner try. */
const mostTries = 60;

/** What a pod asks the service for: whether the program may start. Undefined if the service does not answer. */
export type Permit = (run: string, token: string, pod: string) => boolean | undefined;

interface Events {
  readonly started: (run: string) => void;
  readonly ended: (run: string) => void;
}

const kinds: Readonly<Record<string, ObjectKind>> = { jobs, pods, secrets };
const executionOf = ({ metadata }: Loose): string => metadata.labels['dataprocessing.dev/job-execution-id'];
const ownerOf = ({ metadata }: Loose): string | undefined => metadata.ownerReferences?.[0]?.uid;
const isFinished = ({ status }: Loose): boolean => status.conditions !== undefined;

interface TinyOptions {
  readonly permit: Permit;
  readonly events: Events;
  readonly isOld?: boolean;
  readonly programMs?: number;
}

export class TinyApiServer {
  readonly #server: ApiServer;
  readonly #isOld: boolean;
  readonly #programMs: number;
  readonly #clock: Clock;
  readonly #permit: Permit;
  readonly #events: Events;
  /** What waits for the end of each program that runs, by the path of its pod. */
  readonly #programs = new Map<string, (() => void)[]>();
  readonly #watches = new Map<ServedWatch, OpenStream>();
  #pods = 0;

  /** `isOld`: it does not begin watches with lists. */
  constructor(clock: Clock, { permit, events, isOld = false, programMs = usualProgramMs }: TinyOptions) {
    let made = 0;
    this.#isOld = isOld;
    this.#programMs = programMs;
    this.#clock = clock;
    this.#permit = permit;
    this.#events = events;
    this.#server = new ApiServer({
      wall: () => clock.wall(),
      uid: () => `uid-${(made += 1)}`,
      collect: (run) => void clock.after(controllerMs, run),
    });
    this.#server.onChange((change) => {
      this.#react(change);
      for (const watch of this.#watches.keys()) watch.tell(change);
    });
  }

  /** Carries the request out. Throws ApiError. */
  serve(call: Pick<ApiCall, 'method' | 'path' | 'query' | 'body' | 'contentType'>): unknown {
    const answer = this.#server.handle(call);
    if (answer.status < 300) return answer.body;
    throw refused(call.path, answer);
  }

  /** Resolves at the end of the program, to what it has printed. */
  async *log(path: string, follows: boolean, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    const pod = path.replace(/\/log$/, '');
    this.serve({ method: 'GET', path: pod });
    const waiting = this.#programs.get(pod);
    if (follows && waiting !== undefined)
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    yield Buffer.from('2026-01-01T00:00:00Z line\n');
  }

  /** Throws ApiError. */
  watch(call: StreamCall): AsyncIterable<unknown> {
    const refusal = this.#isOld ? refusalOf(call) : undefined;
    if (refusal !== undefined) throw refused(call.path, refusal);
    const stream = new OpenStream(call);
    const watch = new ServedWatch(this.#server, call, {
      send: (value) => void stream.send(value),
      end: () => {
        this.#watches.delete(watch);
        void stream.close();
      },
      after: (ms, run) => this.#clock.after(ms, run),
    });
    this.#watches.set(watch, stream);
    call.signal.addEventListener('abort', () => {
      watch.close();
      this.#watches.delete(watch);
    });
    watch.begin();
    return stream.values();
  }

  /** All watches end, and what was before is forgotten. */
  restart(): void {
    for (const [watch, stream] of this.#watches) {
      watch.close();
      stream.fail(new ApiError('unreachable', 'the connection was lost'));
    }
    this.#watches.clear();
    this.#server.compact();
  }

  /** A line to the server on which nothing goes wrong. */
  transport(): PodTransport {
    return {
      clock: this.#clock,
      request: async (call) => this.serve(call),
      stream: async (call) => this.watch(call),
      open: async ({ path, query, signal }) => ({
        status: 200,
        bytes: this.log(path, query?.['follow'] === true, signal),
      }),
      exec: () => Promise.reject(new Error('the tiny API server runs no commands')),
      close: async () => undefined,
    };
  }

  /** `orphans`: what belongs to it stays. */
  delete(path: string, orphans = false): void {
    this.serve({ method: 'DELETE', path, body: { propagationPolicy: orphans ? 'Orphan' : 'Background' } });
  }

  /** Kueue suspends all Jobs, and admits them later. */
  preempt(): void {
    for (const path of this.paths('jobs')) {
      this.#suspend(path, true);
      this.#clock.after(waitMs, () => this.#suspend(path, false));
    }
  }

  #suspend(path: string, suspend: boolean): void {
    const job = this.#find(path);
    if (job === undefined || isFinished(job)) return;
    const contentType = 'application/merge-patch+json';
    this.serve({ method: 'PATCH', path, contentType, body: { spec: { suspend } } });
  }

  paths(resource: string): readonly string[] {
    return this.#server.list(resource).map((object) => this.#pathOf(resource, object));
  }

  #pathOf(resource: string, { metadata: { namespace, name } }: Loose): string {
    const kind = kinds[resource];
    if (kind === undefined) throw new Error(`the tiny API server does not know ${resource}`);
    return pathOf(kind, namespace, name);
  }

  #find(path: string): Loose {
    const { resource, namespace = '', name = '' } = targetOf(path);
    return this.#server.get(resource, namespace, name);
  }

  #react({ type, plural, object, before }: Change): void {
    const path = kinds[plural] && this.#pathOf(plural, object);
    if (path === undefined) return;
    // The controller can be behind: it makes the pod even if the Job is gone by then.
    if (plural === 'jobs' && type === 'ADDED') this.#clock.after(controllerMs, () => this.#makePod(object));
    if (plural === 'jobs' && type === 'MODIFIED') this.#obey(object, before);
    if (plural !== 'pods') return;
    // Other pods than those of Jobs have no program.
    if (type === 'ADDED' && ownerOf(object) !== undefined)
      this.#clock.after(controllerMs, () => this.#startPod(path, 0));
    if (type === 'DELETED') this.#finishJob(object);
    const isDoomed = ({ metadata }: Loose): boolean => metadata.deletionTimestamp !== undefined;
    if (type === 'MODIFIED' && isDoomed(object) && !isDoomed(before)) this.#endPod(path);
  }

  /** The pods of a Job that is suspended are deleted. It gets another one when it is resumed. */
  #obey(job: Loose, before: Loose): void {
    const [is, was] = [job, before].map(({ spec }: Loose) => spec.suspend === true);
    if (is === was) return;
    if (is) this.#clock.after(controllerMs, () => this.#deletePods(job));
    else this.#clock.after(controllerMs, () => this.#makePod(job));
  }

  #deletePods({ metadata: { uid } }: Loose): void {
    for (const pod of this.#server.list('pods')) if (ownerOf(pod) === uid) this.delete(this.#pathOf('pods', pod));
  }

  #makePod({ metadata: { namespace, name, uid }, spec }: Loose): void {
    const { template } = spec;
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }];
    this.#pods += 1;
    const metadata = { ...template.metadata, namespace, name: `${name}-${uid}-${this.#pods}`, ownerReferences };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...template.spec, nodeName: 'node' } };
    this.serve({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body });
  }

  /** The kubelet waits for the Secret. Then the runner asks for the permit. */
  #startPod(path: string, tries: number): void {
    const pod = this.#find(path);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    const run = executionOf(pod);
    const { secretName } = pod.spec.volumes.find(({ secret }: Loose) => secret !== undefined).secret;
    const secret = this.#server.get('secrets', pod.metadata.namespace, secretName);
    const token = Buffer.from(secret?.data?.['token'] ?? '', 'base64').toString();
    const permitted = secret === undefined ? undefined : this.#permit(run, token, path);
    if (permitted === undefined && tries < mostTries)
      return void this.#clock.after(askMs, () => this.#startPod(path, tries + 1));
    if (permitted !== true) return this.#finish(path, { phase: 'Failed' });
    this.#programs.set(path, []);
    this.#events.started(run);
    this.#setStatus(path, { phase: 'Running', ...stateOf({ running: {} }) });
    this.#clock.after(this.#programMs, () => {
      if (!this.#programs.has(path)) return;
      this.#end(path);
      const finishedAt = new Date(this.#clock.wall()).toISOString();
      this.#finish(path, { phase: 'Succeeded', ...stateOf({ terminated: { exitCode: 0, finishedAt } }) });
    });
  }

  #setStatus(path: string, status: object): void {
    if (this.#find(path) === undefined) return;
    const contentType = 'application/merge-patch+json';
    this.serve({ method: 'PATCH', path: `${path}/status`, contentType, body: { status } });
  }

  #end(path: string): void {
    const waiting = this.#programs.get(path);
    if (waiting === undefined) return;
    this.#programs.delete(path);
    this.#events.ended(executionOf(this.#find(path)));
    for (const each of waiting) each();
  }

  #endPod(path: string): void {
    this.#clock.after(graceMs, () => {
      this.#end(path);
      if (this.#find(path) !== undefined) this.serve({ method: 'DELETE', path, body: { gracePeriodSeconds: 0 } });
    });
  }

  #finish(path: string, status: object): void {
    this.#setStatus(path, status);
    this.#finishJob(this.#find(path));
  }

  /** The controller says on the Job what has become of its pod. */
  #finishJob(pod: Loose): void {
    const type = pod.status.phase === 'Succeeded' ? 'Complete' : 'Failed';
    const owner = ownerOf(pod);
    this.#clock.after(controllerMs, () => {
      const job: Loose = this.#server.list('jobs').find(({ metadata: { uid } }) => uid === owner);
      // That of a suspended Job was deleted, and does not count.
      if (job === undefined || isFinished(job) || job.spec.suspend === true) return;
      this.#setStatus(this.#pathOf('jobs', job), { conditions: [{ type, status: 'True' }] });
    });
  }
}

const stateOf = (state: object) => ({ containerStatuses: [{ name: programContainer, state }] });

const refused = (path: string, { status, body }: Answer): ApiError =>
  refusalError(`ask for ${path}`, {
    status,
    contentType: 'application/json',
    retryAfter: undefined,
    text: JSON.stringify(body),
  });

/** What an API server answers before its caches are full. */
export function forbidden(path: string): ApiError {
  const message = `User "service" cannot get resource "${targetOf(path).resource}"`;
  return refused(path, statusAnswer(403, 'Forbidden', message));
}

/** What an API server answers to writes before its admission is ready. */
const notReady = (path: string): ApiError =>
  refused(
    path,
    statusAnswer(403, 'Forbidden', `${targetOf(path).resource} is forbidden: not yet ready to handle request`),
  );

/** What somebody between answers, such as a gateway. */
const notFromServer = (path: string): ApiError =>
  refused(path, { status: 404, body: { message: 'no Route matched with those values' } });

/** What comes while an API server starts, by the number of the request. */
export const refusalAt = (step: number): ((path: string) => ApiError) =>
  [forbidden, notReady, notFromServer][step % 3] ?? forbidden;

export const noAnswer = (path: string): ApiError => new ApiError('unreachable', `cannot ask for ${path}: no answer`);
