// Real and recording stand-ins for the three ports, and waiting for a condition.
import type { Log, LogFields, Random } from '../../../../src/lib/ports.ts';
import { limitMs } from '../../../support/patience.ts';

export function fixedRandom(value: number): Random {
  return { next: () => value };
}

export interface LogLine {
  readonly level: keyof Log;
  readonly fields: LogFields;
  readonly message: string;
}

export interface RecordingLog extends Log {
  readonly lines: LogLine[];
}

export function recordingLog(): RecordingLog {
  const lines: LogLine[] = [];
  const record = (level: keyof Log) => (fields: LogFields, message: string) =>
    void lines.push({ level, fields, message });
  return { lines, debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') };
}

/** Waits until the condition holds; fails with its name after `withinMs` of real time. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = limitMs,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`cannot wait any longer until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
