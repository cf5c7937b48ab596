// One cell in the simulated world: the same course as on the real API server, in virtual time, and every step judged.
import { dirname } from 'node:path/posix';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import { endpoint, installation, namespace, type Plan, plurals, tenant, token } from '../../simulator/plan/plan.ts';
import type { Replica } from '../../simulator/world/replica.ts';
import { World } from '../../simulator/world/world.ts';
import { pathOf, type Seen } from '../plane/mirror.ts';
import { personalities } from '../plane/remotes.ts';
import type { Write } from '../tables/points.ts';
import type { Workload } from '../tables/steps.ts';
import { Ambush, type Trouble } from '../trial/ambush.ts';
import { play, type Result } from '../trial/course.ts';
import type { Scene } from '../trial/scene.ts';
import { kubernetesWay } from './kubernetes-way.ts';
import { serviceWay } from './service-way.ts';

const plan = ({ elects }: Workload): Plan => ({
  seed: 1,
  replicas: [
    { offset: 0, rate: 1 },
    { offset: 0, rate: 1 },
  ],
  election: elects === true,
  auth: true,
  oldApiServer: false,
  stageMs: 100,
  latencyMs: 5,
  failingRuns: 0,
  steps: [],
  faults: [],
  calmAt: 0,
});

const lookMs = 250;
const seldomMs = 2_000;
/** Longer than the quarantine, and than any backoff. */
const patienceMs = 1_200_000;
const restartMs = 1_000;
/** Several polls. */
const quietMs = 25_000;
const mostLooks = 10;

export class SimulatedTrial {
  readonly world: World;
  readonly #workload: Workload;
  readonly #ambush: Ambush;
  readonly #scene: Scene;
  readonly #unlisted: Write[] = [];
  /** The one that is to work. */
  #duty = 0;

  constructor(workload: Workload, trouble?: Trouble) {
    this.#workload = workload;
    const unlisted = (write: Write): void => void this.#unlisted.push(write);
    const ambush = new Ambush({ trouble, scene: () => this.#scene, token });
    const common = (replica: Replica) => ({ replica, ambush, unlisted, kill: async () => this.#kill(replica) });
    this.world = new World(plan(workload), {
      planted: {
        api: (way, { scheduler }, replica) => kubernetesWay({ way, scheduler, ...common(replica) }),
        service: (way, world, replica) => serviceWay({ way, world, ...common(replica) }),
      },
    });
    this.world.service.injector.replace(personalities[workload.service]);
    this.#ambush = ambush;
    this.#scene = this.#createScene();
  }

  /** Throws with what is wrong. Ends with the picture of the reference, where there is one. */
  async run(reference?: Result): Promise<Result> {
    const { world } = this;
    try {
      // Its start may be what goes wrong.
      if (this.#workload.elects === true) this.#ambush.arm();
      world.start(this.#duty);
      const result = await play(this.#scene, this.#workload, this.#ambush, reference);
      this.#judge();
      return result;
    } finally {
      this.#ambush.close();
      for (const replica of world.replicas) replica?.kill();
    }
  }

  #kill(replica: Replica): void {
    const { world } = this;
    const index = world.replicas.indexOf(replica);
    replica.kill();
    // One that was leaving anyway has its follower already.
    if (index === this.#duty) world.scheduler.after(restartMs, () => void world.start(index));
  }

  #judge(): void {
    const [violation] = this.world.violations;
    if (violation !== undefined) throw new Error(`breaks ${violation.invariant}: ${violation.what}`);
    const [write] = this.#unlisted;
    if (write !== undefined) throw new Error(`a write is in no table: ${JSON.stringify(write)}`);
  }

  async #until(missing: () => string | undefined, how?: 'seldom'): Promise<void> {
    const { world } = this;
    const patience = world.scheduler.now + patienceMs;
    for (let what = missing(); what !== undefined; what = missing()) {
      this.#judge();
      if (world.scheduler.now > patience) throw new Error(`not within ${patienceMs / 1_000} s: ${what}`);
      await world.advance(world.scheduler.now + (how === 'seldom' ? seldomMs : lookMs));
    }
  }

  async #rest(): Promise<void> {
    const { world } = this;
    const { tally } = this.#ambush;
    for (let looks = 0, writes = -1; writes !== tally.writes; looks += 1) {
      if (looks > mostLooks) throw new Error(`it goes on writing: ${JSON.stringify(tally.counts())}`);
      ({ writes } = tally);
      await world.advance(world.scheduler.now + quietMs);
    }
  }

  #runs(): string | undefined {
    const replica = this.world.replicas[this.#duty];
    return replica?.leading() === true ? undefined : 'nobody is on duty';
  }

  async #handOver(): Promise<void> {
    const leaving = this.world.replicas[this.#duty];
    this.#duty += 1;
    this.world.start(this.#duty);
    leaving?.stop(() => undefined);
    await this.#until(() => (leaving?.alive === true ? 'it does not end' : this.#runs()));
  }

  #user(call: ApiCall): void {
    const status = this.world.user(call);
    if (status >= 300) throw new Error(`cannot ${call.method} ${call.path}: ${status}`);
  }

  #createScene(): Scene {
    const { server, service, scheduler } = this.world;
    const get = (kind: string, name: string): Seen | undefined => {
      const object = server.get(plurals[kind] ?? '', namespace, name);
      return object && ({ ...object, kind } as Seen);
    };
    const contentType = 'application/merge-patch+json';
    return {
      cell: tenant,
      namespace,
      endpoint,
      token,
      installation,
      store: service.store,
      now: () => scheduler.now,
      objects: () =>
        Object.entries(plurals).flatMap(([kind, plural]) =>
          server
            .list(plural)
            .filter(({ metadata: { name } }) => name === tenant || name.startsWith(`${tenant}-`))
            .map((object) => ({ ...object, kind }) as Seen),
        ),
      get,
      apply: async (kind, name, body) => {
        const path = pathOf(kind, namespace, name);
        if (get(kind, name) === undefined) this.#user({ method: 'POST', path: dirname(path), body });
        else this.#user({ method: 'PATCH', path, contentType, body });
      },
      annotate: async (kind, name, annotations) =>
        this.#user({
          method: 'PATCH',
          path: pathOf(kind, namespace, name),
          contentType,
          body: { metadata: { annotations } },
        }),
      remove: async (kind, name) => this.#user({ method: 'DELETE', path: pathOf(kind, namespace, name) }),
      until: (missing, how) => this.#until(missing, how),
      running: () => this.#until(() => this.#runs()),
      handOver: () => this.#handOver(),
      rest: () => this.#rest(),
    };
  }
}
