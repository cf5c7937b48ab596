// Bounds what it costs to copy bytes that arrive without end: few large batches, and a rate for each stream.
import type { Clock } from '../../lib/ports.ts';
import { sleep } from '../../lib/wait.ts';

interface BatchOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A batch that has this many bytes is not kept back. It can be larger by one chunk. */
  readonly bytes: number;
  /** The shortest time between the beginnings of two smaller batches. */
  readonly everyMs: number;
}

interface Pulled {
  /** Undefined at the end, and after a failure. */
  readonly chunk: Uint8Array | undefined;
  readonly failure?: { readonly cause: unknown };
}

/** What comes at the same time is one batch. */
const shortestMs = 10;

/**
 * Joins the chunks into batches. After a pause, what comes is a batch at once. Nothing is pulled while a batch is processed, except for one chunk. All chunks that came before a failure are in batches before the failure is thrown.
 */
export async function* inBatches(
  chunks: AsyncIterable<Uint8Array>,
  { clock, signal, bytes, everyMs }: BatchOptions,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const pull = (): Promise<Pulled> =>
    iterator.next().then(
      ({ done, value }) => ({ chunk: done === true ? undefined : value }),
      (cause: unknown) => ({ chunk: undefined, failure: { cause } }),
    );
  let next = pull();
  try {
    let pulled = await next;
    for (let due = 0; pulled.chunk !== undefined; pulled = await next) {
      const batch = [pulled.chunk];
      const pause = sleep(clock, Math.max(due - clock.monotonic(), shortestMs), signal);
      for (let size = pulled.chunk.length; ; ) {
        next = pull();
        const more = size < bytes ? await Promise.race([next, pause]) : undefined;
        if (more?.chunk === undefined) break;
        batch.push(more.chunk);
        size += more.chunk.length;
      }
      due = clock.monotonic() + everyMs;
      yield batch.length === 1 ? pulled.chunk : Buffer.concat(batch);
    }
    if (pulled.failure !== undefined) throw pulled.failure.cause;
  } finally {
    await iterator.return?.();
  }
}

interface Rates {
  readonly clock: Clock;
  /** In bytes a second, for one stream, and for all together. */
  readonly each: number;
  readonly all: number;
  /** How many bytes of a stream pass at once, before its rate counts. */
  readonly burst: number;
}

interface RatedStream {
  /** To be called for bytes that have passed. Resolves when more may pass, or as soon as the signal aborts. */
  pass(bytes: number): Promise<void>;
  /** The others share its rate. */
  end(): void;
}

/** Divides a rate equally among the streams that want more. Those that want less are not slowed down. */
export class FairRate {
  readonly #rates: Rates;
  readonly #hungry = new Set<object>();

  constructor(rates: Rates) {
    this.#rates = rates;
  }

  stream(signal: AbortSignal): RatedStream {
    const { clock, burst } = this.#rates;
    const stream = {};
    let [debt, at] = [0, clock.monotonic()];
    return {
      pass: async (bytes) => {
        const now = clock.monotonic();
        debt = Math.max(debt - ((now - at) / 1000) * this.#share, 0) + bytes;
        at = now;
        if (debt <= burst) return void this.#hungry.delete(stream);
        this.#hungry.add(stream);
        await sleep(clock, ((debt - burst) / this.#share) * 1000, signal);
      },
      end: () => void this.#hungry.delete(stream),
    };
  }

  /** In bytes a second. */
  get #share(): number {
    const { each, all } = this.#rates;
    return Math.min(each, all / Math.max(this.#hungry.size, 1));
  }
}
