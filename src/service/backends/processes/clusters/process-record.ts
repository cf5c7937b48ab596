// Processes that outlive the service: each one is recorded by its identifier and start time before its program runs.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode } from '../../../../lib/errors.ts';
import type { Clock } from '../../../../lib/ports.ts';
import { sleep } from '../../../../lib/timing/wait.ts';
import type { Command } from '../../../engines/engine.ts';
import { isThere } from '../../../model/disk/atomic-files.ts';
import { Transient } from '../../../model/disk/transient.ts';

/** A process of this computer. Linux never has two with the same identifier and start time. */
export interface ProcessRecord {
  readonly pid: number;
  /** Clock ticks since the computer started. */
  readonly startedAt: string;
}

const pollMs = 100;
/** How long a process may take to record itself. */
const recordMs = 5000;

export interface ProcessState extends ProcessRecord {
  readonly state: string;
  /** The identifier of the process that has started it, or of what takes care of it since that has ended. */
  readonly parent: number;
  /** The identifier of the process that leads its session. */
  readonly session: number;
}

/** Reads the format of /proc/PID/stat. The name in it can contain anything, also brackets. */
export function parseStat(text: string): ProcessState | undefined {
  const [, pid, rest] = /^(\d+) \(.*\) ([^)]*)$/s.exec(text.trim()) ?? [];
  const fields = rest?.split(' ') ?? [];
  const [state] = fields;
  const startedAt = fields[19];
  return pid === undefined || state === undefined || startedAt === undefined
    ? undefined
    : { pid: Number(pid), startedAt, state, parent: Number(fields[1]), session: Number(fields[3]) };
}

/** Undefined if there is no such process, or no such file. Throws if that cannot be found out, for example because too many files are open. */
function readStat(path: string): ProcessState | undefined {
  try {
    return parseStat(readFileSync(path, 'utf8'));
  } catch (error) {
    if (isGoneFrom(error)) return undefined;
    throw error;
  }
}

/** A process that ends while its files are read has no such file, or is no such process. */
export const isGoneFrom = (error: unknown): boolean => hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH');

/** The record of this process, as it is written to a file. */
export const ownRecord = (): string => readFileSync('/proc/self/stat', 'utf8');

/** Undefined if nothing was recorded. */
export const readRecord = (file: string): ProcessRecord | undefined => readStat(file);

/** False of one that has ended, and that its parent does not know of yet. */
export const isRunningState = ({ state }: ProcessState): boolean => state !== 'Z' && state !== 'X';

export function isAlive({ pid, startedAt }: ProcessRecord): boolean {
  const now = readStat(`/proc/${pid}/stat`);
  return now !== undefined && now.startedAt === startedAt && isRunningState(now);
}

/** The exit code of a shell that could not record its process. */
const unrecorded = 75;

/**
 * The shell records its process in the file `$0`, or ends if it is not the first to do so. The link makes the record whole and durable, or leaves none: not even a
 * power loss lets a program that has begun be without one.
 */
export const recordItself = `
cat /proc/$$/stat > "$0.$$" && sync "$0.$$" && ln "$0.$$" "$0" && sync "\${0%/*}" || { rm -f "$0.$$"; exit ${unrecorded}; }
rm -f "$0.$$"
`;

/** The process runs its program only if it is the first to record itself. So none is started twice, whenever the service dies. */
const recorder = `${recordItself}exec "$@"`;

interface StartOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Where the process is recorded. */
  readonly record: string;
  /** Where its output goes. */
  readonly log: string;
  readonly folder: string;
}

/** Starts the process, unless it is running, and resolves when it is recorded. Rejects if it cannot be started. */
export async function startProcess(command: Command, options: StartOptions): Promise<ProcessRecord> {
  const known = readRecord(options.record);
  if (known !== undefined && isAlive(known)) return known;
  rmSync(options.record, { force: true });
  return await startRecorded(recorder, command, options);
}

/** `script` has to record its process in the file `$0`, if it is the first to do so, and to run the command `$@`. Resolves when a process is recorded. */
export async function startRecorded(script: string, command: Command, options: StartOptions): Promise<ProcessRecord> {
  const { clock, signal, record, log, folder } = options;
  const output = openSync(log, 'a', 0o600);
  const failed = Promise.withResolvers<never>();
  try {
    const child = spawn('/bin/sh', ['-c', script, record, command.file, ...command.args], {
      cwd: folder,
      // Nothing of the environment of the service, which can contain secrets.
      env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', ...command.env },
      detached: true,
      stdio: ['ignore', output, output],
    });
    child.on('error', failed.reject);
    child.on('exit', (code) => {
      if (code !== unrecorded || isThere(record)) return;
      failed.reject(
        new Transient(`cannot record the process of ${command.file}: make room on the disk of ${dirname(record)}`),
      );
    });
    child.unref();
  } finally {
    closeSync(output);
  }
  const recorded = async (): Promise<ProcessRecord> => {
    for (let waited = 0; waited <= recordMs; waited += pollMs / 10) {
      const now = readRecord(record);
      if (now !== undefined) return now;
      await sleep(clock, pollMs / 10, signal);
      signal.throwIfAborted();
    }
    throw new Error(`${command.file} does not start`);
  };
  return await Promise.race([recorded(), failed.promise]);
}

/** Sends a signal to the process. One that is gone is no failure, and no other one gets the signal. */
export function signalProcess(record: ProcessRecord, signal: NodeJS.Signals): void {
  if (!isAlive(record)) return;
  try {
    process.kill(record.pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** Resolves when the process is gone: after SIGTERM, or after SIGKILL if that takes longer than `graceMs`. */
export async function stopProcess(
  record: ProcessRecord,
  { clock, signal, graceMs }: { readonly clock: Clock; readonly signal: AbortSignal; readonly graceMs: number },
): Promise<void> {
  signalProcess(record, 'SIGTERM');
  for (let waited = 0; isAlive(record); waited += pollMs) {
    signal.throwIfAborted();
    if (waited >= graceMs) signalProcess(record, 'SIGKILL');
    await sleep(clock, pollMs, signal);
  }
}
