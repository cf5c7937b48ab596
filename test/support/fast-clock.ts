// A clock that runs faster than the real one, and can leap: minutes of polling in seconds of a test.
import type { Clock } from '../../src/lib/ports.ts';

export interface FastClock extends Clock {
  /** This much time passes at once: every timer that is due by then runs, in the order of their times. */
  leap(ms: number): void;
  /** How long it takes in truth, in ms. */
  real(ms: number): number;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
  handle: NodeJS.Timeout;
}

/** A clock that runs `factor` times as fast as the real one. */
export function fastClock(factor: number): FastClock {
  const start = performance.now();
  const wall = Date.now();
  const timers = new Set<Timer>();
  let leaped = 0;
  const passed = () => (performance.now() - start) * factor + leaped;
  const arm = (due: number, callback: () => void): NodeJS.Timeout =>
    setTimeout(callback, Math.max(0, due - passed()) / factor).unref();
  return {
    wall: () => wall + passed(),
    monotonic: () => start + passed(),
    after(ms, callback) {
      const due = passed() + ms;
      const run = (): void => {
        timers.delete(timer);
        callback();
      };
      const timer: Timer = { due, callback: run, handle: arm(due, run) };
      timers.add(timer);
      return () => {
        timers.delete(timer);
        clearTimeout(timer.handle);
      };
    },
    real: (ms) => ms / factor,
    leap(ms) {
      leaped += ms;
      for (const timer of [...timers].toSorted((one, other) => one.due - other.due)) {
        clearTimeout(timer.handle);
        timer.handle = arm(timer.due, timer.callback);
      }
    },
  };
}
