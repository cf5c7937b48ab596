// Shows how far something is: as a bar that is redrawn on a terminal, and as a line every few seconds anywhere else.
import type { Clock } from '../ports.ts';

export interface ProgressState {
  readonly label: string;
  /** Bytes. Undefined if nobody can tell. */
  readonly done?: number;
  readonly total?: number | undefined;
}

export interface Progress {
  print(line: string): void;
  /** Shows the state, which changes meanwhile, until the work has ended. */
  during<T>(state: () => ProgressState, work: () => Promise<T>): Promise<T>;
}

interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

const redrawMs = 200;
const repeatMs = 5_000;
const barWidth = 24;

export function createBarProgress(terminal: Terminal, clock: Clock): Progress {
  const fitted = (text: string): string => text.slice(0, (terminal.columns || 80) - 1);
  return {
    print: (line) => void terminal.write(`${line}\n`),
    async during(state, work) {
      const draw = (elapsed: number) =>
        void terminal.write(`\r\x1b[K${fitted(describe(state(), elapsed, barOf(state())))}`);
      try {
        return await repeat({ clock, everyMs: redrawMs, show: draw }, work);
      } finally {
        terminal.write('\r\x1b[K');
      }
    },
  };
}

export const createLineProgress = (print: (line: string) => void, clock: Clock): Progress => ({
  print,
  during: async (state, work) =>
    repeat({ clock, everyMs: repeatMs, show: (elapsed) => print(describe(state(), elapsed, '')) }, work),
});

interface Repetition {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly show: (elapsedMs: number) => void;
}

/** Shows at once, and then again and again. */
async function repeat<T>({ clock, everyMs, show }: Repetition, work: () => Promise<T>): Promise<T> {
  const begun = clock.monotonic();
  let cancel = (): void => undefined;
  const round = (): void => {
    show(clock.monotonic() - begun);
    cancel = clock.after(everyMs, round);
  };
  round();
  try {
    return await work();
  } finally {
    cancel();
  }
}

/** For example `Spark 4.1.2: downloading 120 of 548 MB (0:20)`. */
function describe({ label, done, total }: ProgressState, elapsedMs: number, bar: string): string {
  const amount =
    done === undefined ? '' : ` ${megabytes(done)}${total === undefined ? '' : ` of ${megabytes(total)}`} MB`;
  return `${label}${bar}${amount} (${minutes(elapsedMs)})`;
}

function barOf({ done, total }: ProgressState): string {
  if (done === undefined || total === undefined || total === 0) return '';
  const filled = Math.min(barWidth, Math.floor((done / total) * barWidth));
  return ` [${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}]`;
}

export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

/** Milliseconds as minutes and seconds: `2:05`. */
export function minutes(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
