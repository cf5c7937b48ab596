// The clock of the machine, for tests that want real time.
import type { Clock } from '../../src/ports.ts';

export function realClock(): Clock {
  return {
    wall: () => Date.now(),
    monotonic: () => performance.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
