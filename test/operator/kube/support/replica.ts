// One replica that takes part in an election: it may lose its way to the API server, or stand still while time goes on.

import type { Clock } from '../../../../src/lib/ports.ts';
import { Election, type ElectionTimes } from '../../../../src/operator/kube/election/election.ts';
import { createLeaseStore } from '../../../../src/operator/kube/election/lease.ts';
import { type FakeLeases, FakeLine } from './fake-leases.ts';
import { fixedRandom, type RecordingLog, recordingLog } from './ports.ts';

export const times: ElectionTimes = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
export const leasePath = '/apis/coordination.k8s.io/v1/namespaces/operators/leases/operator';

/** Timers that fall due while the replica stands still fire when it goes on. */
class ReplicaClock implements Clock {
  readonly #clock: Clock;
  readonly #wallOffset: number;
  gate: PromiseWithResolvers<void> | undefined;

  constructor(clock: Clock, wallOffset: number) {
    this.#clock = clock;
    this.#wallOffset = wallOffset;
  }

  wall(): number {
    return this.#clock.wall() + this.#wallOffset;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(ms: number, callback: () => void): () => void {
    let cancelled = false;
    const fire = async () => {
      await this.gate?.promise;
      if (!cancelled) callback();
    };
    const cancel = this.#clock.after(ms, () => (this.gate === undefined ? callback() : void fire()));
    return () => {
      cancelled = true;
      cancel();
    };
  }
}

export interface ReplicaOptions {
  readonly leases: FakeLeases;
  readonly clock: Clock;
  readonly random?: number;
  /** How wrong its wall clock is. */
  readonly wallOffset?: number;
}

export class Replica {
  readonly line: FakeLine;
  readonly log: RecordingLog = recordingLog();
  readonly election: Election;
  lost = 0;
  readonly #clock: ReplicaClock;
  readonly #stop = new AbortController();

  constructor(identity: string, { leases, clock, random = 0.5, wallOffset = 0 }: ReplicaOptions) {
    this.#clock = new ReplicaClock(clock, wallOffset);
    this.line = new FakeLine(leases, this.#clock);
    this.election = new Election({
      ...times,
      lease: createLeaseStore({ transport: this.line, namespace: 'operators', name: 'operator' }),
      identity,
      clock: this.#clock,
      random: fixedRandom(random),
      log: this.log,
      lost: () => void (this.lost += 1),
    });
  }

  /** Begins to stand for election; goes on by itself. */
  stand(): this {
    void this.election.acquire(this.#stop.signal);
    return this;
  }

  leads(): boolean {
    return this.election.leading();
  }

  /** Nothing of it runs any more, and its clock goes on. */
  freeze(): void {
    this.#clock.gate ??= Promise.withResolvers();
    this.line.gate = this.#clock.gate.promise;
  }

  thaw(): void {
    this.#clock.gate?.resolve();
    this.#clock.gate = undefined;
    this.line.gate = Promise.resolve();
  }

  /** As the operator does: what waits for the lease is given up first. */
  stop(idle = true): Promise<string | undefined> {
    this.#stop.abort(new Error('stopped'));
    return this.election.stop(idle);
  }

  said(): readonly string[] {
    return this.log.lines.map(({ level, message }) => `${level}: ${message}`);
  }
}
