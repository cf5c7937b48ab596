// The product's own pass, stopped at each request: what it does next follows from what it knew when it began and from the answers since.
//
// A pass under way cannot be copied. It can be run again, with the answers it had, up to the request that has none yet. That is done
// once for each different course of a pass, however many states of the world hold it.
import type { Log } from '../../../src/lib/ports.ts';
import { StoreError, type StoreErrorCategory } from '../../../src/lib/store-error.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { sharedConnectionKind } from '../../../src/operator/api/shared-api.ts';
import type { Service } from '../../../src/operator/client/service-client.ts';
import type { KeyMemory } from '../../../src/operator/reconcile/key-memory.ts';
import type { Kind, RemoteObject } from '../../../src/operator/reconcile/kind/kind.ts';
import { createPass } from '../../../src/operator/reconcile/pass.ts';
import { keyOf, keyText, type PassPorts, type ResourceStore } from '../../../src/operator/reconcile/pass-ports.ts';
import { scalerKind } from '../../../src/operator/reconcile/resource/scalers.ts';
import type { Method, ServiceError } from '../../../src/wire/errors/service-error.ts';
import { executionMarker, type JobExecute } from '../../../src/wire/jobs.ts';
import { type Route, routes } from '../../../src/wire/routes.ts';
import {
  inUse,
  invalid,
  nameTaken,
  notFound,
  quota,
  reset,
  unsent,
} from '../../operator/reconcile/protocol/failures.ts';
import { installation, usable, viewOf, wall } from '../../operator/reconcile/support.ts';
import { claimantsOf, rivalClaimants } from './forgers.ts';
import { type Snapshot, tidy, timeOf } from './memory.ts';
import { resourceWith } from './referrer.ts';
import { sharedConnectionFor } from './selection.ts';
import { settersIn } from './setter.ts';
import type { Row, Tables } from './tables.ts';

/** A request of a pass, to Kubernetes or to the service. */
export type Call =
  /** Of the objects of the kind, of the templates made for them, or of those that may refer to them. */
  | { readonly call: 'list'; readonly of: 'own' | 'templates' | 'referring' }
  | { readonly call: 'get'; readonly id: string }
  | { readonly call: 'post'; readonly body: Body; readonly of?: 'templates' }
  | { readonly call: 'put'; readonly id: string; readonly body: Body }
  | { readonly call: 'delete'; readonly id: string }
  | { readonly call: 'claim'; readonly ledger: string }
  | { readonly call: 'status'; readonly status: Readonly<Record<string, unknown>> }
  | { readonly call: 'release' }
  | { readonly call: 'read' };

type Groups = readonly { readonly name: string; readonly count: number }[];

export interface Body {
  readonly name: string;
  readonly cluster_template_id?: string;
  readonly node_groups?: Groups;
  readonly resize_node_groups?: Groups;
}

/** `rows <number>`, `version <number>`, `failure <name>` of the service, `store <category>`, or `ok`. */
export type Answer = string;

export interface Idle {
  readonly state: 'idle';
  readonly memory: KeyMemory | undefined;
  /** The last LIST, as long as a pass may still use it. */
  readonly snapshot: Snapshot | undefined;
  /** The pass that has just ended has told that an object is adopted. */
  readonly told?: true;
}

export interface Busy {
  readonly state: 'busy';
  readonly start: Start;
  readonly answers: readonly Answered[];
  readonly call: Call;
  /** When the call was made. */
  readonly since: number;
  /** The resource as this pass knows it. */
  readonly version: number;
  /** See Answered. */
  readonly cached: number | undefined;
  /** What this pass last saw of the service. */
  readonly seen: number | undefined;
}

/**
 * `referrer`, `setter`: as the caches have them from now on. `cached`: the version of the resource that they have, where it restrains the operator otherwise
 * than the one that the pass knows.
 */
interface Answered {
  readonly answer: Answer;
  readonly elapsed: number;
  readonly cached: number | undefined;
  readonly referrer: number;
  readonly setter: number;
}

interface Start {
  readonly idle: number;
  readonly referrer: number;
  readonly setter: number;
  readonly version: number;
  readonly elapsed: number;
  /** How old a LIST may be, in ms. */
  readonly pollMs: number;
  /** Which process it is of. */
  readonly process: number;
}

export type Course = Idle | Busy;

export interface PassesOptions {
  readonly kind: Kind;
  readonly others: readonly Kind[];
  readonly tables: Tables;
  readonly quarantineMs: number;
  readonly hostile: 'coveted' | 'rival' | undefined;
}

