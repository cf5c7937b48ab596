// Processes that others have started, and that are still there when these have ended. They are found by a mark in their environment.
import type { Clock } from '../../../../lib/ports.ts';
import { type ProcessRecord, stopProcess } from './process-record.ts';
import { look } from './sight.ts';

interface EndOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long the processes may take to end after SIGTERM, all together. */
  readonly graceMs: number;
}

/** Ends what `find` finds, until that is nothing. It has to find what is there after it was called, or later. */
async function endAll(find: () => Promise<readonly ProcessRecord[]>, { clock, signal, graceMs }: EndOptions) {
  const until = clock.monotonic() + graceMs;
  for (let left = await find(); left.length > 0; left = await find()) {
    const options = { clock, signal, graceMs: Math.max(until - clock.monotonic(), 0) };
    await Promise.all(left.map((record) => stopProcess(record, options)));
  }
}

/** Ends all processes of the run. `first`: see `Sight`. */
export const endProcessesOfRun = (run: string, first: ProcessRecord | undefined, options: EndOptions): Promise<void> =>
  endAll(async () => (await look()).ofRun(run, first), options);

/** Ends all processes of the machines. */
export const endProcessesOf = (machines: readonly string[], options: EndOptions): Promise<void> =>
  endAll(async () => {
    const sight = await look();
    return machines.flatMap((machine) => sight.ofMachine(machine));
  }, options);
