// Leader election with a Lease, by the rules of client-go.
import { ApiError } from '../../../kube/api-error.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { CommonPorts, Random } from '../../../lib/ports.ts';
import { sleep } from '../../../lib/timing/wait.ts';
import type { Leadership } from '../../reconcile/pass-ports.ts';
import { type CallLimits, claimed, freed, type Lease, type LeaseStore } from './lease.ts';
import { LeaseObservation } from './lease-observation.ts';

export interface ElectionTimes {
  /** Other replicas do not take over for this long after a renewal. */
  readonly durationMs: number;
  /** A leader that cannot renew its lease for this long gives up. Shorter than the duration. */
  readonly renewDeadlineMs: number;
  /** Between two attempts. */
  readonly retryMs: number;
}

export interface ElectionOptions extends ElectionTimes, CommonPorts {
  readonly lease: LeaseStore;
  /** Unique to this process. A process that ran in the same pod before has another one. */
  readonly identity: string;
  readonly random: Random;
  /** This replica has stopped leading and never leads again. Must not throw. */
  readonly lost: () => void;
}

type ElectionState =
  | { readonly is: 'standby' }
  /** `renewedAt`: monotonic ms when the last successful renewal was sent, so it took effect no earlier. */
  | { readonly is: 'leading'; readonly renewedAt: number }
  | { readonly is: 'over' };

/** A standby retries after 1 to 1.8 retry periods. client-go waits up to 2.2, which is too long for a takeover within lease duration, retry period and 2 s. */
const standbyJitter = 0.8;
/** No write starts in the last fifth of the renew deadline, which leaves it time to take effect. */
const marginShare = 0.2;

/** Tries to release the lease, each with its newest version. */
const releaseTries = 3;

/**
 * Guarantees, if time passes at nearly the same rate on all machines (their clocks may differ):
 * - a replica takes over another's lease only after its whole duration has passed since the last renewal was *seen* here;
 * - `leading` is true only while less than four fifths of the renew deadline have passed since the last renewal was *sent*. Even if
 *   the event loop or the machine stalls, it is false before another replica can lead;
 * - no request takes longer than half of the renew deadline, so one that hangs leaves time for another;
 * - a replica that has lost the lease never leads again.
 */
