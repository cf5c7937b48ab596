// The bundled service as a process of its own, as users start it.
import { vi } from 'vitest';
import { type Ended, type Running, runCommand, runProgram } from '../../support/command.ts';
import { limitMs } from '../../support/patience.ts';

export interface ServiceProcess {
  /** Base address, as the first line tells it. */
  readonly url: string;
  readonly pid: number;
  kill(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Everything on standard error so far. */
  errors(): string;
  /** The first lines of standard output, once there are that many. */
  lines(count: number): Promise<readonly string[]>;
}

const entry = 'src/service/program/main.ts';
/** The same with faults, as `npm run service` starts it. */
const devEntry = 'dev/service.ts';

/** Runs to its own end. */
export const runService = (...flags: readonly string[]): Promise<Ended> => runProgram(entry, flags).ended;

/** Resolves when it listens on a free port; throws what it said when it ends before that. */
export const startService = (...flags: readonly string[]): Promise<ServiceProcess> => startLogging(undefined, ...flags);

/** The same, with its log in an open file. */
export const startLogging = (log: number | undefined, ...flags: readonly string[]): Promise<ServiceProcess> =>
  listening(runProgram(entry, ['--port', '0', ...flags], log));

/** The same with an inspector, whose address is among its errors. */
export const startInspected = (...flags: readonly string[]): Promise<ServiceProcess> =>
  listening(runCommand(process.execPath, ['--inspect=127.0.0.1:0', entry, '--port', '0', ...flags]));

/** As `runService` and `startService`, with the flags of faults. */
export const runDevService = (...flags: readonly string[]): Promise<Ended> => runProgram(devEntry, flags).ended;
export const startDevService = (...flags: readonly string[]): Promise<ServiceProcess> =>
  listening(runProgram(devEntry, ['--port', '0', ...flags]));

async function listening({ pid, ended, output, errors, signal: send }: Running): Promise<ServiceProcess> {
  const lines = (count: number): Promise<readonly string[]> =>
    vi.waitFor(() => {
      const all = output().split('\n').slice(0, -1);
      if (all.length < count) throw new Error(`there are only ${all.length} lines: ${output()}`);
      return all.slice(0, count);
    }, limitMs);
  const first = await Promise.race([lines(1), ended.then(() => undefined)]);
  if (first === undefined) throw new Error(`cannot start the service: ${errors()}`);
  return {
    url: first[0]?.replace('listening on ', '') ?? '',
    pid,
    errors,
    lines,
    async kill(by) {
      send(by);
      const { code, signal } = await ended;
      return { code, signal };
    },
  };
}
