// Starts the parts of the process in order and stops them in reverse order, within a deadline.
import { messageOf } from '../../lib/errors.ts';
import type { CommonPorts } from '../../lib/ports.ts';
import { within } from '../../lib/timing/wait.ts';

/** Both functions are called at most once; `stop` also after a `start` that failed or was aborted. */
export interface Part {
  readonly name: string;
  /** Resolves when the next part may start. `signal` aborts when the process stops in the meantime. */
  start?(signal: AbortSignal): Promise<void> | void;
  /** Is abandoned after `leftMs`. May return what it could not finish. */
  stop?(leftMs: number): Promise<string | void> | string | void;
}

export type LifecycleState = 'starting' | 'running' | 'draining' | 'stopped';

export interface LifecycleOptions extends CommonPorts {
  readonly parts: readonly Part[];
}

/** Reserved for each part that is still to be stopped, so that one that hangs cannot use up the deadline. */
const reservedMs = 500;

/**
 * Guarantees: a part starts only after all parts before it; every part whose start began is stopped once, in reverse order, even if
 * another part hangs or fails to stop; `stop` ends by the deadline.
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

  /** Resolves when all parts run or `stop` was called. Rejects if a part fails; the caller must then call `stop`. */
  async start(): Promise<void> {
    for (const part of this.#options.parts) {
      if (this.#abort.signal.aborted) return;
      this.#begun.push(part);
      await this.#startPart(part);
    }
    if (this.#state === 'starting') this.#state = 'running';
  }

  /** Returns what did not stop properly. Further calls return the result of the first one. */
  stop(deadlineMs: number): Promise<readonly string[]> {
    this.#stopping ??= this.#stopAll(deadlineMs);
    return this.#stopping;
  }

  async #startPart(part: Part): Promise<void> {
    const { signal } = this.#abort;
    const given = Promise.withResolvers<void>();
    // Registered before the part's own listener, so that a part that throws on abort does not count as a failed start.
    const giveUp = () => given.resolve();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await Promise.race([Promise.resolve(part.start?.(signal)), given.promise]);
      if (!signal.aborted) this.#options.log.debug({ action: 'start' }, `started ${part.name}`);
    } catch (error) {
      throw new Error(`cannot start ${part.name}: ${messageOf(error)}`, { cause: error });
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
      const leftMs = Math.max(0, deadline - clock.monotonic() - reservedMs * this.#begun.length);
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
      const answer = await within({ clock, ms: leftMs, late: 'timed out' }, async () => part.stop?.(leftMs));
      if (typeof answer === 'string') trouble = `${part.name}: ${answer}`;
    } catch (error) {
      trouble = `cannot stop ${part.name}: ${messageOf(error)}`;
      log.warn({ action: 'stop', err: error }, trouble);
    }
    log.debug({ action: 'stop' }, `stopped ${part.name}`);
    return trouble;
  }
}
