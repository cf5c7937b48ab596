// The world of one test: a service of its own behind a fault proxy, and one process of the operator after the other.
import type { Clock } from '../../../../src/lib/ports.ts';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { apiVersion } from '../../../../src/operator/api/shared-api.ts';
import { createService, type Service } from '../../../../src/operator/client/service-client.ts';
import { noCredentials } from '../../../../src/operator/client/service-credentials.ts';
import { kinds } from '../../../../src/operator/kinds/index.ts';
import { createPass } from '../../../../src/operator/reconcile/pass.ts';
import {
  type EventNote,
  keyText,
  type PassContext,
  type ServiceLookup,
} from '../../../../src/operator/reconcile/pass-ports.ts';
import type { Requeue } from '../../../../src/operator/reconcile/requeue.ts';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import type { Dialect } from '../../../../src/wire/dialect.ts';
import { ManualClock } from '../../../support/clock.ts';
import { type FaultProxy, openProxy, type Sent } from '../../../support/service/service-proxy.ts';
import { type Backend, openBackend, tenant } from './backend.ts';
import { type Bench, type Caches, installation } from './bench.ts';
import { type CrashPoint, gate, Life } from './gate.ts';
import { asCreate, judgeWrite } from './invariants.ts';
import { Subject } from './subject.ts';

export const quarantineMs = 15 * 60_000;
export const pollSeconds = 30;
const timeoutMs = 30_000;
/** Of the waits that are over at once. Requests may take much longer. */
const longestPauseMs = 2_000;
const limits = { requestsPerSecond: 20, burst: 1e6, maxInFlight: 100 };

export type PassEnd = Requeue | 'crashed';

interface Process {
  readonly life: Life;
  readonly service: Service;
  readonly caches: Caches;
  readonly pass: (key: Subject['key'], context: PassContext) => Promise<Requeue>;
}

export interface WorldOptions {
  readonly dialect?: Dialect;
  readonly server?: Partial<ServerOptions>;
}

export class World {
  readonly bench: Bench;
  readonly dialect: Dialect;
  /** A tick is far below any time limit, and exact in binary. */
  readonly clock = new ManualClock({ start: 1_000_000, wall: Date.now(), tickMs: 1 / 64 });
  readonly backend: Backend;
  readonly subjects: Subject[] = [];
  readonly events: EventNote[] = [];
  /** What went to both sides, in order: `status Cluster/ns/x`, `POST clusters`. */
  readonly trace: string[] = [];
  /** Connections other than the usable one called default. */
  readonly connections = new Map<string, ServiceLookup>();
  readonly violations: string[] = [];
  /** Errors of ours that the log tells: there must be none. */
  readonly bugs: string[] = [];
  /** Clusters stay in their status until the test moves them. */
  held = false;
  /** Whether this replica leads. */
  leads = true;
  /** Happens when the service has done a request and its answer is still on the way. */
  meanwhile: (sent: Sent) => Promise<void> = async () => {};
  /** Happens while a ledger is being written. */
  claiming: () => void = () => {};
  proxy!: FaultProxy;
  #process!: Process;

  private constructor(bench: Bench, { dialect = 'neutral', server = {} }: WorldOptions) {
    this.bench = bench;
    this.dialect = dialect;
    this.backend = openBackend(bench.next(), { dialect, ...server });
  }

  static async open(bench: Bench, options: WorldOptions = {}): Promise<World> {
    const world = new World(bench, options);
    world.proxy = await openProxy(world.backend, {
      before: (sent) => world.#before(sent),
      after: (sent) => world.#after(sent),
      hanging: () => world.clock.leap(timeoutMs),
    });
    world.#process = world.#start(bench.caches);
    return world;
  }

  get store(): Caches['store'] {
    return this.#process.caches.store;
  }

  /** A resource as a user applies it; it is in the caches when this resolves. */
  async apply(kind: string, name: string, spec: object, annotations: object = {}): Promise<Subject> {
    const known = kinds.find((one) => one.definition.kind === kind);
    const { plural } = known?.definition ?? {};
    const path = `/apis/${apiVersion}/namespaces/${this.bench.namespace}/${plural}/${name}`;
    const metadata = { name, namespace: this.bench.namespace, annotations };
    const answer = await this.bench.api.apply(path, { apiVersion, kind, metadata, spec });
    if (answer.status >= 300) throw new Error(`cannot apply ${kind} ${name}: ${JSON.stringify(answer.body)}`);
    const { uid } = (answer.body as RawResource).metadata;
    const subject = new Subject(this, {
      kind,
      path,
      name,
      uid,
      given: known?.identity === 'given' ? known.givenId(spec as Record<string, unknown>) : undefined,
      fixed: known?.identity === 'named' ? known.fixedName.of(spec as Record<string, unknown>) : undefined,
    });
    this.subjects.push(subject);
    await subject.seen(answer.body as RawResource);
    return subject;
  }

