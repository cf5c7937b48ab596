// Measures how long the event loop of this process is blocked, and how much of that is work.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** One stretch of time between two ticks of a timer, beyond the time that the timer asks for. */
export interface Gap {
  /** On the clock: the loop did not turn, because it worked or because the process had no core. */
  readonly wallMs: number;
  /** CPU time of the main thread within: no synchronous section in it was longer. */
  readonly cpuMs: number;
}

/** Since the last reset. */
export interface LoopFigures {
  readonly delayMaxMs: number;
  readonly longestGap: Gap;
  readonly busiestGap: Gap;
}

const tickMs = 5;
const noGap: Gap = { wallMs: 0, cpuMs: 0 };
const gaps = { longestGap: noGap, busiestGap: noGap };
const delays = monitorEventLoopDelay({ resolution: tickMs });
let ticking = false;

/** Call this after the modules are loaded, because loading blocks the event loop. */
export function startTicks(): void {
  if (ticking) return;
  ticking = true;
  let at = performance.now();
  let cpu = process.threadCpuUsage();
  const tick = (): void => {
    const now = performance.now();
    const used = process.threadCpuUsage();
    const gap = {
      wallMs: Math.max(0, now - at - tickMs),
      cpuMs: (used.user + used.system - cpu.user - cpu.system) / 1000,
    };
    if (gap.wallMs > gaps.longestGap.wallMs) gaps.longestGap = gap;
    if (gap.cpuMs > gaps.busiestGap.cpuMs) gaps.busiestGap = gap;
    [at, cpu] = [now, used];
  };
  setInterval(tick, tickMs).unref();
  delays.enable();
}

export const loopFigures = (): LoopFigures => ({ delayMaxMs: delays.max / 1e6, ...gaps });

export function resetLoop(): void {
  delays.reset();
  Object.assign(gaps, { longestGap: noGap, busiestGap: noGap });
}
