// Bounds on work that must stay small: a busy machine lengthens the time on the clock, but not that of the processor.
import { readFileSync } from 'node:fs';

/** Milliseconds that this thread has computed since it began. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** How long the main thread of a process was ready and got no core so far, in milliseconds: proc(5), schedstat. */
function waitedForCoreMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1_000_000;
}

/** Milliseconds on the clock, less those for which this process and `others` waited for a core, which other programs had. */
export function servedMs(...others: readonly number[]): number {
  return [process.pid, ...others].reduce((ms, pid) => ms - waitedForCoreMs(pid), performance.now());
}
