// A small Keystone within the bundled service, for tests of clients that log in.
import type { Clock } from '../../src/lib/ports.ts';
import { systemClock } from '../../src/lib/system.ts';
import type { LocalIdentity } from '../../src/service/api/authentication/validation.ts';
import { type Accounts, demoAccounts } from './accounts.ts';
import { isIdentityPath, mountIdentity } from './routes.ts';
import { Throttle } from './throttle.ts';
import { Tokens } from './tokens.ts';

interface IdentityOptions {
  /** When absent: that of the system. */
  readonly clock?: Clock;
  /** Lifetime of a token. When absent: an hour. */
  readonly tokenMs?: number | undefined;
}

/** A Keystone that has issued no tokens yet. Each server needs one of its own. */
export function createIdentity(
  accounts: Accounts,
  { clock = systemClock, tokenMs = 3_600_000 }: IdentityOptions = {},
): LocalIdentity {
  const tokens = new Tokens(clock, tokenMs);
  const throttle = new Throttle(clock);
  return {
    isDemo: accounts === demoAccounts,
    isPath: isIdentityPath,
    mount: (app) => mountIdentity(app, { accounts, tokens, throttle }),
    async validate(id) {
      const token = tokens.find(id);
      return token && { project: token.project?.id, expiresAt: token.expiresAt };
    },
  };
}
