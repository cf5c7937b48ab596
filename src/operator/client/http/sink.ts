// Hands the body of an answer to what reads it, a piece at a time, and counts how long that takes.
import type { Dispatcher } from 'undici';
import type { Clock } from '../../../lib/ports.ts';

/** Takes the next bytes of an answer; more come when it is done with these. Never rejects. */
export type Sink = (chunk: Buffer) => Promise<void>;

export class SinkOptions {
  readonly #sink: Sink;
  readonly #clock: Clock;
  #taken: Promise<void> = Promise.resolve();
  #since: number | undefined;
  #ms = 0;

  constructor(sink: Sink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** All that was handed over is read. */
  get ended(): Promise<void> {
    return this.#taken;
  }

  hand(chunk: Buffer, controller: Dispatcher.DispatchController): void {
    controller.pause();
    this.#taken = this.#taken.then(async () => {
      this.#since = this.#clock.monotonic();
      await this.#sink(chunk);
      this.#count();
      this.#since = undefined;
      controller.resume();
    });
  }

  /** How long the sink was at work since this was last asked, in ms: time that the service was not given. */
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
