// Whether the kernel ended a program because memory ran out: it counts whom it ends so in each cgroup, and not the processes.
import { readFileSync } from 'node:fs';
import type { Clock } from '../../../../lib/ports.ts';

/** How many processes the kernel has ended so. Undefined if that is not known. */
export type OomCount = () => number | undefined;

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** The file with the count, of version 2 or 1 of cgroups. `groups`: the text of `/proc/PID/cgroup`. */
export function oomFileOf(groups: string): string | undefined {
  const pathOf = (controller: RegExp): string | undefined =>
    groups
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(':'))
      .find(([, controllers = '']) => controller.test(controllers))
      ?.slice(2)
      .join(':');
  const [first, second] = [pathOf(/(^|,)memory(,|$)/), pathOf(/^$/)];
  if (first !== undefined) return `/sys/fs/cgroup/memory${first}/memory.oom_control`;
  return second === undefined ? undefined : `/sys/fs/cgroup${second}/memory.events`;
}

/** The count of the cgroup in which the process is. */
export function oomCountOf(pid: number): OomCount {
  const file = oomFileOf(read(`/proc/${pid}/cgroup`));
  if (file === undefined) return () => undefined;
  return () => {
    const [, number] = /^oom_kill (\d{1,15})$/m.exec(read(file)) ?? [];
    return number === undefined ? undefined : Number(number);
  };
}

const sampleMs = 1000;

/** Compares the count after the end of a program with those of the last seconds before it: others in its cgroup can have been ended long ago. */
export class OomWatch {
  readonly #count: OomCount;
  readonly #clock: Clock;
  #samples: readonly (number | undefined)[];
  #sampledAt: number;

  constructor(count: OomCount, clock: Clock) {
    this.#count = count;
    this.#clock = clock;
    this.#samples = [count()];
    this.#sampledAt = clock.monotonic();
  }

  /** To be called while the program runs. */
  look(): void {
    if (this.#clock.monotonic() - this.#sampledAt < sampleMs) return;
    this.#sampledAt = this.#clock.monotonic();
    // The last one can have been taken when the program was ended already, and nobody knew.
    this.#samples = [this.#samples.at(-1), this.#count()];
  }

  /** Whether the count has risen since. False if it is not known. */
  get hasRisen(): boolean {
    const [before, now] = [this.#samples[0], this.#count()];
    return before !== undefined && now !== undefined && now > before;
  }
}
