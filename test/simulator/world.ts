// One simulated world: API server, service, replicas, users and everything that goes wrong, in virtual time; every step is judged.
import { apiVersion, reconcileAnnotations, recreateAnnotation, secretType } from '../../src/api/common.ts';
import type { Call } from '../../src/kube/call.ts';
import { collectionPath, objectPath } from '../../src/kube/resource-kind.ts';
import type { LogFields } from '../../src/ports.ts';
import { StoreError } from '../../src/reconcile/ports.ts';
import { ApiServer } from './api-server.ts';
import { ApiWays } from './api-way.ts';
import { mix, randomOf } from './chance.ts';
import { Facts, type Happening, plurals, targetOf } from './facts.ts';
import { invariants } from './invariants.ts';
import { type Deed, type Fault, namespace, type Plan, tenant, token } from './plan.ts';
import { noticed } from './probes.ts';
import { Replica } from './replica.ts';
import { Scheduler } from './scheduler.ts';
import { SimulatedService } from './service.ts';
import { type Sent, ServiceWays } from './service-way.ts';
import { Weather } from './weather.ts';

export interface Violation {
  readonly invariant: string;
  readonly at: number;
  readonly what: string;
}

export interface WorldOptions {
  /** Told of each line of the trace; it is only counted without it. */
  readonly trace?: (line: string) => void;
  /** For tests of the tests: gets between the world and its replicas. */
  readonly planted?: Planted;
}

/** What a planted bug may change. */
export interface Planted {
  readonly api?: (way: ReturnType<ApiWays['of']>, world: World, replica: Replica) => ReturnType<ApiWays['of']>;
  readonly service?: (way: ReturnType<ServiceWays['of']>, world: World) => ReturnType<ServiceWays['of']>;
}

/** Until a process that ended itself is there again. */
const restartMs = 5_000;
const userPatienceMs = 1_000;
const startWall = Date.UTC(2026, 0, 1);

/** A resource of the workload that a pass was logged for. */
export const keyOf = (kind: string, name: string): string => `${kind}/${name}`;

export class World {
  readonly plan: Plan;
  readonly scheduler = new Scheduler();
  readonly server: ApiServer;
  readonly service: SimulatedService;
  readonly facts: Facts;
  readonly weather: Weather;
  readonly violations: Violation[] = [];
  readonly replicas: (Replica | undefined)[] = [];
  readonly hits = new Map<string, number>();
  /** Since the last `forget`: writes to either side, and passes by key. */
  writes: string[] = [];
  reads = 0;
  passes = new Map<string, number>();
  /** Writes that were sent to the service, by what they were to do and to what. */
  readonly effects = new Map<string, number>();
  /** Requests to the service in each minute. */
  readonly rates = new Map<number, number>();
  /** What users still have to do, by object. */
  readonly awaited = new Map<string, readonly Extract<Deed, { readonly kind: string }>[]>();
  readonly strangers = new Map<string, string>();
  hash = 0;
  readonly #options: WorldOptions;
  readonly #ways: ApiWays;
  readonly #serviceWays: ServiceWays;
  #births = 0;
  #userUids = 0;
  #uids = 0;
  #acting: Extract<Happening, { is: 'kubernetes sent' }>['by'] | undefined;

