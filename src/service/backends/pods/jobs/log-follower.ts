// Follows the log of a run as long as its program runs, however often it breaks off.
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../../../lib/errors.ts';
import type { Clock, Log } from '../../../../lib/ports.ts';
import { backoffLimitMs } from '../../../../lib/timing/backoff.ts';
import { sleep } from '../../../../lib/timing/wait.ts';
import { mayPass } from '../../../model/disk/transient.ts';
import type { PodObject } from '../clusters/conditions.ts';
import type { TenantShares } from './tenant-shares.ts';

export interface CopyOptions {
  readonly follow: boolean;
  readonly signal: AbortSignal;
  /** Only that many lines at the end. */
  readonly tailLines?: number;
  /** Rejects if the tenant must not keep so many bytes more: they are left out. */
  readonly admit?: ((bytes: number) => Promise<void>) | undefined;
  /** Called when the node has sent something. */
  readonly received?: () => void;
}

export interface RestOptions extends Pick<CopyOptions, 'signal' | 'admit'> {
  /** Of each of at most two copies: that of the rest, and that of its end if the rest takes longer. */
  readonly ms: number;
}

/** See `RunLogs`. */
export interface LogCopies {
  copy(run: string, pod: PodObject, options: CopyOptions): Promise<void>;
  copyRest(run: string, pod: PodObject, options: RestOptions): Promise<void>;
  bytes(run: string): number;
}

export interface FollowOptions extends Pick<CopyOptions, 'admit'> {
  /** Whose run it is. */
  readonly tenant: string;
}

interface LogFollowerOptions extends FollowOptions {
  readonly logs: LogCopies;
  /** The runs whose log cannot be had now. All followers have the same set. */
  readonly failing: TenantShares;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A log without a new line for as long is asked for again: its connection may be dead, which the operating system usually notices before. Like the LISTs of
 * watches, that is rare, so that programs that print nothing cost no requests.
 */
export const idleMs = 30 * 60_000;
/** After the first failure. It doubles with each one. */
const retryMs = 2000;
const mostRetryMs = 60_000;
/** All runs together are tried again no more often: a node that is gone has many of them. */
const retryOfAllMs = 250;
/** After the end of its program, a log that brings nothing for as long is not waited for any longer. */
const restMs = 10_000;
/** After the end of its program, a log that takes longer to copy is cut: what follows is its end. */
const mostRestMs = 60_000;

export class LogFollower {
  readonly #run: string;
  readonly #parent: AbortSignal;
  readonly #options: LogFollowerOptions;
  readonly #controller = new AbortController();
  readonly #stop = (): void => this.#controller.abort(this.#parent.reason);
  #following: Promise<void> | undefined;
  #pod: PodObject | undefined;
  /** How often in a row nothing came. */
  #failures = 0;
  #isEnding = false;
  #isWhole = false;
  /** Ends the wait for the next try. */
  #wake: () => void = () => {};

  constructor(run: string, parent: AbortSignal, options: LogFollowerOptions) {
    this.#run = run;
    this.#parent = parent;
    this.#options = options;
    parent.addEventListener('abort', this.#stop);
  }

  /** Sees to it that the log of this pod is followed. If the pod has changed, a log that could not be had is tried again at once. */
  look(pod: PodObject): void {
    if (this.#pod !== undefined && !isDeepStrictEqual(pod.status, this.#pod.status)) {
      this.#failures = 0;
      this.#wake();
    }
    this.#pod = pod;
    this.#following ??= this.#follow().finally(() => {
      this.#following = undefined;
    });
  }

  /** The program has ended. Resolves when all of its output is there, and rejects if some of it is not. */
  async rest(pod: PodObject): Promise<void> {
    await this.#end();
    await this.#options.logs.copyRest(this.#run, pod, {
      signal: this.#parent,
      ms: mostRestMs,
      admit: this.#options.admit,
    });
  }

  /** The pod is gone. Resolves to whether its log was read to the end. */
  async last(): Promise<boolean> {
    await this.#end();
    return this.#isWhole;
  }

  /** Resolves when nothing more comes. */
  async #end(): Promise<void> {
    const { clock, logs } = this.#options;
    this.#isEnding = true;
    this.#wake();
    // The log ends by itself. Whoever asks for it once more gets only what the kubelet has not rotated away, so one that still brings something is left alone.
    const end = clock.monotonic() + mostRestMs;
    for (let before = -1; this.#following !== undefined && logs.bytes(this.#run) > before; ) {
      if (clock.monotonic() >= end) break;
      before = logs.bytes(this.#run);
      await Promise.race([this.#following, sleep(clock, restMs, this.#parent)]);
    }
    await this.close();
    this.#parent.throwIfAborted();
  }

  /** Resolves when nothing is copied any more. */
  async close(): Promise<void> {
    this.#parent.removeEventListener('abort', this.#stop);
    this.#controller.abort(new Error('the log is not needed any more'));
    await this.#following;
    const { failing, tenant } = this.#options;
    failing.delete(tenant, this.#run);
  }

  /** Resolves at the end of the log, or when the follower is closed: a log that breaks off is asked for again. Never rejects. */
  async #follow(): Promise<void> {
    const { signal } = this.#controller;
    while (!signal.aborted && this.#pod !== undefined) {
      const retry = await this.#copyOnce(this.#pod);
      if (retry === undefined || this.#isEnding) return;
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await sleep(this.#options.clock, retry, AbortSignal.any([signal, woken.signal]));
    }
  }

  /** Resolves to the delay before the next try, in ms, and to undefined at the end of the log. */
  async #copyOnce(pod: PodObject): Promise<number | undefined> {
    const { signal } = this.#controller;
    const { logs, clock, log, failing, tenant, admit } = this.#options;
    let latest = clock.monotonic();
    const received = (): void => {
      latest = clock.monotonic();
      this.#failures = 0;
      failing.delete(tenant, this.#run);
    };
    try {
      await logs.copy(this.#run, pod, { follow: true, signal, received, admit });
      this.#isWhole = true;
      return undefined;
    } catch (err) {
      // It could be had, and there was nothing.
      if (clock.monotonic() - latest >= idleMs) return 0;
      failing.add(tenant, this.#run);
      const delay = backoffLimitMs({ failures: this.#failures + 1, firstMs: retryMs, maxMs: mostRetryMs });
      this.#failures += 1;
      const isRefused = !mayPass(err) && !signal.aborted;
      if (isRefused) {
        const at = { kind: 'JobExecution', externalId: this.#run, err };
        log.warn(at, `cannot read the output of a run: ${messageOf(err)}`);
      }
      return Math.max(isRefused ? mostRetryMs : delay, failing.intervalMs(tenant, retryOfAllMs));
    }
  }
}
