// A clock that runs faster than the real one: minutes of polling in seconds of a test.
import type { Clock } from '../../src/ports.ts';

/** A clock that runs `factor` times as fast as the real one. */
export function fastClock(factor: number): Clock {
  const start = performance.now();
  const wall = Date.now();
  const passed = () => (performance.now() - start) * factor;
  return {
    wall: () => wall + passed(),
    monotonic: () => start + passed(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms / factor);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