  /** One pass of a key, as the controller would start it. */
  run({ key }: Subject): Promise<PassEnd> {
    const { life, pass } = this.#process;
    const context = { signal: new AbortController().signal, pollMs: 1_000 };
    return Promise.race([pass(key, context), life.died]);
  }

  crashAt(at: CrashPoint['at'], side: CrashPoint['side'], nth = 1): void {
    this.#process.life.crashAt({ at, side, nth });
  }

  /** The process ends as it is, and another one begins with nothing but what is durable. */
  async restart(): Promise<void> {
    const old = this.#process;
    old.life.end();
    this.#process = this.#start(await this.bench.openCaches());
    await old.service.close();
    if (old.caches !== this.bench.caches) await old.caches.close();
  }

  lookup(connection: string): ServiceLookup {
    const other = this.connections.get(connection);
    if (other) return other;
    const message = `Connection ${connection} does not exist in this namespace`;
    if (connection !== 'default') return { state: 'missing', message, credentials: false };
    const { service } = this.#process;
    const endpoint = this.proxy.url;
    return {
      state: 'usable',
      service,
      endpoint,
      endpoints: [endpoint],
      tenant,
      dialect: this.dialect,
      pollSeconds,
      accepted: true,
      mayCreate: true,
    };
  }

  /** Short waits, such as those between LISTs, are over at once: nothing else moves the time during a pass. */
  #pacing(): Clock {
    const { clock } = this;
    return {
      wall: () => clock.wall(),
      monotonic: () => clock.monotonic(),
      after: (ms, callback) => {
        if (ms <= longestPauseMs) setImmediate(() => clock.leap(ms));
        return clock.after(ms, callback);
      },
    };
  }

  #start(caches: Caches): Process {
    const life = new Life();
    const service = createService({
      endpoint: this.proxy.url,
      tenant,
      dialect: this.dialect,
      credentials: noCredentials(),
      clock: this.#pacing(),
      timeoutMs,
      limits,
    });
    const bug = ({ err }: { readonly err?: unknown }, message: string) => {
      const thrown = err instanceof Error && !life.dead;
      if (thrown) this.bugs.push(`${message}: ${err.stack}`);
    };
    const pass = createPass({
      store: gate({
        store: caches.store,
        life,
        noted: (write, key) => {
          this.trace.push(`${write} ${keyText(key)}`);
          if (write === 'claim') this.claiming();
        },
        shown: (stored) => this.subjects.find(({ uid }) => uid === stored.metadata.uid)?.shows(stored),
      }),
      services: { lookup: ({ name }) => this.lookup(name) },
      events: { emit: (event) => void (life.dead || this.events.push(event)) },
      leadership: { leading: () => this.leads },
      clock: this.clock,
      log: { debug() {}, info() {}, warn() {}, error: bug },
      kinds: new Map(kinds.map((kind) => [kind.definition.kind, kind])),
      installation,
      quarantineMs,
      claimants: (ledger) => caches.claims.claimants(ledger),
      claimantsOfId: (place, id) => caches.claims.claimantsOfId(place, id),
      rivals: (ledger) => caches.claims.rivals(ledger),
      holder: (resource, ledger, counts) => caches.claims.holder(resource, ledger, { counts }),
      isNamed: (collection, object) => caches.claims.isNamed(collection, object),
      process: 'this-one',
      seesAll: true,
      massDeletion: async () => undefined,
      mayExpire: () => true,
    });
    return { life, service, caches, pass };
  }

  /** Every request passes here; a write only with what the protocol asks for. */
  async #before(sent: Sent): Promise<void> {
    this.trace.push(`${sent.method} ${sent.collection}`);
    if (sent.method === 'GET') return;
    await this.#process.life.passes(sent.method as CrashPoint['at'], 'before');
    const resources = await Promise.all(this.subjects.map((subject) => subject.fetch()));
    const kind = kinds.find((one) => this.collectionOf(one.definition.kind) === sent.collection);
    const rows = kind ? this.backend.rows(kind.route as 'clusters') : [];
    const users = (['clusterTemplates', 'clusters', 'jobs', 'jobBinaries'] as const).flatMap((one) =>
      this.backend.rows(one),
    );
    const others = users.filter((one) => !rows.some(({ id }) => id === one.id));
    const known = { resources: resources.filter((one) => one !== undefined), rows, users: others, installation };
    const problem = judgeWrite(asCreate(sent), known);
    if (problem) this.violations.push(problem);
  }

  async #after(sent: Sent): Promise<void> {
    await this.meanwhile(sent);
    await this.#process.life.passes(sent.method as CrashPoint['at'], 'after');
  }

  collectionOf(kind: string): string {
    return (
      kinds
        .find((one) => one.definition.kind === kind)
        ?.route.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) ?? ''
    );
  }

  async close(): Promise<void> {
    this.#process.life.end();
    await this.#process.service.close();
    if (this.#process.caches !== this.bench.caches) await this.#process.caches.close();
    await this.proxy.close();
    await this.backend.close();
  }
}
