// What a process that has ended wrote last, and which of that says why it ended.
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

const tailBytes = 16_000;
const mostCharacters = 300;
/** What came earlier was survived: a log goes on when its process is started again. */
const mostLines = 20;

/** An exception of Java by its class, or what the virtual machine itself says. */
const exception = /^(Exception in thread |Caused by: |Error: |[a-z]\w*(\.\w+)+(Exception|Error)\b)/;
const complaint = /\b(ERROR|FATAL)\b/;

/** The last lines of a log, without those that are places in a program. There are none if nothing was written. */
export function endOf(log: string): readonly string[] {
  if (!existsSync(log)) return [];
  const file = openSync(log, 'r');
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8').split('\n');
    return lines.filter((line) => line.trim() !== '' && !/^\s+(at |\.{3} \d+ more)/.test(line));
  } finally {
    closeSync(file);
  }
}

/** The last exception, or else the last error, because what ends often goes on to write that it ends. Without one, the last line. */
export function causeOf(lines: readonly string[]): string {
  const last = lines.slice(-mostLines);
  const cause = last.findLast((line) => exception.test(line)) ?? last.findLast((line) => complaint.test(line));
  return (cause ?? last.at(-1))?.slice(0, mostCharacters) ?? 'it has written nothing';
}

export const causeIn = (log: string): string => causeOf(endOf(log));
