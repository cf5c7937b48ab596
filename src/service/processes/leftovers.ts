// Processes that those of a machine have started, and that are still there when these have ended. They are found by a mark in their environment.
import { readdirSync, readFileSync } from 'node:fs';
import { type ProcessRecord, parseStat } from './process-record.ts';

/** The variable that every process of a machine has, and passes on. */
export const machineMark = 'DATAPROCESSING_MACHINE';

/** The processes of this user that have the mark of the machine. */
export function processesOf(machine: string): readonly ProcessRecord[] {
  const mark = `${machineMark}=${machine}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark)) return [];
        return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      } catch {
        // It has ended, or belongs to another user.
        return [];
      }
    });
}
