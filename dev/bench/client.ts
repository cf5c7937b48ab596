// The user of the benchmark: sends requests concurrently, and observes by one watch of a collection when each object is done.
import { loadClusterConfig } from '../../src/kube/config/cluster-config.ts';
import { type ApiTransport, createTransport } from '../../src/kube/http/transport.ts';
import { systemClock } from '../../src/lib/system.ts';
import type { Found } from '../demo/manifests.ts';

/** When, on the clock of performance.now(), something became true of an object, by its name. */
export type Moments = ReadonlyMap<string, number>;

export interface Client {
  readonly transport: ApiTransport;
  /** Resolves once `reached` was true of `count` objects, each counted by name. Rejects when the watch fails or time is up. */
  watchUntil(wish: Wish): Promise<Moments>;
  close(): Promise<void>;
}

export interface Wish {
  readonly count: number;
  readonly reached: (event: ObjectEvent) => boolean;
  readonly withinMs: number;
}

export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Found & { readonly metadata: { readonly resourceVersion: string } };
}

interface Waiting extends Wish {
  readonly moments: Map<string, number>;
  readonly resolve: (moments: Moments) => void;
  readonly reject: (error: Error) => void;
}

const longestSeconds = 24 * 3600;
/** The server sends a bookmark a minute. */
const idleMs = 150_000;

/** As the user of the kubeconfig. The watch is open when this resolves. */
export async function openClient(kubeconfig: string, collection: string): Promise<Client> {
  const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
  const transport = createTransport({ config, clock: systemClock });
  const ending = new AbortController();
  const waiting = new Set<Waiting>();
  const open = async (resourceVersion?: string) =>
    transport.stream({
      path: collection,
      query: { watch: true, allowWatchBookmarks: true, timeoutSeconds: longestSeconds, resourceVersion },
      signal: ending.signal,
      idleMs,
    });
  let failure: Error | undefined;
  follow(await open(), open, waiting).catch((cause: unknown) => {
    failure = new Error(`cannot watch ${collection}`, { cause });
    for (const { reject } of waiting) reject(failure);
  });
  return {
    transport,
    watchUntil: async (wish) => {
      if (failure !== undefined) throw failure;
      return waitFor(wish, waiting);
    },
    async close() {
      ending.abort();
      await transport.close();
    },
  };
}

type Open = (resourceVersion: string | undefined) => Promise<AsyncIterable<unknown>>;

/** The server may end a watch at any time; the next one goes on where it ended, so that no deletion is missed. */
async function follow(first: AsyncIterable<unknown>, open: Open, waiting: ReadonlySet<Waiting>): Promise<never> {
  let version: string | undefined;
  for (let events = first; ; events = await open(version)) {
    for await (const value of events) {
      const event = value as ObjectEvent;
      if (event.type === 'ERROR') throw new Error(JSON.stringify(event.object));
      version = event.object.metadata.resourceVersion;
      if (event.type !== 'BOOKMARK') notify(event, waiting);
    }
  }
}

function notify(event: ObjectEvent, waiting: ReadonlySet<Waiting>): void {
  const { name } = event.object.metadata;
  for (const { moments, reached, count, resolve } of waiting) {
    if (moments.has(name) || !reached(event)) continue;
    moments.set(name, performance.now());
    if (moments.size === count) resolve(moments);
  }
}

async function waitFor(wish: Wish, waiting: Set<Waiting>): Promise<Moments> {
  const { promise, resolve, reject } = Promise.withResolvers<Moments>();
  const entry: Waiting = { ...wish, moments: new Map(), resolve, reject };
  const late = (): void => {
    const seen = `${entry.moments.size} of ${wish.count} objects`;
    reject(new Error(`cannot see all come true: after ${wish.withinMs / 1000} s ${seen} had`));
  };
  const timer = setTimeout(late, wish.withinMs);
  waiting.add(entry);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    waiting.delete(entry);
  }
}

/** Calls `act` for each item, at most `width` at a time; the first failure is thrown when those under way have ended. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) await act(item);
  };
  const workers = await Promise.allSettled(Array.from({ length: width }, work));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
}
