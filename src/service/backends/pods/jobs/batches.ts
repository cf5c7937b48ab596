// Bounds what it costs to copy bytes that arrive without end: few large batches, and a rate for each stream.
import type { Clock } from '../../../../lib/ports.ts';
import { sleep } from '../../../../lib/timing/wait.ts';

interface BatchOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A batch that has as many bytes as this has for it is not kept back. It can be larger by one chunk. */
  readonly room: BatchRoom;
  /** The shortest time between the beginnings of two smaller batches. */
  readonly everyMs: number;
}

interface RoomOptions {
  /** How many bytes the batches of all streams have together, but for a chunk of each. */
  readonly all: number;
  /** Of a batch, however few there are. */
  readonly most: number;
}

/** What streams hold while they form and copy a batch, and wait for their turn: the more of them do, the smaller their batches are. */
export class BatchRoom {
  readonly #options: RoomOptions;
  #holders = 0;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** How many bytes a batch may have now. */
  get bytes(): number {
    const { all, most } = this.#options;
    return Math.min(all / Math.max(this.#holders, 1), most);
  }

  /** A stream holds a batch until it calls what this returns, which it may do more than once. */
  enter(): () => void {
    let held = 1;
    this.#holders += held;
    return () => {
      this.#holders -= held;
      held = 0;
    };
  }
}

interface Pulled {
  /** Undefined at the end, and after a failure. */
  readonly chunk: Uint8Array | undefined;
  readonly failure?: { readonly cause: unknown };
}

/** What comes at the same time is one batch. */
const shortestMs = 25;

/**
 * Joins the chunks into batches. After a pause, what comes is a batch at once. Nothing is pulled while a batch is processed, except for one chunk. All
 * chunks that came before a failure are in batches before the failure is thrown.
 */
export async function* inBatches(
  chunks: AsyncIterable<Uint8Array>,
  { clock, signal, room, everyMs }: BatchOptions,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const pull = (): Promise<Pulled> =>
    iterator.next().then(
      ({ done, value }) => ({ chunk: done === true ? undefined : value }),
      (cause: unknown) => ({ chunk: undefined, failure: { cause } }),
    );
  let next = pull();
  let leave = (): void => {};
  try {
    let pulled = await next;
    for (let due = 0; pulled.chunk !== undefined; pulled = await next) {
      const batch = [pulled.chunk];
      const pause = sleep(clock, Math.max(due - clock.monotonic(), shortestMs), signal);
      leave = room.enter();
      for (let size = pulled.chunk.length; ; ) {
        next = pull();
        const more = size < room.bytes ? await Promise.race([next, pause]) : undefined;
        if (more?.chunk === undefined) break;
        batch.push(more.chunk);
        size += more.chunk.length;
      }
      due = clock.monotonic() + everyMs;
      yield joined(batch);
      leave();
    }
    if (pulled.failure !== undefined) throw pulled.failure.cause;
  } finally {
    leave();
    await iterator.return?.();
  }
}

/** Lets go of the chunks: what is made of them may wait for long. */
function joined(chunks: Uint8Array[]): Uint8Array {
  const all = chunks.splice(0);
  return all.length === 1 && all[0] !== undefined ? all[0] : Buffer.concat(all);
}

interface Rates {
  readonly clock: Clock;
  /** In bytes a second, for all streams together. */
  readonly all: number;
  /** In bytes a second: a stream that wants less never waits. */
  readonly free: number;
  /** How many bytes of a stream pass at once before it waits. */
  readonly burst: number;
}

/** Divides a rate equally among the streams that want more than a little: each of them waits for its turn after each batch. */
export class FairRate {
  readonly #rates: Rates;
  /** When all bytes that have passed are paid, on the monotonic clock. */
  #paid = 0;

  constructor(rates: Rates) {
    this.#rates = rates;
  }

  /** Returns the function that a stream calls for bytes that have passed. It resolves when more may pass, or as soon as the signal aborts. */
  stream(signal: AbortSignal): (bytes: number) => Promise<void> {
    const { clock, all, free, burst } = this.#rates;
    let [debt, at] = [0, clock.monotonic()];
    return async (bytes) => {
      const now = clock.monotonic();
      const left = Math.max(debt - ((now - at) / 1000) * free, 0);
      // What a stream wanted long ago does not count.
      [debt, at] = [Math.min(left + bytes, 2 * burst), now];
      this.#paid = Math.max(this.#paid, now) + (bytes / all) * 1000;
      if (debt > burst) await sleep(clock, this.#paid - now, signal);
    };
  }
}
