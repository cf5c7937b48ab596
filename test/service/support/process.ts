// The bundled service as a process of its own, as users start it.
import { vi } from 'vitest';
import { type Ended, runProgram } from '../../support/command.ts';

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
  start(entry, flags, log);

/** As `runService` and `startService`, with the flags of faults. */
export const runDevService = (...flags: readonly string[]): Promise<Ended> => runProgram(devEntry, flags).ended;
export const startDevService = (...flags: readonly string[]): Promise<ServiceProcess> => start(devEntry, flags);

async function start(program: string, flags: readonly string[], log?: number): Promise<ServiceProcess> {
  const { pid, ended, output, errors, signal: send } = runProgram(program, ['--port', '0', ...flags], log);
  const lines = (count: number): Promise<readonly string[]> =>
    vi.waitFor(() => {
      const all = output().split('\n').slice(0, -1);
      if (all.length < count) throw new Error(`there are only ${all.length} lines: ${output()}`);
      return all.slice(0, count);
    }, 60_000);
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
