// A deadline on the injected clock that also follows the abort signal of the caller.
import type { Clock } from '../../lib/ports.ts';

export interface Deadline {
  /** Aborts at the deadline or with the parent, whichever comes first. */
  readonly signal: AbortSignal;
  /** The deadline came first. */
  readonly missed: boolean;
  /** Restarts the time. */
  touch(): void;
  /** Must be called when the work has ended. */
  done(): void;
}

interface DeadlineOptions {
  readonly clock: Clock;
  readonly ms: number;
  readonly parent: AbortSignal | undefined;
  /** The message of the error at the deadline: `no answer for 30000 ms`. */
  readonly reason: string;
}

/**
 * Not AbortSignal.any, because `done` must remove the listener of a finished request from a parent that lives as long as the process.
 */
export function startDeadline({ clock, ms, parent, reason }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  let last = clock.monotonic();
  let missed = false;
  const giveUp = (): void => controller.abort(parent?.reason);
  // One timer that is extended when it fires, because touch() is called for every chunk of a stream.
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
