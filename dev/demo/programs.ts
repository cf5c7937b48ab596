// Starts programs of this repository as child processes, with their logs in files.
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSupervisor } from '../plane/supervisor.ts';
import { NotYet, waitUntil } from './waiting.ts';

export interface Program {
  readonly name: string;
  readonly pid: number;
  /** The file of its standard output and error. */
  readonly logFile: string;
  /** Standard output and error so far. */
  log(): Promise<string>;
  /** How it ended, as in `code 0` or `SIGKILL`; undefined while it runs. */
  ended(): string | undefined;
  /** Sends a signal and answers with how the process ended. Throws when it has not after `withinMs`. */
  end(signal: 'SIGTERM' | 'SIGKILL', withinMs: number): Promise<string>;
}

export interface Start {
  readonly name: string;
  /** Path of the script from the root of the repository. */
  readonly script: string;
  readonly args: readonly string[];
  /** For Node itself. */
  readonly nodeFlags?: readonly string[];
  /** In addition to ours. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Programs {
  start(program: Start): Promise<Program>;
  /** Kills what still runs and removes the folder. */
  close(): Promise<void>;
}

const root = join(import.meta.dirname, '..', '..');

/** The folder must exist. It is removed at the end, even if this process is killed. `onEnd` is called with its log file when a program ends unexpectedly. */
export async function openPrograms(
  folder: string,
  onEnd: (name: string, how: string, log: string) => void = () => undefined,
): Promise<Programs> {
  const asked = new Set<string>();
  const logOf = (key: string): string => join(folder, `${key}.log`);
  let starts = 0;
  const supervisor = await startSupervisor(folder, (key, how) => {
    if (!asked.has(key)) onEnd(key.replace(/-\d+$/, ''), how, logOf(key));
  });
  return {
    async start({ name, script, args, nodeFlags = [], environment = {} }) {
      starts += 1;
      const key = `${name}-${starts}`;
      const log = logOf(key);
      const pid = await supervisor.start({
        name: key,
        command: process.execPath,
        args: [...nodeFlags, join(root, script), ...args],
        environment,
        log,
      });
      const ended = (): string | undefined => supervisor.ended.get(key);
      return {
        name,
        pid,
        logFile: log,
        log: async () => readFile(log, 'utf8').catch(() => ''),
        ended,
        async end(signal, withinMs) {
          asked.add(key);
          if (ended() === undefined) kill(pid, signal);
          const probe = async () => ended() ?? new NotYet(`process ${pid} is still there`);
          return waitUntil(`end ${name} by ${signal}`, probe, { withinMs, everyMs: 20 });
        },
      };
    },
    close: async () => supervisor.close(),
  };
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended a moment ago, and the report of it is on its way.
  }
}

/** The first group of the pattern in the log. Throws with the end of the log if the program ends before the pattern appears. */
export async function waitForLine(program: Program, pattern: RegExp, withinMs = 60_000): Promise<string> {
  return waitUntil(
    `see ${pattern.source} in the log`,
    async () => {
      const log = await program.log();
      const [, part] = pattern.exec(log) ?? [];
      if (part !== undefined) return part;
      if (program.ended() !== undefined) throw new Error(`it ended with ${program.ended()}:\n${lastLines(log, 15)}`);
      return new NotYet(`the log ends with:\n${lastLines(log, 5)}`);
    },
    { withinMs, everyMs: 50 },
  );
}

/** Copies the log into the folder, because the programs remove theirs. Answers with the path of the copy. */
export async function keepLog({ name, logFile }: Pick<Program, 'name' | 'logFile'>, into: string): Promise<string> {
  await mkdir(into, { recursive: true });
  const kept = join(into, `${name}.log`);
  await copyFile(logFile, kept);
  return kept;
}

export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
