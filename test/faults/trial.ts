// One run of one workload, with one fault at one write or with none: does what the user does, and tells what came of it.
import { befall } from './acting.ts';
import { type Fault, kills } from './faults.ts';
import type { Exchange } from './link.ts';
import { until } from './mirror.ts';
import { pace } from './pace.ts';
import { differences, pictureOf } from './picture.ts';
import type { Point } from './points.ts';
import type { Shift } from './shift.ts';
import type { Stand } from './stand.ts';
import { type Counts, Tally } from './tally.ts';
import { type Place, sweep, take } from './user.ts';
import type { Step, Workload } from './workloads.ts';

/** What goes wrong, and where. */
export interface Trouble {
  readonly point: Point;
  readonly fault: Fault;
}

/** What a run came to. */
export interface Result {
  readonly picture: readonly string[];
  readonly counts: Counts;
  /** From the fault to the end, in seconds of the operator's clock; 0 where nothing went wrong. */
  readonly recoverySeconds: number;
}

/** Looks at the clusters of the service without a write that pass for a steady state. */
const quietLooks = 2;
const mostLooks = 20;

export class Trial {
  readonly #stand: Stand;
  readonly #workload: Workload;
  readonly #trouble: Trouble | undefined;
  readonly #tally = new Tally();
  readonly #cell: string;
  #namespace: string;
  /** Of this cell alone; the shared one without it. */
  #shift: Shift | undefined;
  #state: 'before' | 'armed' | 'closed' = 'before';
  #firedAt: number | undefined;
  #over = false;
  /** The user has got what he asked for. */
  readonly #rest = Promise.withResolvers<void>();

