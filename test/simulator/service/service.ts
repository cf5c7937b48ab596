// The simulated service: routes, store, lifecycle and personalities of the bundled one, without its HTTP server.

import { leaveErrorRow, renderShape, statusRefusal } from '../../../dev/personality/faulty-answers.ts';
import { Injector } from '../../../dev/personality/injector.ts';
import { createLaggingStore } from '../../../dev/personality/lagging-store.ts';
import { type Fault, workOf } from '../../../dev/personality/personality.ts';
import type { Clock, Random } from '../../../src/lib/ports.ts';
import { checkAccess } from '../../../src/service/api/authentication/authentication.ts';
import { createSimulatedEngine, type JobEngine } from '../../../src/service/backends/job-engine.ts';
import { createSimulatedProvisioner } from '../../../src/service/backends/simulated-provisioner.ts';
import { bundledPlugins } from '../../../src/service/engines/index.ts';
import { createId } from '../../../src/service/model/records/identifiers.ts';
import type { Kind, Records } from '../../../src/service/model/records/records.ts';
import { Refusal, type RenderedRefusal, renderRefusal, toRefusal } from '../../../src/service/model/refusal.ts';
import { createMemoryStore, type Store } from '../../../src/service/model/store/store.ts';
import { endpoints } from '../../../src/service/resources/all-routes.ts';
import { Lifecycle } from '../../../src/service/resources/clusters/lifecycle.ts';
import type { Call, Endpoint } from '../../../src/service/resources/endpoints/endpoint.ts';
import { Executions } from '../../../src/service/resources/executions/executions.ts';
import type { Service } from '../../../src/service/resources/service.ts';

export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly body: string | undefined;
}

/** `cut`: the connection ends without a word; `truncated`: in the middle. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly end: 'whole' | 'cut' | 'truncated';
  /** How much longer it takes. */
  readonly delayMs: number;
}

export interface SimulatedServiceOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly stageMs: number;
  readonly token: string | undefined;
  /** The share of runs that fail. */
  readonly failingRuns: number;
  /** Called after each change of a record. */
  readonly changed: (kind: Kind, before: Records[Kind] | undefined, after: Records[Kind] | undefined) => void;
}

const silence = { debug() {}, info() {}, warn() {}, error() {} };
const notAnObject = '<Response 183 bytes [404 NOT FOUND]>';
const json = { 'content-type': 'application/json' };

interface Routed {
  readonly endpoint: Endpoint;
  readonly call: Omit<Call, 'body'>;
}

export class SimulatedService {
  readonly store: Store;
  readonly injector: Injector;
  readonly #options: SimulatedServiceOptions;
  readonly #service: Service;
  readonly #executions: Executions;

  constructor(options: SimulatedServiceOptions) {
    const { clock, random, stageMs, changed } = options;
    this.#options = options;
    this.injector = new Injector(clock);
    this.store = noticing(createMemoryStore(), changed);
    const store = createLaggingStore(this.store, this.injector, clock);
    const catalog = {
      plugins: bundledPlugins,
      flavors: undefined,
      images: undefined,
      quota: 10_000,
      rowQuota: 100_000,
      rowByteQuota: 1024 ** 3,
      allRowBytes: 1024 ** 3,
      runByteQuota: 1024 ** 3,
      byteQuota: 1024 ** 2,
    };
    const provisioner = createSimulatedProvisioner(random);
    const hooks = this.injector;
    const machinery = {
      dialect: 'neutral',
      store,
      clock,
      random,
      log: silence,
      stageMs: () => stageMs,
      hooks,
    } as const;
    const engine: JobEngine = {
      ...createSimulatedEngine(random),
      finish: async () => ({ status: random.next() < options.failingRuns ? 'FAILED' : 'SUCCEEDED' }),
    };
    const executions = new Executions({ ...machinery, engine });
    this.#executions = executions;
    const lifecycle = new Lifecycle({ ...machinery, provisioner, dependents: executions });
    const parts = { catalog, store, lifecycle, executions, engine, provisioner, clock, random };
    const loadOf: Service['loadOf'] = (_tenant, cluster) => hooks.loadOf(cluster);
    this.#service = { dialect: 'neutral', ...parts, loadOf, texts: new WeakMap() };
  }