  constructor(plan: Plan, options: WorldOptions = {}) {
    this.plan = plan;
    this.#options = options;
    const { scheduler } = this;
    const now = () => scheduler.now;
    const wall = () => startWall + Math.floor(scheduler.now);
    this.server = new ApiServer({ wall, uid: () => this.#nextUid() });
    this.weather = new Weather(plan, now, (what) => this.hit(what));
    this.service = new SimulatedService({
      clock: { wall, monotonic: now, after: (ms, run) => scheduler.after(ms, run) },
      random: randomOf(plan.seed, 'service'),
      stageMs: plan.stageMs,
      token: plan.auth ? token : undefined,
      changed: (kind, before, after) => {
        this.happen({ is: 'service changed', kind, before, after });
      },
    });
    this.facts = new Facts({
      server: this.server,
      service: this.service,
      tenant,
      now,
      election: plan.election,
      listLagMs: () => this.weather.listLagMs(),
    });
    this.server.onChange((change) => this.happen({ is: 'kubernetes changed', change, by: this.#acting }));
    this.#ways = new ApiWays({
      scheduler,
      server: this.server,
      oldApiServer: plan.oldApiServer,
      fate: (replica, call) => this.weather.api(replica, call),
      lagMs: (replica) => this.weather.lagMs(replica),
      sent: (replica, call) => this.#sentToKubernetes(replica, call),
      applying: (replica, call) => {
        this.#acting = { replica, call };
      },
      applied: (_, call, { status }) => {
        this.#acting = undefined;
        this.trace(`kubernetes ${call.method} ${call.path} ${status}`);
      },
    });
    this.#serviceWays = new ServiceWays({
      scheduler,
      service: this.service,
      fate: (replica, request) => this.weather.service(replica, request),
      sent: (sent) => this.#sentToService(sent),
      settled: (sent, answer, late) => {
        this.#servedBy(sent.request, answer?.status);
        if (late && sent.request.method === 'POST' && answer?.status === 202) this.hit('a late create');
        this.happen({ is: 'service settled', sent, answer });
      },
    });
    this.#prepare();
  }

  hit(what: string): void {
    this.hits.set(what, (this.hits.get(what) ?? 0) + 1);
  }

  trace(line: string): void {
    const text = `${Math.floor(this.scheduler.now)} ${line}`;
    this.hash = mix(this.hash, text);
    this.#options.trace?.(text);
  }

  /** Takes note of what happens, and asks every invariant. */
  happen(happening: Happening): void {
    this.facts.note(happening);
    for (const what of noticed(this.facts, happening)) this.hit(what);
    for (const [invariant, judge] of Object.entries(invariants)) {
      const what = judge(this.facts, happening);
      if (what === undefined) continue;
      this.trace(`VIOLATION ${invariant}: ${what}`);
      this.violations.push({ invariant, at: this.scheduler.now, what });
    }
  }

  start(index: number): Replica | undefined {
    const plan = this.plan.replicas[index];
    if (plan === undefined) return undefined;
    this.#births += 1;
    const { scheduler } = this;
    const { planted = {} } = this.#options;
    const replica = new Replica({
      scheduler,
      name: `${index}-${this.#births}`,
      seed: this.plan.seed,
      plan,
      election: this.plan.election,
      wall: () => startWall + scheduler.now,
      apiTransport: (one) => planted.api?.(this.#ways.of(one), this, one) ?? this.#ways.of(one),
      serviceTransport: (one) => planted.service?.(this.#serviceWays.of(one), this) ?? this.#serviceWays.of(one),
      lost: (one) => {
        this.hit('lease lost');
        this.trace(`replica ${one.name} has lost the lease`);
        scheduler.after(restartMs, () => this.#restart(index, one));
      },
      said: (one, level, fields, message) => this.#said(one, level, fields, message),
    });
    this.replicas[index] = replica;
    this.trace(`replica ${replica.name} starts`);
    replica.start();
    return replica;
  }

  forget(): void {
    this.writes = [];
    this.reads = 0;
    this.passes = new Map();
  }

  async advance(until: number): Promise<void> {
    await this.scheduler.advance(until);
  }

  cutWatches(): void {
    this.#ways.cut();
  }

  /** A user does something with the API server, at once. */
  user(call: Call): number {
    const { status } = this.server.handle(call);
    this.trace(`user ${call.method} ${call.path} ${status}`);
    return status;
  }

  #nextUid(): string {
    // What operators make must not change the uids of what users make.
    this.#userUids += this.#acting === undefined ? 1 : 0;
    this.#uids += 1;
    return this.#acting === undefined ? `uid-${this.#userUids}` : `made-${this.#uids}`;
  }

  #prepare(): void {
    if (!this.plan.auth) return;
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'token' },
      type: secretType,
      stringData: { token },
    };
    this.user({
      method: 'POST',
      path: collectionPath({ kind: 'Secret', apiVersion: 'v1', plural: 'secrets' }, namespace),
      body,
    });
  }

