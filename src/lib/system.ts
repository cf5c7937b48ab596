// The system clock and random numbers. Nothing else uses them directly.
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

/** Cryptographically secure. */
export const systemBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

export const systemRandom: Random = { next: () => Math.random() };
