// Reads CPU time and memory of processes from /proc.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const MIB = 1024 * 1024;
let ticksPerSecond: number | undefined;

/** User and system time so far. Throws `cannot measure process ...` where /proc does not have it. */
export function cpuSecondsOf(pid: number): number {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  // The name of the program stands in parentheses and may hold blanks; state is the first field after it.
  const fields = read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** What is resident now. */
export const residentMiBOf = (pid: number): number => (Number(read(pid, 'statm').split(' ')[1]) * 4096) / MIB;

/** The most that was resident since the last `resetPeakRss`, or since the start. */
export function peakRssMiBOf(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(read(pid, 'status')) ?? [];
  return (Number(kib) * 1024) / MIB;
}

/** Where the kernel does not allow it, the peak stays that of the whole life of the process. */
export function resetPeakRss(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // A peak that is too old is too high, never too low.
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (cause) {
    throw new Error(`cannot measure process ${pid}: there is no /proc/${pid}/${file}`, { cause });
  }
}

export const toMiB = (bytes: number): number => bytes / MIB;
