// Feeds the body of an answer to its reader chunk by chunk, and measures the time that the reader takes.
import type { Dispatcher } from 'undici';
import type { Clock } from '../../../lib/ports.ts';

/** Receives the next bytes of an answer, and more when it resolves. Never rejects. */
export type Sink = (chunk: Buffer) => Promise<void>;

export class SinkFeed {
  readonly #sink: Sink;
  readonly #clock: Clock;
  #taken: Promise<void> = Promise.resolve();
  #since: number | undefined;
  #ms = 0;

  constructor(sink: Sink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Resolves when all chunks are read. */
  get ended(): Promise<void> {
    return this.#taken;
  }

  feed(chunk: Buffer, controller: Dispatcher.DispatchController): void {
    controller.pause();
    this.#taken = this.#taken.then(async () => {
      this.#since = this.#clock.monotonic();
      await this.#sink(chunk);
      this.#count();
      this.#since = undefined;
      controller.resume();
    });
  }

  /** The time that the sink took since the last call, in ms. It extends the deadline of the service. */
  owedMs(): number {
    this.#count();
    const ms = this.#ms;
    this.#ms = 0;
    return ms;
  }

  #count(): void {
    if (this.#since === undefined) return;
    const now = this.#clock.monotonic();
    this.#ms += now - this.#since;
    this.#since = now;
  }
}