export class Election implements Leadership {
  readonly #options: ElectionOptions;
  readonly #stop = new AbortController();
  readonly #observation: LeaseObservation;
  #state: ElectionState = { is: 'standby' };
  #running: Promise<void> = Promise.resolve();

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#observation = new LeaseObservation(options.clock, options.durationMs);
  }

  leading(): boolean {
    return this.#state.is === 'leading' && this.#leftMs() > this.#options.renewDeadlineMs * marginShare;
  }

  get observation(): Pick<LeaseObservation, 'lease' | 'trouble'> {
    return this.#observation;
  }

  /** Resolves when this replica leads or the signal aborts. A leader then keeps renewing its lease. */
  async acquire(signal: AbortSignal): Promise<void> {
    this.#running = this.#seek(signal);
    await this.#running;
    if (this.#state.is !== 'leading') return;
    this.#options.log.info({ action: 'lease' }, `leading as ${this.#options.identity}`);
    this.#running = this.#keep();
  }

  /**
   * Leaves the election. If `idle`, nothing writes any more, so the lease is released and the next replica need not wait until it
   * expires. Returns why the lease is not released.
   */
  async stop(idle: boolean): Promise<string | undefined> {
    this.#state = { is: 'over' };
    this.#stop.abort(new Error('the election is over'));
    await this.#running;
    if (!idle) return 'the lease is not released, because a write may still be in progress';
    try {
      await this.#release();
      return undefined;
    } catch (error) {
      return `cannot release the lease, so the next replica waits until it expires: ${messageOf(error)}`;
    }
  }

  /** A renewal that the stop has aborted may still take effect in between: then the lease has a newer version. */
  async #release(): Promise<void> {
    const { lease, clock, identity } = this.#options;
    for (let tries = 1; ; tries += 1) {
      const found = await lease.read(this.#limits());
      if (found?.holder !== identity) return;
      try {
        await lease.write(found, freed(found, clock.wall()), this.#limits());
        return;
      } catch (error) {
        if (!isConflict(error) || tries >= releaseTries) throw error;
      }
    }
  }

  async #seek(signal: AbortSignal): Promise<void> {
    const { clock, random, retryMs } = this.#options;
    while (!signal.aborted) {
      await this.#try(signal);
      if (this.#state.is !== 'standby') return;
      const pause = retryMs * (1 + standbyJitter * random.next());
      // Not longer than until the lease expires.
      await sleep(clock, Math.min(pause, this.#observation.remainingMs() || pause), signal);
    }
  }

  async #keep(): Promise<void> {
    const { clock, retryMs } = this.#options;
    let triedAt = clock.monotonic();
    while (this.#state.is === 'leading') {
      const pause = Math.min(triedAt + retryMs - clock.monotonic(), this.#leftMs());
      if (pause > 0) await sleep(clock, pause, this.#stop.signal);
      else if (this.#leftMs() <= 0) this.#lose(this.#observation.trouble()?.why ?? 'it was not renewed in time');
      else {
        triedAt = clock.monotonic();
        await this.#try(this.#stop.signal);
      }
    }
  }

  #lose(why: string): void {
    this.#state = { is: 'over' };
    this.#options.log.error({ action: 'lease' }, `lost the lease: ${why}`);
    this.#options.lost();
  }

  async #try(signal: AbortSignal): Promise<void> {
    try {
      if (!(await this.#renew(signal))) await this.#take(signal);
      this.#observation.worked();
    } catch (err) {
      if (signal.aborted) return;
      const why = messageOf(err);
      if (this.#observation.failed(why))
        this.#options.log.warn({ action: 'lease', err }, `cannot use the lease: ${why}`);
    }
  }

  /** A leader writes over the version that it wrote last. False if this replica does not lead or the Lease has changed. */
  async #renew(signal: AbortSignal): Promise<boolean> {
    const { lease } = this.#observation;
    if (this.#state.is !== 'leading' || lease === undefined) return false;
    try {
      await this.#write(lease, signal);
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
    return true;
  }

  async #take(signal: AbortSignal): Promise<void> {
    const found = await this.#options.lease.read(this.#limits(signal));
    if (found !== undefined) this.#see(found);
    const others = found !== undefined && found.holder !== '' && found.holder !== this.#options.identity;
    if (others && this.#state.is === 'leading') return this.#lose(`${found.holder} holds it`);
    if (others && this.#observation.remainingMs() > 0) return;
    try {
      await this.#write(found, signal);
    } catch (error) {
      // Another standby acquired it first.
      if (!isConflict(error)) throw error;
    }
  }

  async #write(previous: Lease | undefined, signal: AbortSignal): Promise<void> {
    const { lease, clock, identity, durationMs } = this.#options;
    const sentAt = clock.monotonic();
    const next = claimed(previous, { holder: identity, durationMs, now: clock.wall() });
    this.#see(await lease.write(previous, next, this.#limits(signal)));
    if (this.#state.is !== 'over') this.#state = { is: 'leading', renewedAt: sentAt };
  }

  #see(lease: Lease): void {
    const { log, identity } = this.#options;
    const before = this.#observation.lease?.holder;
    this.#observation.see(lease);
    if (lease.holder === before || lease.holder === '' || lease.holder === identity) return;
    log.info({ action: 'lease' }, `standing by: ${lease.holder} leads`);
  }

  /** The rest of the renew deadline. */
  #leftMs(): number {
    if (this.#state.is !== 'leading') return 0;
    return this.#state.renewedAt + this.#options.renewDeadlineMs - this.#options.clock.monotonic();
  }

  #limits(signal?: AbortSignal): CallLimits {
    const half = this.#options.renewDeadlineMs / 2;
    const timeoutMs = this.#state.is === 'leading' ? Math.min(half, Math.max(0, this.#leftMs())) : half;
    return signal === undefined ? { timeoutMs } : { timeoutMs, signal };
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.category === 'conflict';
}