  /** The request takes effect, or not, as the personality says. */
  respond(request: ServiceRequest): ServiceAnswer {
    let fault: Fault | undefined;
    const truth = this.#told(() => {
      const { endpoint, call } = this.#authorised(request);
      const whole: Call = { ...call, body: bodyOf(request, endpoint) };
      fault = this.injector.fault(request.method, endpoint.path);
      return this.#work(endpoint, whole, fault);
    });
    return this.#falsified(truth, fault);
  }

  /** The answer, also where it is a refusal. */
  #told(work: () => RenderedRefusal): RenderedRefusal {
    try {
      return work();
    } catch (error) {
      return renderRefusal('neutral', toRefusal(error as Error), () => createId(this.#options.random));
    }
  }

  /** What the service does when a cluster goes, however it went: a run that waits for it would wait for ever. */
  endRunsOn(cluster: string): void {
    this.#executions.clusterGone(cluster);
  }

  /** The same for somebody who is no replica: without a fault. */
  act(request: Omit<ServiceRequest, 'token'>): ServiceAnswer {
    const { endpoint, call } = routed(request);
    const whole: Call = { ...call, body: bodyOf({ ...request, token: undefined }, endpoint) };
    return { ...this.#told(() => this.#work(endpoint, whole, undefined)), end: 'whole', delayMs: 0 };
  }

  #authorised(request: ServiceRequest): Routed {
    const { token } = this.#options;
    checkAccess(token === undefined ? [] : [{ token }], request.token, request.path.split('/')[2]);
    if (request.token !== undefined) this.injector.checkToken(request.token);
    return routed(request);
  }

  #work(endpoint: Endpoint, call: Call, fault: Fault | undefined): RenderedRefusal {
    const work = fault === undefined ? 'done' : workOf(fault);
    if (work === 'late') this.#later(endpoint, call, fault?.lateMs ?? 0);
    if (work === 'error-row') leaveErrorRow(this.#service, call);
    if (work !== 'done') return { status: 200, headers: json, body: '' };
    const { status, text } = endpoint.handle(this.#service, call);
    return { status, headers: json, body: text };
  }

  #later(endpoint: Endpoint, call: Call, ms: number): void {
    this.#options.clock.after(ms, () => {
      try {
        endpoint.handle(this.#service, call);
      } catch (error) {
        // Nobody is there any more to be told of a refusal.
        if (!(error instanceof Refusal)) throw error;
      }
    });
  }

  #falsified(truth: RenderedRefusal, fault: Fault | undefined): ServiceAnswer {
    const delayMs = fault?.delayMs ?? 0;
    const answer = fault?.answer;
    switch (answer?.is) {
      case undefined:
        return { ...truth, end: 'whole', delayMs };
      case 'cut':
      case 'truncated':
        return { ...truth, end: answer.is, delayMs };
      case 'text':
        return { status: 200, headers: json, body: JSON.stringify(answer.text ?? notAnObject), end: 'whole', delayMs };
      case 'refusal': {
        const { status, shape = 'service', retryAfter, errorName, message } = answer;
        const refusal = statusRefusal(status, shape, { errorName, message });
        const rendered = renderShape('neutral', refusal, () => createId(this.#options.random));
        const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
        return { ...rendered, headers: { ...rendered.headers, ...wait }, end: 'whole', delayMs };
      }
    }
  }
}

/** By method and pattern, in the order in which they are to be tried. */
const table = endpoints.map((endpoint) => ({ endpoint, parts: endpoint.path.split('/') }));

function routed({ method, path }: Pick<ServiceRequest, 'method' | 'path'>): Routed {
  const [line = '', search = ''] = path.split('?');
  const [, , tenant = '', ...segments] = line.split('/').map(decodeURIComponent);
  for (const { endpoint, parts } of table) {
    if (endpoint.method !== method || parts.length !== segments.length) continue;
    if (!parts.every((part, index) => part.startsWith(':') || part === segments[index])) continue;
    const given = (name: string) => segments[parts.indexOf(`:${name}`)] ?? '';
    const query = Object.fromEntries(new URLSearchParams(search));
    return { endpoint, call: { tenant, id: given('id'), version: given('version'), name: given('name'), query } };
  }
  throw new Refusal([404, 'NOT_FOUND'], `cannot find ${path}`, 'framework');
}

function bodyOf({ method, body = '' }: ServiceRequest, { reads }: Endpoint): unknown {
  if (reads === 'bytes') return Buffer.from(body);
  if (method === 'DELETE' || method === 'GET') return undefined;
  return body === '' ? {} : JSON.parse(body);
}

/** The same store, of whose changes somebody is told. */
function noticing(store: Store, changed: SimulatedServiceOptions['changed']): Store {
  return {
    ...store,
    put(kind, tenant, record, bytes) {
      const before = store.get(kind, tenant, record.id);
      store.put(kind, tenant, record, bytes);
      changed(kind, before, record);
    },
    remove(kind, tenant, id) {
      const before = store.get(kind, tenant, id);
      store.remove(kind, tenant, id);
      if (before !== undefined) changed(kind, before, undefined);
    },
  };
}