  #servedBy({ method, path }: { readonly method: string; readonly path: string }, status: number | undefined): void {
    this.trace(`service ${method} ${path} ${status ?? 'lost'}`);
    if (method === 'GET') this.reads += 1;
    else this.writes.push(`service ${method} ${path}`);
  }

  #sentToService(sent: Sent): void {
    const { method, collection, id = '', name = '' } = targetOf(sent);
    const minute = Math.floor(this.scheduler.now / 60_000);
    this.rates.set(minute, (this.rates.get(minute) ?? 0) + 1);
    if (method !== 'GET') {
      const effect = `${method} ${collection} ${name}${id}`;
      this.effects.set(effect, (this.effects.get(effect) ?? 0) + 1);
    }
    this.happen({ is: 'service sent', sent });
  }

  #sentToKubernetes(replica: Replica, call: Call): void {
    this.happen({ is: 'kubernetes sent', by: { replica, call } });
    const isLease = call.path.includes('/leases');
    if (call.method !== 'GET' && !isLease) this.writes.push(`kubernetes ${call.method} ${call.path}`);
  }

  #said(replica: Replica, level: string, fields: LogFields, message: string): void {
    const { kind, name, err, outcome } = fields;
    if (kind !== undefined && name !== undefined && outcome !== undefined) {
      const key = keyOf(kind, name);
      this.passes.set(key, (this.passes.get(key) ?? 0) + 1);
    }
    const why = err instanceof Error ? (err.stack ?? err.message) : '';
    const text = `${level} ${kind ?? ''} ${name ?? ''} ${outcome ?? ''} ${message} ${why}`;
    this.#options.trace?.(`${Math.floor(this.scheduler.now)} ${replica.name} says ${text}`);
    // The loss of the lease and an API server out of reach are no errors of ours.
    const bug = level === 'error' && fields.action !== 'lease' && !(err instanceof StoreError);
    this.happen({ is: 'said', replica, level, text, bug });
  }

  /** What a user or somebody else does. */
  act(deed: Deed): void {
    switch (deed.does) {
      case 'apply':
      case 'edit':
      case 'delete':
      case 'poke':
        return this.#actOnObject(deed);
      case 'stranger':
        return this.#strange(deed.like);
      case 'vanish':
        return this.#vanish(deed.name);
    }
  }

  /** What users do with one object they do in order: who makes it anew waits until the old one is gone. */
  #actOnObject(deed: Extract<Deed, { readonly kind: string }>): void {
    const key = keyOf(deed.kind, deed.name);
    const waiting = this.awaited.get(key) ?? [];
    this.awaited.set(key, [...waiting, deed]);
    if (waiting.length === 0) this.#actInOrder(key);
  }

  #actInOrder(key: string): void {
    for (;;) {
      const [deed, ...others] = this.awaited.get(key) ?? [];
      if (deed === undefined) break;
      const old = this.server.get(plurals[deed.kind] ?? '', namespace, deed.name);
      if (deed.does === 'apply' && deed.kind !== 'Secret' && old?.metadata.deletionTimestamp !== undefined)
        return void this.scheduler.after(userPatienceMs, () => this.#actInOrder(key), true);
      this.#actNow(deed);
      this.awaited.set(key, others);
    }
    this.awaited.delete(key);
  }

  #actNow(deed: Extract<Deed, { readonly kind: string }>): void {
    const plural = plurals[deed.kind] ?? '';
    const kind = { kind: deed.kind, apiVersion: deed.kind === 'Secret' ? 'v1' : apiVersion, plural };
    const path = objectPath(kind, { namespace, name: deed.name });
    const patch = { method: 'PATCH', path, contentType: 'application/merge-patch+json' } as const;
    switch (deed.does) {
      case 'apply': {
        const content = deed.kind === 'Secret' ? deed.spec : { spec: deed.spec };
        const body = { apiVersion: kind.apiVersion, kind: deed.kind, metadata: { name: deed.name }, ...content };
        if (this.user({ method: 'POST', path: collectionPath(kind, namespace), body }) !== 409) return;
        this.user({ ...patch, body: content });
        return;
      }
      case 'edit':
        this.user({ ...patch, body: deed.kind === 'Secret' ? deed.spec : { spec: deed.spec } });
        return;
      case 'delete':
        this.user({ method: 'DELETE', path });
        return;
      case 'poke':
        this.user({
          ...patch,
          body: { metadata: { annotations: { [reconcileAnnotations[0]]: `${this.scheduler.now}` } } },
        });
    }
  }

  /** Somebody else makes a template whose name looks like one of ours. */
  #strange(like: string): void {
    const name = `${like}-by-hand-${this.strangers.size}`;
    const body = {
      name,
      plugin_name: 'vanilla',
      bigdata_version: '1.2.1',
      flavor_id: '4',
      node_processes: ['datanode'],
    };
    const { body: text } = this.service.act({
      method: 'POST',
      path: `/v1.0/${tenant}/node-group-templates`,
      body: JSON.stringify(body),
    });
    const { node_group_template: made } = JSON.parse(text) as { node_group_template: { id: string } };
    this.strangers.set(made.id, JSON.stringify(this.service.store.get('nodeGroupTemplates', tenant, made.id)));
    this.trace(`stranger ${name}`);
  }

  #vanish(name: string): void {
    const uid = this.server.get('clusters', namespace, name)?.metadata.uid;
    const row = this.facts.rowsOf(uid ?? '').find(({ kind }) => kind === 'clusters');
    this.trace(`vanish ${name} ${row === undefined ? 'nothing' : ''}`);
    if (row === undefined) return;
    this.hit('vanished');
    this.service.store.remove('clusters', tenant, row.record.id);
  }

  /** Users do what the conditions tell them to: where an object is lost or broken, another one is to be made. */
  obey(): void {
    for (const { metadata, status } of this.server.list('clusters')) {
      const { id, conditions = [] } = (status ?? {}) as {
        readonly id?: string;
        readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
      };
      const reason = conditions.find(({ type }) => type === 'Ready')?.reason ?? '';
      if (
        id === undefined ||
        metadata.deletionTimestamp !== undefined ||
        !['ExternalDeleted', 'ExternalError'].includes(reason)
      )
        continue;
      if (metadata.annotations?.[recreateAnnotation] === id) continue;
      this.hit(`obeyed ${reason}`);
      const body = { metadata: { annotations: { [recreateAnnotation]: id } } };
      const path = objectPath({ kind: 'Cluster', apiVersion, plural: 'clusters' }, metadata);
      this.user({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
    }
  }

  /** Something begins to go wrong. */
  befall(fault: Fault): void {
    const { trouble, ms } = fault;
    this.trace(`fault ${JSON.stringify(trouble)} for ${ms}`);
    this.weather.begin(fault);
    const { scheduler } = this;
    const later = (run: () => void): void => void scheduler.after(ms, run);
    later(() => this.weather.end(fault));
    switch (trouble.what) {
      case 'watches end':
        return this.cutWatches();
      case 'versions are forgotten':
        this.server.compact();
        return this.cutWatches();
      case 'service':
        this.service.injector.replace(trouble.personality);
        return later(() => {
          for (const [name, { applied }] of Object.entries(this.service.injector.counts()))
            if (applied > 0) this.hit(`service ${name}`);
          this.service.injector.replace({});
        });
      case 'crash':
      case 'stop':
        return this.#fell(trouble.replica, trouble.what, ms);
      case 'pause': {
        const replica = this.replicas[trouble.replica];
        if (replica === undefined) return;
        this.hit(replica.leading() ? 'pause of the leader' : 'pause');
        replica.pause();
        return later(() => replica.resume());
      }
      default:
    }
  }

  #fell(index: number, how: 'crash' | 'stop', ms: number): void {
    const replica = this.replicas[index];
    if (replica === undefined || !replica.alive) return;
    this.hit(`${how}${replica.leading() ? ' of the leader' : ''}`);
    if (how === 'crash') replica.kill();
    else replica.stop(() => undefined);
    this.scheduler.after(ms, () => {
      replica.kill();
      this.#restart(index, replica);
    });
  }

  #restart(index: number, ended: Replica): void {
    if (this.replicas[index] === ended) this.start(index);
  }
}
