// Lists and watches one collection, and keeps its cache current until it is stopped.
import type { CommonPorts, Random } from '../../lib/ports.ts';
import { turn } from '../../lib/timing/slices.ts';
import { sleep } from '../../lib/timing/wait.ts';
import { ApiError, kindAbsent } from '../api-error.ts';
import { startDeadline } from '../http/deadline.ts';
import type { RawResource } from '../resource.ts';
import { placeOf } from '../resource.ts';
import { WatchAttempts } from './attempts.ts';
import { type RelistCause, type SourceHealth, SourceRecord } from './source-record.ts';
import type { Cache, Delta } from './watch-cache.ts';
import {
  isExpired,
  type ListSnapshot,
  listPages,
  openWatch,
  type WatchEvent,
  type WatchedCollection,
} from './watch-stream.ts';

/** A few ms. Without a pause, a server that sends as fast as the source reads would block the event loop. */
const eventsPerTurn = 32;

export interface SourceOptions extends WatchedCollection, CommonPorts {
  readonly cache: Cache;
  readonly random: Random;
  /** Interval of complete lists in spite of a healthy watch, in ms. */
  readonly relistMs: number;
  readonly ifForbidden?: string;
  readonly healthChanged?: () => void;
  /** Receives every change, in order. Must not throw. */
  readonly publish: (changes: readonly Delta[]) => void;
  /** Receives the changes of a list. Resolves to true once they are delivered, to false if they never will be. */
  readonly publishList: (changes: readonly Delta[], initial: boolean) => Promise<boolean>;
}

/**
 * Guarantees: it runs until the signal aborts, whatever the server answers; a failed list or a kind that is not served does not empty
 * the cache; an expired or useless resource version leads to a new list; a list replaces the cache in one step, and no event is read
 * before its changes are delivered.
 */
export class WatchSource {
  readonly #options: SourceOptions;
  readonly #attempts: WatchAttempts;
  readonly #record: SourceRecord;
  /** Where the next watch starts; undefined to start with a list. */
  #version: string | undefined;
  #listing: 'stream' | 'pages once' | 'pages' = 'stream';
  /** Why the next list is due. */
  #cause: RelistCause = 'schedule';
  #relistAt: number;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.#attempts = new WatchAttempts(options.clock, options.random);
    this.#record = new SourceRecord(options);
    this.#relistAt = options.clock.monotonic() + options.relistMs;
  }

  health(): SourceHealth {
    return this.#record.health();
  }

  /** Resolves after the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.#round(signal);
      if (waitMs > 0) await sleep(this.#options.clock, waitMs, signal);
    }
  }

  /** Returns the delay before the next round, in ms. */
  async #round(signal: AbortSignal): Promise<number> {
    const { clock, relistMs } = this.#options;
    const ms = Math.max(this.#relistAt - clock.monotonic(), 0);
    const relist = startDeadline({ clock, ms, parent: signal, reason: `the last list is ${relistMs} ms old` });
    this.#attempts.begin();
    try {
      if (this.#version === undefined && this.#listing !== 'stream') await this.#listPages(signal);
      await this.#follow(relist.signal);
      if (this.#attempts.end()) this.#startOver('fruitless');
      return this.#attempts.afterClose();
    } catch (error) {
      // Neither a stop nor a scheduled list is a failure.
      if (!relist.signal.aborted) return this.#failed(error);
      this.#startOver('schedule');
      this.#relistAt = clock.monotonic() + relistMs;
      return 0;
    } finally {
      relist.done();
    }
  }

  async #listPages(signal: AbortSignal): Promise<void> {
    const mark = this.#options.cache.mark();
    const snapshot = await listPages(this.#options, signal);
    signal.throwIfAborted();
    await this.#replace(snapshot, mark);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { cache, random } = this.#options;
    const mark = cache.mark();
    let initial = this.#version === undefined ? new Map<string, RawResource>() : undefined;
    const events = await openWatch(this.#options, { version: this.#version, random, signal });
    this.#attempts.opened();
    this.#record.opened();
    if (initial === undefined) this.#record.alive();
    let taken = 0;
    for await (const event of events) {
      signal.throwIfAborted();
      this.#attempts.event();
      if (initial === undefined) this.#take(event);
      else initial = await this.#collect(initial, event, mark);
      taken += 1;
      if (taken % eventsPerTurn === 0) await turn();
    }
    if (initial !== undefined)
      throw new ApiError('unreachable', 'the watch ended before the initial list was complete');
  }

  /** Collects a list that arrives as a stream. Once it is complete, it replaces the cache. */
  async #collect(initial: Map<string, RawResource>, event: WatchEvent, mark: number) {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        return initial.set(placeOf(event.object.metadata), event.object);
      case 'DELETED':
        initial.delete(placeOf(event.object.metadata));
        return initial;
      case 'BOOKMARK':
        if (!event.initialEnd) return initial;
        await this.#replace({ objects: initial, version: event.version }, mark);
        return undefined;
    }
  }

  async #replace(snapshot: ListSnapshot, mark: number): Promise<void> {
    const { cache, clock, random, relistMs, namespace, publishList } = this.#options;
    const changes = cache.replace({ objects: snapshot.objects, namespace, mark });
    this.#version = snapshot.version;
    this.#relistAt = clock.monotonic() + relistMs * (0.8 + 0.4 * random.next());
    if (this.#listing === 'pages once') this.#listing = 'stream';
    this.#record.alive();
    if (await publishList(changes, !this.#record.synced)) this.#record.listed(this.#cause);
  }

  #take(event: WatchEvent): void {
    const { cache, publish } = this.#options;
    this.#record.alive();
    switch (event.type) {
      case 'BOOKMARK':
        this.#version = event.version;
        return;
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED': {
        const changes = event.type === 'DELETED' ? cache.remove(event.object) : cache.put(event.object);
        this.#version = event.object.metadata.resourceVersion;
        publish(changes);
      }
    }
  }

  /** The next watch starts with a list. If one is due already, its cause stays. */
  #startOver(cause: RelistCause): void {
    if (this.#version === undefined) return;
    this.#version = undefined;
    this.#cause = cause;
  }

  #failed(error: unknown): number {
    const fruitless = this.#attempts.end();
    const expired = this.#version !== undefined && isExpired(error);
    if (this.#judgeListing(error)) return 0;
    if (expired) this.#startOver('expired');
    // If the CRD was recreated, the old version is meaningless.
    else if (kindAbsent(error)) this.#startOver('absent');
    else if (fruitless) this.#startOver('fruitless');
    if (expired && this.#attempts.forgiveExpiry()) return 0;
    this.#record.failed(error);
    return this.#attempts.afterFailure(error instanceof ApiError ? error.retryAfterMs : undefined);
  }

  /**
   * If the server rejects a streamed list, all lists are paged from now on; if the stream broke, only the next one. True if the server does not
   * stream lists, which is no failure: older versions of Kubernetes do not.
   */
  #judgeListing(error: unknown): boolean {
    if (this.#version !== undefined || this.#listing !== 'stream') return false;
    const isRejected = error instanceof ApiError && error.category === 'invalid';
    if (isRejected) this.#listing = 'pages';
    else if (this.#attempts.accepted) this.#listing = 'pages once';
    if (isRejected) this.#record.unstreamed();
    return isRejected;
  }
}