const silent = () => undefined;
const log: Log = { debug: silent, info: silent, warn: silent, error: silent };

export class Passes {
  readonly #options: PassesOptions;
  readonly #courses: Course[] = [];
  readonly #known = new Map<string, number>();
  /** A process that has just started. */
  readonly fresh: number;

  constructor(options: PassesOptions) {
    this.#options = options;
    this.fresh = this.#idle({ state: 'idle', memory: undefined, snapshot: undefined });
  }

  /** How many different courses of passes were run. */
  get count(): number {
    return this.#courses.length;
  }

  at(course: number): Course {
    const found = this.#courses[course];
    if (!found) throw new Error(`there is no course ${course}`);
    return found;
  }

  /** The process in the given tick, without what can make no difference any more. */
  tidied(course: number, elapsed: number, keepsList: boolean): number {
    const key = `${course} ${elapsed} ${keepsList}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const idle = this.at(course);
    if (idle.state !== 'idle') return course;
    const number = this.#idle(tidy(keepsList ? idle : { memory: idle.memory, snapshot: undefined }, elapsed));
    this.#known.set(key, number);
    return number;
  }

  /** A pass begins with what the process remembers. */
  begin(start: Start): number | Promise<number> {
    const key = `${start.idle} ${start.version} ${start.elapsed} ${start.pollMs} ${start.referrer} ${start.setter} of ${start.process}`;
    return this.#known.get(key) ?? this.#play(key, start, []);
  }

  /** Its request is answered. */
  goOn(course: number, next: Answered): number | Promise<number> {
    const key = `${course} ${next.answer} ${next.elapsed} ${next.referrer} ${next.setter} ${next.cached}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const busy = this.at(course);
    if (busy.state !== 'busy') throw new Error('cannot answer: no pass is under way');
    return this.#play(key, busy.start, [...busy.answers, next]);
  }

  async #play(key: string, start: Start, answers: Busy['answers']): Promise<number> {
    const before = this.at(start.idle);
    if (before.state !== 'idle') throw new Error('cannot begin a pass: one is under way');
    const playing = new Playing(this.#options, { before, start, answers });
    const course = await playing.run();
    const number = course.state === 'idle' ? this.#idle(course) : this.#courses.push(course) - 1;
    this.#known.set(key, number);
    return number;
  }

  #idle(idle: Idle): number {
    const key = JSON.stringify(idle, (_name, value) => (value instanceof Map ? [...value] : value));
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const number = this.#courses.push(idle) - 1;
    this.#known.set(key, number);
    return number;
  }
}

interface Given {
  readonly before: Idle;
  readonly start: Start;
  readonly answers: Busy['answers'];
}

const failures = { inUse, invalid, nameTaken, notFound, quota, reset, unsent };

function failureOf(name: string | undefined, method: Method): ServiceError {
  const known = Object.entries(failures).find(([one]) => one === name);
  if (!known) throw new Error(`there is no failure ${name}`);
  return known[1](method);
}

/** One run of one pass. */
class Playing {
  readonly #options: PassesOptions;
  readonly #given: Given;
  readonly #memories = new Map<string, KeyMemory>();
  #time: { elapsed: number; order: number };
  #snapshot: Snapshot | undefined;
  /** No later pass uses the list of the private templates. */
  #templates: Snapshot | undefined;
  #version: number;
  #cached: number | undefined;
  #seen: number | undefined;
  /** The list of those who may refer to it. */
  #referring: Snapshot | undefined;
  #referrer: number;
  #setter: number;
  #position = 0;
  #told = false;
  #stop: (course: Busy) => void = silent;

  constructor(options: PassesOptions, given: Given) {
    this.#options = options;
    this.#given = given;
    const { before, start } = given;
    this.#snapshot = before.snapshot;
    this.#seen = before.snapshot && this.#options.tables.rows.numberOf(before.snapshot.rows);
    this.#version = start.version;
    this.#referrer = start.referrer;
    this.#setter = start.setter;
    this.#time = timeOf(before, start.elapsed);
  }

