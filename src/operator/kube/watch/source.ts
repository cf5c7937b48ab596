// Keeps the cache of one collection equal to the API server for as long as the process lives.

import type { Clock, Log, Random } from '../../../lib/ports.ts';
import { sleep } from '../../../lib/sleep.ts';
import { turn } from '../../../lib/slices.ts';
import type { RawResource } from '../../api/definition.ts';
import { ApiError, kindAbsent } from '../api-error.ts';
import { startDeadline } from '../http/deadline.ts';
import { placeOf } from '../resource.ts';
import { WatchAttempts } from './attempts.ts';
import type { Cache, Delta } from './cache.ts';
import { isExpired, type ListSnapshot, listPages, type WatchedCollection } from './list-pages.ts';
import { type RelistCause, type SourceHealth, SourceRecord } from './source-record.ts';
import { openWatch, type WatchEvent } from './watch-stream.ts';

/** Taken in one go, a few ms: a server that sends as fast as we read would never let anything else run. */
const eventsInTurn = 32;

export interface SourceOptions extends WatchedCollection {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Lists anew after about this long, however healthy the watch looks; ms. */
  readonly relistMs: number;
  /** Told of every change, in order. Must not throw. */
  readonly publish: (changes: readonly Delta[]) => void;
  /** The same for all changes that a list brought. Resolves to true once they were handed on, to false when they never will be. */
  readonly publishList: (changes: readonly Delta[], initial: boolean) => Promise<boolean>;
}

/**
 * Guarantees: it never ends by itself, whatever the server answers; a failed list or a kind that is not served empties
 * nothing; a version the server forgot, and one that leads nowhere, end in a new list; the new list replaces the old
 * objects in one step, and nothing newer is read before its changes were handed on; `stop` is obeyed after every wait.
 */
export class WatchSource {
  readonly #options: SourceOptions;
  readonly #attempts: WatchAttempts;
  readonly #record: SourceRecord;
  /** Where the next watch begins; undefined: with a list. */
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

  /** Resolves after the signal aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.#round(signal);
      if (waitMs > 0) await sleep(this.#options.clock, waitMs, signal);
    }
  }

  /** One list and watch, or one watch. Answers how long to wait before the next, in ms. */
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
      // It aborts for both reasons that are no failure: we are stopped, or it is time to list anew.
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
    const known = (place: string): RawResource | undefined => cache.get(place);
    const events = await openWatch(this.#options, { version: this.#version, known, random, signal });
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
      if (taken % eventsInTurn === 0) await turn();
    }
    if (initial !== undefined) throw new ApiError('unreachable', 'the watch ended before it had sent all objects');
  }

  /** Adds to a list that arrives by stream; once it is complete it becomes the cache, and nothing is left to collect. */
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

  /** The next watch begins with a list; one that is due already keeps its cause. */
  #startOver(cause: RelistCause): void {
    if (this.#version === undefined) return;
    this.#version = undefined;
    this.#cause = cause;
  }

  #failed(error: unknown): number {
    const worn = this.#attempts.end();
    const forgotten = this.#version !== undefined && isExpired(error);
    this.#judgeListing(error);
    if (forgotten) this.#startOver('expired');
    // A kind that comes back may be another one: its old version means nothing.
    else if (kindAbsent(error)) this.#startOver('absent');
    else if (worn) this.#startOver('fruitless');
    if (forgotten && this.#attempts.forgiveExpiry()) return 0;
    this.#record.failed(error);
    return this.#attempts.afterFailure(error instanceof ApiError ? error.retryAfterMs : undefined);
  }

  /** A list by stream that was refused will always be; one that broke is done in pages once. */
  #judgeListing(error: unknown): void {
    if (this.#version !== undefined || this.#listing !== 'stream') return;
    if (error instanceof ApiError && error.category === 'invalid') this.#listing = 'pages';
    else if (this.#attempts.accepted) this.#listing = 'pages once';
  }
}
