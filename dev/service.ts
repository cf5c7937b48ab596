// The bundled service with what is for tests of clients only: a small Keystone, faults, and the port that controls them.
import { drawSecret, systemClock } from '../src/lib/system.ts';
import type { Flags } from '../src/service/program/flags/flags.ts';
import { run } from '../src/service/program/run.ts';
import { identityFlags, identityHelp, readIdentity } from './identity/flags.ts';
import { createControl, openControlToken } from './personality/control.ts';
import { faultFlags, faultHelp, readFaults } from './personality/flags.ts';
import { Injector } from './personality/injector.ts';
import { combine } from './personality/personality.ts';
import { readPersonality } from './personality/personality-text.ts';

type Faults = ReturnType<typeof readFaults>;

/** The personality of the file combined with that of the flags. Undefined if no faults can be injected. */
function createInjector({ personality: file, faults, control }: Faults, { dialect, seed }: Flags) {
  const fromFile = file === undefined ? {} : readPersonality(dialect, file);
  const personality = combine(fromFile, { ...(seed !== undefined && { seed }), ...faults });
  const needed = control !== undefined || file !== undefined || Object.keys(faults).length > 0;
  return needed ? new Injector(systemClock, personality) : undefined;
}

async function startControl(
  { control }: Faults,
  { dialect, 'allowed-host': allowed, limits }: Flags,
  injector: Injector | undefined,
) {
  if (control === undefined || injector === undefined) return { announcement: '', close: async () => {} };
  const { token, file, forget } = openControlToken(control.tokenFile, () => drawSecret(24));
  const app = createControl(injector, dialect, { token, names: { allowed, any: false }, limits });
  const url = await app.listen(control);
  return { announcement: `control on ${url}\ncontrol token in ${file}\n`, close: () => app.close().finally(forget) };
}

await run(process.argv.slice(2), {
  flags: { ...identityFlags, ...faultFlags },
  help: identityHelp + faultHelp,
  wrap(flags) {
    const faults = readFaults(flags, flags.dialect);
    const hooks = createInjector(faults, flags);
    return { hooks, identity: readIdentity(flags), start: () => startControl(faults, flags, hooks) };
  },
});
