// One process of the operator: the real operator between simulated ways, with clocks of its own; it can be killed, stopped and paused.
import { Registry } from 'prom-client';
import type { ApiTransport } from '../../../src/kube/http/transport.ts';
import type { Clock, Log, LogFields } from '../../../src/lib/ports.ts';
import type { Transport as ServiceTransport } from '../../../src/operator/client/http/service-transport.ts';
import { Lifecycle } from '../../../src/operator/process/process-lifecycle.ts';
import { corePartsOf, createCore, type OperatorCore } from '../../../src/operator/wiring/operator.ts';
import { randomOf } from '../plan/chance.ts';
import { installation, quarantineMs, type ReplicaPlan } from '../plan/plan.ts';
import type { Scheduler } from './scheduler.ts';

export interface ReplicaOptions {
  readonly scheduler: Scheduler;
  readonly name: string;
  readonly seed: number;
  readonly plan: ReplicaPlan;
  readonly election: boolean;
  /** Wall-clock ms of the world. */
  readonly wall: () => number;
  readonly apiTransport: (replica: Replica) => ApiTransport;
  readonly serviceTransport: (replica: Replica) => ServiceTransport;
  /** It has ended itself, because another may lead. */
  readonly lost: (replica: Replica) => void;
  readonly said: (
    replica: Replica,
    level: 'debug' | 'info' | 'warn' | 'error',
    fields: LogFields,
    message: string,
  ) => void;
}

export const lease = { namespace: 'kube-system', durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 } as const;

export class Replica {
  readonly name: string;
  readonly clock: Clock;
  readonly #options: ReplicaOptions;
  readonly #held: (() => void)[] = [];
  readonly #bornAt: number;
  #core: OperatorCore | undefined;
  #lifecycle: Lifecycle | undefined;
  #alive = true;
  #paused = false;

  /** How to cancel each of those that are waiting. */
  readonly #timers = new Set<() => void>();

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.name = options.name;
    this.#bornAt = options.scheduler.now;
    const { scheduler, plan, wall } = options;
    const passed = () => (scheduler.now - this.#bornAt) * plan.rate;
    const bornWall = wall() + plan.offset;
    this.clock = {
      wall: () => Math.floor(plan.isKept ? wall() + plan.offset : bornWall + passed()),
      monotonic: () => 1_000 + passed(),
      after: (ms, callback) => this.#after(ms, callback),
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  get paused(): boolean {
    return this.#paused;
  }

  leading(): boolean {
    return this.#alive && (this.#core?.leading.leadership.leading() ?? false);
  }

  start(): void {
    const { seed, election, said, apiTransport, serviceTransport } = this.#options;
    const log: Log = {
      debug: (fields, message) => said(this, 'debug', fields, message),
      info: (fields, message) => said(this, 'info', fields, message),
      warn: (fields, message) => said(this, 'warn', fields, message),
      error: (fields, message) => said(this, 'error', fields, message),
    };
    const options = {
      installation,
      namespaces: [],
      quarantineMs,
      clock: this.clock,
      random: randomOf(seed, `replica ${this.name}`),
      log,
      instance: this.name,
      process: `${this.name}-${this.#bornAt}`,
      lease: election ? { ...lease, lost: () => this.#lost() } : undefined,
      serviceTransport: serviceTransport(this),
    };
    this.#core = createCore(options, apiTransport(this), new Registry());
    this.#lifecycle = new Lifecycle({ clock: this.clock, log, parts: corePartsOf(this.#core, this.clock) });
    void this.#lifecycle.start();
  }

  /** As by the first signal; `ended` is called when the process is over. */
  stop(ended: () => void): void {
    void this.#lifecycle?.stop(20_000).then(() => {
      this.kill();
      ended();
    });
  }

  /** As timers do: in whole milliseconds, never at once, and never once it was cancelled, also where it is due and the process stands still. */
  #after(ms: number, callback: () => void): () => void {
    const { scheduler, plan } = this.#options;
    let waits = true;
    const run = (): void => {
      if (waits) callback();
    };
    const cancel = scheduler.after(Math.max(1, Math.trunc(ms / plan.rate)), () => {
      this.#timers.delete(cancel);
      this.deliver(run);
    });
    this.#timers.add(cancel);
    return () => {
      waits = false;
      this.#timers.delete(cancel);
      cancel();
    };
  }

  #lost(): void {
    this.kill();
    this.#options.lost(this);
  }

  kill(): void {
    this.#alive = false;
    this.#held.length = 0;
    // They end with the process, and do not count as those of the next one.
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    // One after the other, as the event loop of a process that goes on would.
    for (const run of this.#held.splice(0)) this.#options.scheduler.after(0, () => this.deliver(run));
  }

  /** Something reaches the process, unless there is none any more. */
  deliver(run: () => void): void {
    if (!this.#alive) return;
    if (this.#paused) this.#held.push(run);
    else run();
  }
}
