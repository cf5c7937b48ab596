// The bundled service with what is for tests of clients only: faults, and the port that controls them.
import { messageOf } from '../src/lib/errors.ts';
import { systemClock } from '../src/lib/system.ts';
import type { Flags } from '../src/service/program/flags/flags.ts';
import { run } from '../src/service/program/run.ts';
import { createControl, openControlToken } from './personality/control.ts';
import { faultHelp, parseFaultFlags, splitFlags } from './personality/flags.ts';
import { Injector } from './personality/injector.ts';
import { combine } from './personality/personality.ts';
import { readPersonality } from './personality/personality-text.ts';

type FaultFlags = ReturnType<typeof parseFaultFlags>;

/** The personality of the file combined with that of the flags. Undefined if no faults can be injected. */
function createInjector({ personality: file, faults, control }: FaultFlags, { dialect, seed }: Flags) {
  const fromFile = file === undefined ? {} : readPersonality(dialect, file);
  const personality = combine(fromFile, { ...(seed !== undefined && { seed }), ...faults });
  const needed = control !== undefined || file !== undefined || Object.keys(faults).length > 0;
  return needed ? new Injector(systemClock, personality) : undefined;
}

const drawToken = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url');

async function startControl(
  { control }: FaultFlags,
  { dialect, allowedHosts, limits }: Flags,
  injector: Injector | undefined,
) {
  if (control === undefined || injector === undefined) return { announcement: '', close: async () => {} };
  const { token, file, forget } = openControlToken(control.tokenFile, drawToken);
  const app = createControl(injector, dialect, { token, names: { allowed: allowedHosts, any: false }, limits });
  const url = await app.listen(control);
  return { announcement: `control on ${url}\ncontrol token in ${file}\n`, close: () => app.close().finally(forget) };
}

try {
  const { own, rest } = splitFlags(process.argv.slice(2));
  await run(rest, {
    help: faultHelp,
    wrap(flags) {
      const faultFlags = parseFaultFlags(own, flags.dialect);
      const hooks = createInjector(faultFlags, flags);
      return { hooks, start: () => startControl(faultFlags, flags, hooks) };
    },
  });
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