  constructor(stand: Stand, workload: Workload, trouble?: Trouble) {
    this.#stand = stand;
    this.#workload = workload;
    this.#trouble = trouble;
    this.#namespace = stand.namespace;
    this.#cell = stand.register({
      service: workload.service,
      wrote: (exchange) => this.#wrote(exchange),
      answered: (exchange, status) => exchange.point && this.#tally.answered(exchange, exchange.point, status),
      looked: (side, path) => this.#tally.looked(side, path),
    });
  }

  /** Throws with what is wrong. Ends with the picture of the reference, where there is one. */
  async run(reference?: Result): Promise<Result> {
    try {
      await this.#open();
      for (const step of this.#workload.before) await this.#take(step);
      this.#arm();
      for (const step of this.#workload.steps) await this.#take(step);
      await this.#overcome();
      await this.#told();
      if (reference !== undefined) await this.#agrees(reference);
      const recovered = performance.now();
      await this.#steady();
      if (reference !== undefined) await this.#agrees(reference);
      return {
        picture: this.#picture(),
        counts: this.#tally.counts(),
        recoverySeconds: this.#firedAt === undefined ? 0 : ((recovered - this.#firedAt) / 1_000) * pace,
      };
    } finally {
      this.#state = 'closed';
      await this.#leave();
    }
  }

  // --- what the links tell --------------------------------------------------------------------------------------------

  #wrote(exchange: Exchange): Promise<void> | undefined {
    const { point } = exchange;
    if (point === undefined || this.#state === 'closed') return undefined;
    const fires = this.#state === 'armed' && this.#trouble?.point === point && this.#firedAt === undefined;
    if (fires) this.#firedAt = performance.now();
    this.#tally.tried(exchange, point);
    return fires ? this.#befall(exchange, this.#trouble.fault).finally(() => void (this.#over = true)) : undefined;
  }

  #befall(exchange: Exchange, { act }: Fault): Promise<void> {
    const { side, path } = exchange.write;
    const collection = `looked ${side} ${path.split('/').slice(0, 4).join('/')}`;
    return befall(exchange, act, {
      kill: async () => this.#shift?.kill(),
      // An object of Kubernetes need not be read again: there are watches.
      looked: async () =>
        side === 'service'
          ? Promise.race([this.#rest.promise, this.#tally.next((what) => what.startsWith(collection))])
          : undefined,
      triedAgain: (id) => this.#tally.next((what) => what === `answered ${id}`),
    });
  }

  // --- the operator ---------------------------------------------------------------------------------------------------

  async #open(): Promise<void> {
    const { elects = false } = this.#workload;
    if (!elects && !(this.#trouble !== undefined && kills(this.#trouble.fault))) return this.#stand.share();
    this.#namespace = await this.#stand.makeNamespace(this.#cell);
    this.#shift = this.#stand.shift(this.#namespace, elects);
    // Its start may be what goes wrong.
    if (elects) this.#arm();
    this.#shift.start();
    await this.#shift.running();
  }

  #arm(): void {
    if (this.#state === 'before') this.#tally.begin();
    this.#state = 'armed';
  }

  // --- what becomes of it ---------------------------------------------------------------------------------------------

  /** Work that waits for a next try which nobody makes is never done. */
  async #overcome(): Promise<void> {
    if (this.#trouble === undefined) return;
    const { point, fault } = this.#trouble;
    // Events come when all is done.
    await this.#until(() => (this.#firedAt === undefined ? `${point.id} was not passed` : undefined));
    const { act } = fault;
    this.#rest.resolve();
    const waits = act.act === 'work late' && act.after === 'the next try';
    await this.#until(() => (waits || this.#over ? undefined : `${fault.words}: this is not over`));
    await this.#shift?.running();
  }

  async #agrees(reference: Result): Promise<void> {
    const differing = () => {
      const lines = differences(reference.picture, this.#picture());
      return lines.length === 0 ? undefined : ['it ends otherwise than without a fault:', ...lines].join('\n');
    };
    await until(differing, this.#stand.patienceMs, 'seldom');
  }

  /** Before long nothing is written any more, however often the clusters of the service are looked at; what is gone is looked at no more. */
  async #steady(): Promise<void> {
    const list = `/v1.0/${this.#cell}/clusters`;
    for (let looks = 0, quiet = 0; quiet < quietLooks && this.#hasClusters(); looks += 1) {
      if (looks > mostLooks) throw new Error(`it goes on writing: ${JSON.stringify(this.#tally.counts())}`);
      const { writes } = this.#tally;
      const before = this.#tally.looks(list);
      await this.#until(() =>
        this.#tally.looks(list) > before ? undefined : 'the clusters are not looked at any more',
      );
      quiet = this.#tally.writes === writes ? quiet + 1 : 0;
    }
  }

  /** An event is sent when its turn comes, also when what it tells of is gone by then: a run without a fault waits for it. */
  async #told(): Promise<void> {
    if (this.#trouble !== undefined || !this.#workload.passes.includes('event')) return;
    await this.#until(() => (this.#tally.of('event').tried > 0 ? undefined : 'no event is sent'));
  }

  #until(missing: () => string | undefined): Promise<void> {
    return until(missing, this.#stand.patienceMs);
  }

  #hasClusters(): boolean {
    return this.#stand.store(this.#workload.service).list('clusters', this.#cell).length > 0;
  }

  #picture(): readonly string[] {
    const { mirror, endpoint } = this.#stand;
    const store = this.#stand.store(this.#workload.service);
    return pictureOf({ cell: this.#cell, endpoint, objects: mirror.of(this.#cell), store });
  }

  async #leave(): Promise<void> {
    await this.#shift?.end();
    await sweep(this.#place());
  }

  // --- the user -------------------------------------------------------------------------------------------------------

  #take(step: Step): Promise<void> {
    return take(step, this.#place(), {
      wasSent: (point) => this.#tally.of(point).tried > 0,
      handOver: async () => this.#shift?.handOver(),
    });
  }

  #place(): Place {
    return { stand: this.#stand, cell: this.#cell, namespace: this.#namespace };
  }
}
