// Elects one leader among the replicas by a Lease, by the rules of client-go.
import type { Clock, Log, Random } from '../../../lib/ports.ts';
import { sleep } from '../../../lib/sleep.ts';
import type { Leadership } from '../../reconcile/ports.ts';
import { ApiError } from '../api-error.ts';
import { type CallLimits, claimed, freed, type Lease, type LeaseStore } from './lease.ts';
import { LeaseObservation } from './lease-observation.ts';

export interface ElectionTimes {
  /** So long others leave the lease alone after it was renewed. */
  readonly durationMs: number;
  /** A leader that could not renew its lease for so long gives up: well before the duration is over. */
  readonly renewDeadlineMs: number;
  /** Between two tries. */
  readonly retryMs: number;
}

export interface ElectionOptions extends ElectionTimes {
  readonly lease: LeaseStore;
  /** Of this process and of no other, not even one that ran in the same pod before. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** This replica does not lead any more, and never will again. Must not throw. */
  readonly lost: () => void;
}

type ElectionState =
  | { readonly is: 'standby' }
  /** `renewedAt`: monotonic ms at which the last renewal that succeeded was sent; it may have taken effect no sooner. */
  | { readonly is: 'leading'; readonly renewedAt: number }
  | { readonly is: 'over' };

/** A standby tries after 1 to 1.8 retry periods. client-go goes up to 2.2, which a takeover within lease, retry period and 2 s has no time for. */
const standbyJitter = 0.8;
/** The part of the renew deadline that must be left for a write to begin: time in which it gets to where it takes effect. */
const marginShare = 0.2;

/**
 * Guarantees, as long as time passes at nearly the same rate on all machines, whatever their clocks say:
 * - the lease of another is taken only when its whole duration has passed since its last renewal was *seen* here;
 * - `leading` is true only while less than four fifths of the renew deadline have passed since our own last renewal was *sent*: wherever
 *   the event loop or the machine stood still meanwhile, it is false before another replica can lead;
 * - no call takes longer than half of the renew deadline, so that one that hangs leaves time for another;
 * - who has lost the lease never leads again.
 */
export class Election implements Leadership {
  readonly #options: ElectionOptions;
  readonly #stop = new AbortController();
  readonly #sighting: LeaseObservation;
  #standing: ElectionState = { is: 'standby' };
  #running: Promise<void> = Promise.resolve();

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#sighting = new LeaseObservation(options.clock, options.durationMs);
  }

  leading(): boolean {
    return this.#standing.is === 'leading' && this.#leftMs() > this.#options.renewDeadlineMs * marginShare;
  }

  /** What is known of the lease here. */
  get sighting(): Pick<LeaseObservation, 'lease' | 'trouble'> {
    return this.#sighting;
  }

  /** Resolves when this replica leads, which it tries to stay from then on, or when the signal is aborted. */
  async acquire(signal: AbortSignal): Promise<void> {
    this.#running = this.#seek(signal);
    await this.#running;
    if (this.#standing.is !== 'leading') return;
    this.#options.log.info({ action: 'lease' }, `leading as ${this.#options.identity}`);
    this.#running = this.#keep();
  }

  /**
   * Ends it. `idle`: nothing of ours writes any more, so the lease is given back and the next replica need not wait for its end; otherwise
   * it is left to run out. Answers with why it is not given back.
   */
  async stop(idle: boolean): Promise<string | undefined> {
    this.#standing = { is: 'over' };
    this.#stop.abort(new Error('the election is over'));
    await this.#running;
    if (!idle) return 'the lease is left to run out, because something may still write';
    const { lease, clock, identity } = this.#options;
    try {
      const found = await lease.read(this.#limits());
      if (found?.holder === identity) await lease.write(found, freed(found, clock.wall()), this.#limits());
      return undefined;
    } catch (error) {
      return `cannot give the lease back, so the next replica waits for its end: ${describe(error)}`;
    }
  }

  async #seek(signal: AbortSignal): Promise<void> {
    const { clock, random, retryMs } = this.#options;
    while (!signal.aborted) {
      await this.#try(signal);
      if (this.#standing.is !== 'standby') return;
      const pause = retryMs * (1 + standbyJitter * random.next());
      // Not past the moment at which the lease may be taken.
      await sleep(clock, Math.min(pause, this.#sighting.heldMs() || pause), signal);
    }
  }

  async #keep(): Promise<void> {
    const { clock, retryMs } = this.#options;
    let triedAt = clock.monotonic();
    while (this.#standing.is === 'leading') {
      const pause = Math.min(triedAt + retryMs - clock.monotonic(), this.#leftMs());
      if (pause > 0) await sleep(clock, pause, this.#stop.signal);
      else if (this.#leftMs() <= 0) this.#lose(this.#sighting.trouble()?.why ?? 'it was not renewed in time');
      else {
        triedAt = clock.monotonic();
        await this.#try(this.#stop.signal);
      }
    }
  }

  #lose(why: string): void {
    this.#standing = { is: 'over' };
    this.#options.log.error({ action: 'lease' }, `lost the lease: ${why}`);
    this.#options.lost();
  }

  /** Gets or renews the lease, if that is possible now. */
  async #try(signal: AbortSignal): Promise<void> {
    try {
      if (!(await this.#renew(signal))) await this.#take(signal);
      this.#sighting.worked();
    } catch (err) {
      if (signal.aborted) return;
      const why = describe(err);
      if (this.#sighting.failed(why)) this.#options.log.warn({ action: 'lease', err }, `cannot use the lease: ${why}`);
    }
  }

  /** One write over the version that a leader left there itself. False: this is no leader, or somebody else was there. */
  async #renew(signal: AbortSignal): Promise<boolean> {
    const { lease } = this.#sighting;
    if (this.#standing.is !== 'leading' || lease === undefined) return false;
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
    if (others && this.#standing.is === 'leading') return this.#lose(`${found.holder} has it`);
    if (others && this.#sighting.heldMs() > 0) return;
    try {
      await this.#write(found, signal);
    } catch (error) {
      // Another standby was faster.
      if (!isConflict(error)) throw error;
    }
  }

  async #write(previous: Lease | undefined, signal: AbortSignal): Promise<void> {
    const { lease, clock, identity, durationMs } = this.#options;
    const sentAt = clock.monotonic();
    const next = claimed(previous, { holder: identity, durationMs, now: clock.wall() });
    this.#see(await lease.write(previous, next, this.#limits(signal)));
    if (this.#standing.is !== 'over') this.#standing = { is: 'leading', renewedAt: sentAt };
  }

  #see(lease: Lease): void {
    const { log, identity } = this.#options;
    const before = this.#sighting.lease?.holder;
    this.#sighting.see(lease);
    if (lease.holder === before || lease.holder === '' || lease.holder === identity) return;
    log.info({ action: 'lease' }, `standing by: ${lease.holder} leads`);
  }

  /** Of the renew deadline. */
  #leftMs(): number {
    if (this.#standing.is !== 'leading') return 0;
    return this.#standing.renewedAt + this.#options.renewDeadlineMs - this.#options.clock.monotonic();
  }

  #limits(signal?: AbortSignal): CallLimits {
    const half = this.#options.renewDeadlineMs / 2;
    const timeoutMs = this.#standing.is === 'leading' ? Math.min(half, Math.max(0, this.#leftMs())) : half;
    return signal === undefined ? { timeoutMs } : { timeoutMs, signal };
  }
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.category === 'conflict';

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
