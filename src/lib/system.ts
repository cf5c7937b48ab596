// The real clock and the real chance: the only place where the operator touches them.
import type { Clock, Random } from './ports.ts';

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** For keys and the like: nobody can foretell them. */
export const systemBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

export const systemRandom: Random = { next: () => Math.random() };
