// Ends a piece of work when its time is up or its owner gives up, on the injected clock.
import type { Clock } from '../../../lib/ports.ts';

export interface Deadline {
  /** Aborts with the reason of whatever came first. */
  readonly signal: AbortSignal;
  /** The time was up, and nobody had given up before. */
  readonly missed: boolean;
  /** Starts the time anew. */
  touch(): void;
  /** Must be called once the work is over. */
  done(): void;
}

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly ms: number;
  /** The owner's signal: its abort ends the work, too. */
  readonly parent: AbortSignal | undefined;
  /** Why, when the time is up: `no answer for 30000 ms`. */
  readonly reason: string;
}

/**
 * Listens to the parent by hand instead of AbortSignal.any: `done` takes every trace of a finished request off a signal
 * that lives as long as the process.
 */
export function startDeadline({ clock, ms, parent, reason }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  let last = clock.monotonic();
  let missed = false;
  const giveUp = (): void => controller.abort(parent?.reason);
  // One timer that is moved on when it fires, because touch() is called for every chunk of a stream.
  const check = (): void => {
    const left = last + ms - clock.monotonic();
    if (left > 0) cancel = clock.after(left, check);
    else miss();
  };
  const miss = (): void => {
    missed = !controller.signal.aborted;
    controller.abort(new Error(reason));
  };
  let cancel = clock.after(ms, check);
  if (parent?.aborted === true) giveUp();
  parent?.addEventListener('abort', giveUp);
  return {
    signal: controller.signal,
    get missed() {
      return missed;
    },
    touch: () => {
      last = clock.monotonic();
    },
    done: () => {
      cancel();
      parent?.removeEventListener('abort', giveUp);
    },
  };
}