  run(): Promise<Course> {
    const { start, before } = this.#given;
    const resource = this.#options.tables.versions.at(start.version);
    if (!resource) return Promise.resolve({ state: 'idle', memory: undefined, snapshot: undefined });
    const key = keyOf(resource);
    if (before.memory) this.#memories.set(keyText(key), { ...before.memory });
    const pass = createPass(this.#ports(), this.#memories);
    const signal = new AbortController().signal;
    return new Promise((resolve, reject) => {
      this.#stop = resolve;
      pass(key, { signal, pollMs: start.pollMs }).then(() => resolve(this.#ended(keyText(key))), reject);
    });
  }

  #ended(key: string): Idle {
    const idle = tidy({ memory: this.#memories.get(key), snapshot: this.#snapshot }, this.#time.elapsed);
    return this.#told ? { ...idle, told: true } : idle;
  }

  #emitted(reason: string): void {
    if (reason === 'Adopted') this.#told = true;
  }

  #now(): number {
    return this.#time.elapsed + this.#time.order;
  }

  #ask(call: Call): Promise<Answer> {
    const { answers, start } = this.#given;
    const next = answers[this.#position];
    if (!next) {
      const known = { version: this.#version, cached: this.#cached, seen: this.#seen };
      this.#stop({ state: 'busy', start, answers, call, since: this.#time.elapsed, ...known });
      return new Promise(silent);
    }
    this.#position += 1;
    this.#referrer = next.referrer;
    this.#setter = next.setter;
    this.#cached = next.cached;
    const { elapsed, order } = this.#time;
    // Between a request and its answer lies the moment in which it is sent.
    this.#time = { elapsed: next.elapsed, order: next.elapsed === elapsed ? order + 2 : 0 };
    return Promise.resolve(next.answer);
  }

  #ports(): PassPorts {
    const { kind, others, quarantineMs } = this.#options;
    const service = usable({ service: this.#service() });
    return {
      store: this.#store(),
      services: { lookup: () => service },
      events: { emit: ({ reason }) => this.#emitted(reason) },
      leadership: { leading: () => true },
      clock: {
        wall: () => wall + this.#time.elapsed,
        monotonic: () => this.#now(),
        after: () => silent,
      },
      log,
      kinds: new Map([kind, ...others].map((one) => [one.definition.kind, one])),
      installation,
      process: `process-${this.#given.start.process}`,
      quarantineMs,
      ...this.#claimants(),
      claimantsOfId: () => [],
      isNamed: () => false,
      massDeletion: async () => undefined,
      mayExpire: () => true,
      seesAll: true,
    };
  }

  #claimants(): Pick<PassPorts, 'claimants' | 'rivals' | 'holder'> {
    const { kind, hostile, tables } = this.#options;
    if (hostile === undefined) return { claimants: () => [], rivals: () => [], holder: silent };
    const spec = tables.versions.at(this.#given.start.version)?.spec;
    return hostile === 'rival' ? rivalClaimants(kind) : claimantsOf(kind, spec);
  }

  // --- Kubernetes ------------------------------------------------------------------------------------------------------

  #store(): ResourceStore {
    const { tables, others } = this.#options;
    return {
      read: ({ kind }) => {
        const known = tables.versions.at(this.#cached ?? this.#version);
        const resource = known ?? tables.versions.at(this.#given.start.version) ?? undefined;
        return kind === sharedConnectionKind ? resource && sharedConnectionFor(resource) : resource;
      },
      list: (kind) => {
        if (kind === scalerKind) return settersIn(tables, this.#setter);
        return others.some(({ definition }) => definition.kind === kind)
          ? [resourceWith(tables.referrers.at(this.#referrer))]
          : [];
      },
      synced: () => true,
      claim: (_resource, ledger = '') => this.#write({ call: 'claim', ledger }),
      release: async () => {
        this.#checked(await this.#ask({ call: 'release' }));
      },
      // No world has a run with a cluster of its own, or a time to live.
      create: () => Promise.reject(new Error('cannot create an object: no world asks for that')),
      remove: () => Promise.reject(new Error('cannot delete the resource: no world asks for that')),
      writeStatus: (_resource, status) =>
        this.#write({ call: 'status', status: status as Readonly<Record<string, unknown>> }),
      readFresh: async () => this.#versioned(await this.#ask({ call: 'read' })) ?? undefined,
    };
  }

  async #write(call: Call): Promise<RawResource> {
    const written = this.#versioned(await this.#ask(call));
    if (!written) throw new Error('cannot write: there is no resource');
    return written;
  }

  #versioned(answer: Answer): RawResource | null {
    const [, number] = this.#checked(answer);
    this.#version = Number(number);
    return this.#options.tables.versions.at(this.#version);
  }

  #checked(answer: Answer): readonly string[] {
    const words = answer.split(' ');
    const [what, detail] = words;
    if (what === 'store') throw new StoreError(detail as StoreErrorCategory, `the API server says ${detail}`);
    return words;
  }

  // --- the service -----------------------------------------------------------------------------------------------------

  #service(): Service {
    const single = async (call: Extract<Call, { readonly body: Body }>, method: Method) => {
      const [row] = this.#rowsOf(await this.#ask(call), method);
      return row;
    };
    const service = {
      budget: {
        limits: { requestsPerSecond: Number.POSITIVE_INFINITY },
        take: () => Promise.resolve({ signal: undefined, release: silent }),
      },
      // One resource never waits for the turn of another.
      starts: {
        take: () => Promise.resolve({ signal: undefined, release: silent }),
        ended: silent,
        doubtedAt: Number.NEGATIVE_INFINITY,
      },
      inventory: {
        observe: (route: Route, wanted: { readonly notBefore: number }) => this.#observeOf(route, wanted.notBefore),
        getById: (_route: unknown, id: string) => this.#getById(id),
        // Who asks for it asks again.
        isGone: () => false,
        // One resource sees each LIST itself.
        droppedAt: () => undefined,
        restMs: () => 0,
        age: () => this.#snapshot && this.#now() - this.#snapshot.sentAt,
      },
      create: (route: Route, body: Body) =>
        single({ call: 'post', body, ...(this.#isOwn(route) ? {} : { of: 'templates' }) }, 'POST'),
      scaleCluster: (id: string, body: Body) => single({ call: 'put', id, body }, 'PUT'),
      execute: (_job: string, body: JobExecute) =>
        single({ call: 'post', body: { name: String(body.job_configs?.configs?.[executionMarker]) } }, 'POST'),
      getObject: async (_route: unknown, id: string) => {
        const { row } = await this.#getById(id);
        if (row) return row;
        throw failureOf('notFound', 'GET');
      },
      remove: async (_route: unknown, id: string) => {
        this.#rowsOf(await this.#ask({ call: 'delete', id }), 'DELETE');
      },
    };
    return service as unknown as Service;
  }

  #isOwn(route: Route): boolean {
    return route === routes[this.#options.kind.route];
  }

  /** A cluster of a fixed name has a template of its own; whoever else there is refers to a template. */
  #observeOf(route: Route, notBefore: number) {
    if (this.#isOwn(route)) return this.#observe(notBefore);
    return this.#options.kind.identity === 'named'
      ? this.#observeTemplates(notBefore)
      : this.#observeReferring(notBefore);
  }

  async #observe(notBefore: number) {
    if (!this.#snapshot || this.#snapshot.sentAt < notBefore) {
      const sentAt = this.#now() + 1;
      const rows = this.#rowsOf(await this.#ask({ call: 'list', of: 'own' }), 'GET').filter(
        ({ of }) => of === undefined,
      );
      this.#snapshot = { rows, sentAt };
      this.#seen = this.#options.tables.rows.numberOf(rows);
    }
    return viewOf<RemoteObject>(this.#snapshot.rows, { listSentAt: this.#snapshot.sentAt });
  }

  async #observeReferring(notBefore: number) {
    if (!this.#referring || this.#referring.sentAt < notBefore) {
      const sentAt = this.#now() + 1;
      const rows = this.#rowsOf(await this.#ask({ call: 'list', of: 'referring' }), 'GET');
      this.#referring = { rows, sentAt };
    }
    return viewOf<RemoteObject>(this.#referring.rows, { listSentAt: this.#referring.sentAt });
  }

  async #observeTemplates(notBefore: number) {
    if (!this.#templates || this.#templates.sentAt < notBefore) {
      const sentAt = this.#now() + 1;
      const all = this.#rowsOf(await this.#ask({ call: 'list', of: 'templates' }), 'GET');
      this.#templates = { rows: all.filter(({ of }) => of === 'templates'), sentAt };
    }
    return viewOf<RemoteObject>(this.#templates.rows, { listSentAt: this.#templates.sentAt });
  }

  async #getById(id: string) {
    const sentAt = this.#now() + 1;
    const [row] = this.#rowsOf(await this.#ask({ call: 'get', id }), 'GET');
    return { sentAt, row };
  }

  #rowsOf(answer: Answer, method: Method): readonly Row[] {
    const [what, detail] = answer.split(' ');
    if (what === 'failure') throw failureOf(detail, method);
    return what === 'rows' ? this.#options.tables.rows.at(Number(detail)) : [];
  }
}
