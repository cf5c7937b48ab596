// Bounds on work that must stay small: a busy machine lengthens the time on the clock, but not that of the processor.

/** Milliseconds that this thread has computed since it began. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
