// Leases as the API server keeps them, on the clock of the test; plane-lease.test.ts compares it with the real one.

import { ApiError } from '../../../../src/kube/api-error.ts';
import type { ApiCall } from '../../../../src/kube/http/call.ts';
import { startDeadline } from '../../../../src/kube/http/deadline.ts';
import type { ApiTransport } from '../../../../src/kube/http/transport.ts';
import type { Clock } from '../../../../src/lib/ports.ts';

interface LeaseObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

/**
 * What becomes of a request. slow: it takes effect, and its answer takes three seconds. lost: its answer never comes. late: it takes
 * effect after its sender has given up. hang: it never does.
 */
export const weathers = ['fine', 'slow', 'refused', 'lost', 'late', 'hang'] as const;
export type Weather = (typeof weathers)[number];

export class FakeLeases {
  readonly namespaces = new Set(['operators']);
  readonly #leases = new Map<string, LeaseObject>();
  #version = 100;

  /** As the holder of the kubeconfig sees it now. */
  get(path: string): LeaseObject | undefined {
    return this.#leases.get(path);
  }

  /** What somebody else does to it. */
  put(path: string, change: { readonly spec?: object; readonly metadata?: object }): void {
    const {
      metadata = {},
      spec,
      ...rest
    } = this.#leases.get(path) ?? { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    const resourceVersion = this.#next();
    this.#leases.set(path, {
      ...rest,
      metadata: { ...metadata, ...change.metadata, resourceVersion },
      spec: { ...spec, ...change.spec },
    });
  }

  delete(path: string): void {
    this.#leases.delete(path);
  }

  /** Throws ApiError, as a transport does. */
  answer({ method, path, body }: Pick<ApiCall, 'method' | 'path' | 'body'>): LeaseObject {
    const sent = body as LeaseObject;
    if (method === 'POST') return this.#create(path, sent);
    const found = this.#leases.get(path);
    if (found === undefined && method === 'GET') throw new ApiError('gone', 'not found', { status: 404 });
    if (found === undefined) throw overtaken();
    if (method === 'GET') return found;
    validate(sent);
    const { resourceVersion } = sent.metadata;
    if (resourceVersion === undefined)
      throw new ApiError('invalid', 'resourceVersion: must be specified', { status: 422 });
    if (resourceVersion !== found.metadata['resourceVersion']) throw overtaken();
    return this.#store(path, sent);
  }

  #create(collection: string, sent: LeaseObject): LeaseObject {
    const [, namespace = ''] = /namespaces\/([^/]+)\//.exec(collection) ?? [];
    if (!this.namespaces.has(namespace))
      throw new ApiError('gone', `namespaces "${namespace}" not found`, { status: 404 });
    const path = `${collection}/${String(sent.metadata['name'])}`;
    if (this.#leases.has(path)) throw overtaken();
    validate(sent);
    return this.#store(path, sent);
  }

  #store(path: string, sent: LeaseObject): LeaseObject {
    // The same text gets no new version.
    const found = this.#leases.get(path);
    if (found !== undefined && JSON.stringify(found) === JSON.stringify(sent)) return found;
    const stored = { ...sent, metadata: { ...sent.metadata, resourceVersion: this.#next() } };
    this.#leases.set(path, stored);
    return stored;
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }
}

const overtaken = () => new ApiError('conflict', 'somebody was faster', { status: 409 });

function validate({ spec = {} }: LeaseObject): void {
  const { leaseDurationSeconds = 1, leaseTransitions = 0 } = spec;
  if (Number(leaseDurationSeconds) <= 0) throw new ApiError('invalid', 'leaseDurationSeconds', { status: 422 });
  if (Number(leaseTransitions) < 0) throw new ApiError('invalid', 'leaseTransitions', { status: 422 });
  for (const time of [spec['renewTime'], spec['acquireTime']])
    if (typeof time === 'string' && !/\.\d{6}Z$/.test(time)) throw new ApiError('invalid', 'time', { status: 400 });
}

/** One replica's way to the leases. */
export class FakeLine implements ApiTransport {
  readonly calls: ApiCall[] = [];
  weather: Weather | ((call: ApiCall) => Weather) = 'fine';
  /** Answers wait for it: for a process that stands still. */
  gate: Promise<void> = Promise.resolve();
  readonly #leases: FakeLeases;
  readonly #clock: Clock;

  constructor(leases: FakeLeases, clock: Clock) {
    this.#leases = leases;
    this.#clock = clock;
  }

  async request(call: ApiCall): Promise<unknown> {
    this.calls.push(call);
    const answer = await this.#carry(call);
    await this.gate;
    if (answer instanceof ApiError) throw answer;
    return structuredClone(answer);
  }

  async #carry(call: ApiCall): Promise<object> {
    const weather = typeof this.weather === 'function' ? this.weather(call) : this.weather;
    const act = () => attempt(() => this.#leases.answer(call));
    switch (weather) {
      case 'fine':
        return act();
      case 'slow': {
        const answer = act();
        await new Promise<void>((resolve) => void this.#clock.after(3_000, resolve));
        return answer;
      }
      case 'refused':
        return unreachable('ECONNREFUSED');
      case 'lost':
        act();
        return this.#silence(call);
      case 'late': {
        const silence = await this.#silence(call);
        act();
        return silence;
      }
      case 'hang':
        return this.#silence(call);
    }
  }

  /** Until the caller's own limit. */
  async #silence({ timeoutMs = 30_000, signal }: ApiCall): Promise<ApiError> {
    const deadline = startDeadline({ clock: this.#clock, ms: timeoutMs, parent: signal, reason: 'no answer' });
    await new Promise<void>((resolve) => {
      if (deadline.signal.aborted) resolve();
      deadline.signal.addEventListener('abort', () => resolve());
    });
    deadline.done();
    return unreachable('no answer');
  }

  stream(): never {
    throw new Error('leases are not watched');
  }

  async close(): Promise<void> {}
}

const unreachable = (why: string) => new ApiError('unreachable', `cannot reach the API server: ${why}`);

function attempt(work: () => object): object {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
