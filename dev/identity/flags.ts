// The flags of the Keystone for tests.
import { type FlagValues, flagsHelp, numberFlag } from '../../src/lib/flags.ts';
import type { LocalIdentity } from '../../src/service/api/authentication/validation.ts';
import { demoAccounts, readAccounts } from './accounts.ts';
import { createIdentity } from './identity.ts';

export const identityFlags = {
  identity: {
    help: 'serve a small Keystone at /v3, which --auth keystone uses without --auth-url: the part of Keystone v3 that passwords and application credentials need. User demo, password demo, domain Default, project demo; application credential 3c9e1b7d5f2a4860b4d6e8f0a1c2e3d5 with the secret demo-secret',
  },
  'identity-file': { value: 'FILE', help: 'the same for the accounts in this YAML or JSON file' },
  'identity-token-ms': numberFlag(0, 1e10 - 1, 'lifetime of a token in ms; default: an hour'),
} as const;

export const identityHelp = `
npm run service also has a small Keystone, for tests of clients. The image does not have it:
${flagsHelp(identityFlags)}`;

/** Undefined if there is none. Throws `cannot read flags: ...` and `cannot read accounts FILE: ...`. */
export function readIdentity(flags: FlagValues<typeof identityFlags>): LocalIdentity | undefined {
  const { identity, 'identity-file': file, 'identity-token-ms': tokenMs } = flags;
  if (file !== undefined) return createIdentity(readAccounts(file), { tokenMs });
  if (identity) return createIdentity(demoAccounts, { tokenMs });
  if (tokenMs !== undefined)
    throw new Error('cannot read flags: --identity-token-ms needs --identity or an --identity-file');
  return undefined;
}
