// One simulated world: API server, service, replicas, users and everything that goes wrong, in virtual time; every step is judged.

import type { ApiCall } from '../../../src/kube/http/call.ts';
import type { LogFields } from '../../../src/lib/ports.ts';
import { ApiServer } from '../api/api-server.ts';
import { ApiWays } from '../api/api-way.ts';
import { Uids } from '../api/uids.ts';
import { Figures } from '../end/figures.ts';
import { Facts, isOurs } from '../judge/facts.ts';
import type { Happening } from '../judge/happening.ts';
import { judgesOf } from '../judge/invariants.ts';
import { tellingOf } from '../judge/telling.ts';
import { mix, randomOf } from '../plan/chance.ts';
import { type Deed, type Plan, startWall, tenant, token } from '../plan/plan.ts';
import { noticed } from '../plan/probes.ts';
import { type ServiceAnswer, SimulatedService } from '../service/service.ts';
import { type Sent, ServiceWays } from '../service/service-way.ts';
import type { Violation, WorldOptions } from './options.ts';
import { Replica } from './replica.ts';
import { Scheduler } from './scheduler.ts';
import { Strangers } from './strangers.ts';
import { Users } from './users.ts';
import { Weather } from './weather.ts';

/** Until a process that ended itself is there again. */
const restartMs = 5_000;

export class World {
  readonly plan: Plan;
  readonly scheduler = new Scheduler();
  readonly server: ApiServer;
  readonly service: SimulatedService;
  readonly facts: Facts;
  readonly weather: Weather;
  readonly violations: Violation[] = [];
  readonly replicas: (Replica | undefined)[] = [];
  readonly figures = new Figures();
  readonly users = new Users(this);
  readonly strangers = new Strangers(this);
  hash = 0;
  readonly #options: WorldOptions;
  readonly #ways: ApiWays;
  readonly #serviceWays: ServiceWays;
  #births = 0;
  readonly #uids = new Uids();
  #acting: Extract<Happening, { is: 'kubernetes sent' }>['by'] | undefined;

  constructor(plan: Plan, options: WorldOptions = {}) {
    this.plan = plan;
    this.#options = options;
    const { scheduler } = this;
    const now = () => scheduler.now;
    const wall = () => startWall + Math.floor(scheduler.now);
    this.server = new ApiServer({ wall, uid: (plural, name) => this.#uids.next(`${plural}-${name}`) });
    this.weather = new Weather(plan, now, (what) => this.hit(what));
    this.service = new SimulatedService({
      clock: { wall, monotonic: now, after: (ms, run) => scheduler.after(ms, run) },
      random: randomOf(plan.seed, 'service'),
      stageMs: plan.stageMs,
      token: plan.auth ? token : undefined,
      failingRuns: plan.failingRuns,
      changed: (kind, before, after) => this.happen({ is: 'service changed', kind, before, after }),
    });
    this.facts = new Facts({
      server: this.server,
      service: this.service,
      tenant,
      now,
      election: plan.election,
      secret: plan.auth ? token : undefined,
      listLagMs: () => this.weather.listLagMs(),
      behindMs: () => this.weather.behindMs(),
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
      applied: (replica, call, { status, body }) => {
        this.#acting = undefined;
        this.trace(`kubernetes ${call.method} ${call.path} ${status}`);
        if (call.method === 'GET') this.happen({ is: 'kubernetes read', by: { replica, call }, status, body });
      },
    });
    this.#serviceWays = new ServiceWays({
      scheduler,
      service: this.service,
      fate: (replica, request) => this.weather.service(replica, request),
      sent: (sent) => this.#sentToService(sent),
      settled: (sent, answer, late) => this.#settled(sent, answer, late),
    });
    if (plan.auth) this.users.bringToken(token);
  }

  hit(what: string): void {
    this.figures.hit(what);
  }

  trace(line: string): void {
    const text = `${Math.floor(this.scheduler.now)} ${line}`;
    this.hash = mix(this.hash, text);
    this.#options.trace?.(text);
  }

  /** Takes note of what happens, and asks every invariant. */
  happen(happening: Happening): void {
    // Leases, events and Secrets are nothing that any invariant speaks of once they are written.
    if (happening.is === 'kubernetes changed' && !isOurs(happening.change.object)) return;
    this.facts.note(happening);
    for (const what of noticed(this.facts, happening)) this.hit(what);
    for (const [invariant, { judge }] of judgesOf[happening.is]) {
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
      serviceTransport: (one) => planted.service?.(this.#serviceWays.of(one), this, one) ?? this.#serviceWays.of(one),
      lost: (one) => {
        this.hit('lease lost');
        this.trace(`replica ${one.name} has lost the lease`);
        scheduler.after(restartMs, () => this.restart(index, one));
      },
      said: (one, level, fields, message) => this.#said(one, level, fields, message),
    });
    this.replicas[index] = replica;
    this.trace(`replica ${replica.name} starts`);
    replica.start();
    return replica;
  }

  async advance(until: number): Promise<void> {
    await this.scheduler.advance(until);
  }

  cutWatches(): void {
    this.#ways.cut();
  }

  /** A user does something with the API server, at once. */
  user(call: ApiCall): number {
    const { status } = this.server.handle(call);
    this.trace(`user ${call.method} ${call.path} ${status}`);
    return status;
  }

  #sentToService(sent: Sent): void {
    this.figures.sentToService(sent, this.scheduler.now);
    this.happen({ is: 'service sent', sent });
  }

  #settled(sent: Sent, answer: ServiceAnswer | undefined, late: boolean): void {
    const { method, path } = sent.request;
    this.trace(`service ${method} ${path} ${answer?.status ?? 'lost'}`);
    this.figures.servedByService(sent, answer?.status);
    if (late && method === 'POST' && answer?.status === 202) this.hit('a late create');
    this.happen({ is: 'service settled', sent, answer, late });
  }

  #sentToKubernetes(replica: Replica, call: ApiCall): void {
    this.happen({ is: 'kubernetes sent', by: { replica, call } });
    this.figures.sentToKubernetes(call);
  }

  #said(replica: Replica, level: string, fields: LogFields, message: string): void {
    this.figures.said(replica, fields);
    const told = tellingOf(level, fields, message);
    this.#options.trace?.(`${Math.floor(this.scheduler.now)} ${replica.name} says ${told.text}`);
    this.happen({ is: 'said', replica, level, ...told });
  }

  /** What a user or somebody else does. */
  act(deed: Deed): void {
    if ('kind' in deed) this.users.act(deed);
    else this.strangers.act(deed);
  }

  restart(index: number, ended: Replica): void {
    if (this.replicas[index] === ended) this.start(index);
  }
}
