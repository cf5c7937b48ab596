// Processes that others have started, and that are still there when these have ended. They are found by a mark in their environment.
import { readdirSync, readFileSync } from 'node:fs';
import { hasCode } from '../../../../lib/errors.ts';
import type { Clock } from '../../../../lib/ports.ts';
import { isAlive, isGoneFrom, type ProcessRecord, parseStat, stopProcess } from './process-record.ts';

/** The variable that every process of a machine has, and passes on. */
export const machineMark = 'DATAPROCESSING_MACHINE';
/** The same for the processes of a run. */
export const runMark = 'DATAPROCESSING_RUN';

type Seen = NonNullable<ReturnType<typeof parseStat>>;

/** The processes of this user that match. Throws if that cannot be found out. */
function findProcesses(matches: (process: Seen, environment: readonly string[]) => boolean): readonly ProcessRecord[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        const seen = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
        return seen === undefined || !matches(seen, environment) ? [] : [seen];
      } catch (error) {
        const isForeign = hasCode(error, 'EACCES') || hasCode(error, 'EPERM');
        if (isForeign || isGoneFrom(error)) return [];
        throw error;
      }
    });
}

/** The processes that have the mark of the machine. */
export const processesOf = (machine: string): readonly ProcessRecord[] =>
  findProcesses((_process, environment) => environment.includes(`${machineMark}=${machine}`));

/** The processes that this one has started itself. */
export const childrenOf = (parent: ProcessRecord): readonly ProcessRecord[] =>
  isAlive(parent) ? findProcesses((process) => process.parent === parent.pid) : [];

/**
 * The processes of the run: those with its mark and, as long as its first process is there, all of its session. Later the identifier of the session can be
 * that of a foreign one.
 */
export function processesOfRun(run: string, first: ProcessRecord | undefined): readonly ProcessRecord[] {
  const session = first !== undefined && isAlive(first) ? first.pid : undefined;
  const mark = `${runMark}=${run}`;
  return findProcesses((process, environment) => environment.includes(mark) || process.session === session);
}

interface EndOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long the processes may take to end after SIGTERM, all together. */
  readonly graceMs: number;
}

/** Ends what `find` finds, until that is nothing. */
export async function endAll(find: () => readonly ProcessRecord[], { clock, signal, graceMs }: EndOptions) {
  const until = clock.monotonic() + graceMs;
  for (let left = find(); left.length > 0; left = find()) {
    const options = { clock, signal, graceMs: Math.max(until - clock.monotonic(), 0) };
    await Promise.all(left.map((record) => stopProcess(record, options)));
  }
}
