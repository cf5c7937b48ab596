// Starts the parts of the process in order and stops them in reverse, within a deadline.
import type { Clock, Log } from '../../lib/ports.ts';
import { describe, within } from '../../lib/within.ts';

/** One part of the process. Both functions may be called once only; `stop` also after a `start` that failed or was given up. */
export interface Part {
  readonly name: string;
  /** Resolves when the next part may start. `signal` is aborted when the process stops meanwhile. */
  start?(signal: AbortSignal): Promise<void> | void;
  /** Should end within `leftMs`; after that it is left behind. May answer with what it had to leave undone. */
  stop?(leftMs: number): Promise<string | void> | string | void;
}

export type LifecycleState = 'starting' | 'running' | 'draining' | 'stopped';

export interface LifecycleOptions {
  readonly parts: readonly Part[];
  readonly clock: Clock;
  readonly log: Log;
}

/** The time of a stop that is kept for each part still to be stopped, so that one that hangs cannot take it all. */
const RESERVED_MS = 500;

/**
 * Guarantees: a part starts only when all before it have started; every part whose start began is stopped, once, in reverse order, even
 * when another part fails to stop or hangs; `stop` ends by the deadline. What a second signal means is for the caller to decide.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #begun: Part[] = [];
  readonly #abort = new AbortController();
  #state: LifecycleState = 'starting';
  #stopping: Promise<readonly string[]> | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  state(): LifecycleState {
    return this.#state;
  }

  /** Resolves when all parts run, or when `stop` came in between. A part that fails rejects it; what has begun is for `stop` to end. */
  async start(): Promise<void> {
    for (const part of this.#options.parts) {
      if (this.#abort.signal.aborted) return;
      this.#begun.push(part);
      await this.#startPart(part);
    }
    if (this.#state === 'starting') this.#state = 'running';
  }

  /** Answers with what did not stop as it should, empty when all did. Further calls get the answer of the first. */
  stop(deadlineMs: number): Promise<readonly string[]> {
    this.#stopping ??= this.#stopAll(deadlineMs);
    return this.#stopping;
  }

  async #startPart(part: Part): Promise<void> {
    const { signal } = this.#abort;
    const given = Promise.withResolvers<void>();
    // Listens before the part does: one that throws because it is told to give up does so too late to be a failed start.
    const giveUp = () => given.resolve();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await Promise.race([Promise.resolve(part.start?.(signal)), given.promise]);
      if (!signal.aborted) this.#options.log.debug({ action: 'start' }, `started ${part.name}`);
    } catch (error) {
      throw new Error(`cannot start ${part.name}: ${describe(error)}`, { cause: error });
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async #stopAll(deadlineMs: number): Promise<readonly string[]> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + deadlineMs;
    this.#state = 'draining';
    this.#abort.abort();
    const troubles: string[] = [];
    for (let part = this.#begun.pop(); part !== undefined; part = this.#begun.pop()) {
      const leftMs = Math.max(0, deadline - clock.monotonic() - RESERVED_MS * this.#begun.length);
      const trouble = await this.#stopPart(part, leftMs);
      if (trouble !== undefined) troubles.push(trouble);
    }
    this.#state = 'stopped';
    return troubles;
  }

  async #stopPart(part: Part, leftMs: number): Promise<string | undefined> {
    const { clock, log } = this.#options;
    let trouble: string | undefined;
    try {
      const answer = await within({ clock, ms: leftMs, late: 'it took too long' }, async () => part.stop?.(leftMs));
      if (typeof answer === 'string') trouble = `${part.name}: ${answer}`;
    } catch (error) {
      trouble = `cannot stop ${part.name}: ${describe(error)}`;
      log.warn({ action: 'stop', err: error }, trouble);
    }
    log.debug({ action: 'stop' }, `stopped ${part.name}`);
    return trouble;
  }
}
