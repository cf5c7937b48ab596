// Loaded before the operator: a clock that runs faster than the real one, so that patience takes seconds instead of minutes. Its ticks stop
// with the process, which `test/support/fast-clock.ts` does not need: there operator and test are one process.
import type { Clock } from '../../../src/lib/ports.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { pace } from './pace.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

const tickMs = 10;

/**
 * Runs in ticks, and stands still while a busy machine lets this process wait: then the API server and the service wait, too, and no
 * deadline of the operator must pass for that alone.
 */
function createClock(): Clock {
  const [wall, monotonic] = [Date.now(), performance.now()];
  const timers = new Set<Timer>();
  let passed = 0;
  let ticked = monotonic;
  const tick = (): void => {
    const now = performance.now();
    passed += Math.min(now - ticked, 2 * tickMs) * pace;
    ticked = now;
    const due = [...timers].filter((timer) => timer.due <= passed);
    for (const timer of due.toSorted((one, other) => one.due - other.due)) if (timers.delete(timer)) timer.callback();
  };
  setInterval(tick, tickMs).unref();
  return {
    wall: () => wall + passed,
    monotonic: () => monotonic + passed,
    after(ms, callback) {
      const timer = { due: passed + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
}

Object.assign(systemClock, createClock());
