// The flags for authentication: tokens, Keystone and the bundled identity service. PURE.
import { z } from 'zod';
import { type Grant, parseGrant } from '../authentication/authentication.ts';

export const accessHelp = `\
  --auth WORD          none, token or keystone. The default is token if there is a --token or a
                       --token-file, otherwise none
  --token TOKEN        require this token in X-Auth-Token. TOKEN=TENANT: valid only for that
                       tenant. Can be repeated
  --token-file FILE    the same for the tokens in this file, one on each line. Unlike flags, a file
                       is not visible to everybody on the machine
  --auth-url URL       with keystone: the Keystone that validates tokens, ending with /v3.
                       Default: the bundled identity service
  --auth-cache-ms N    ms for which a valid token is not validated again (300000)
  --identity           enable the bundled identity service at /v3: the part of Keystone v3 that
                       passwords and application credentials need. User demo, password demo,
                       domain Default, project demo; application credential
                       3c9e1b7d5f2a4860b4d6e8f0a1c2e3d5 with the secret demo-secret
  --identity-file FILE the same for the accounts in this YAML or JSON file
  --identity-token-ms N  lifetime of a token in ms                    (3600000)
`;

const milliseconds = z
  .string()
  .regex(/^\d{1,10}$/, { error: 'is not a whole number' })
  .transform(Number)
  .optional();

export const accessFields = {
  auth: z.enum(['none', 'token', 'keystone']).optional(),
  token: z.array(z.string().regex(/^[^=]/, { error: 'has no token' })).default([]),
  'token-file': z.string().min(1).optional(),
  'auth-url': z.url({ protocol: /^https?$/, error: 'is not a URL at http or https' }).optional(),
  'auth-cache-ms': milliseconds,
  identity: z.boolean().default(false),
  'identity-file': z.string().min(1).optional(),
  'identity-token-ms': milliseconds,
};

type AccessFlags = z.output<z.ZodObject<typeof accessFields>>;

interface AccessSettings {
  readonly grants: readonly Grant[];
  readonly tokenFile: string | undefined;
  readonly keystone: { readonly authUrl: string | undefined; readonly cacheMs: number | undefined } | undefined;
  /** `file` undefined: the accounts of the demo. */
  readonly identity: { readonly file: string | undefined; readonly tokenMs: number | undefined } | undefined;
}

function contradictionIn(flags: AccessFlags): string | undefined {
  const { auth, token } = flags;
  const tokenFlag = flags['token-file'] === undefined ? token.length > 0 && '--token' : '--token-file';
  if (auth === 'token' && tokenFlag === false) return '--auth token needs a --token or a --token-file';
  if (auth !== undefined && auth !== 'token' && tokenFlag !== false) return `--auth ${auth} takes no ${tokenFlag}`;
  const [url, cacheMs] = [flags['auth-url'], flags['auth-cache-ms']];
  if (auth !== 'keystone' && (url !== undefined || cacheMs !== undefined)) {
    return `--auth-${url === undefined ? 'cache-ms' : 'url'} needs --auth keystone`;
  }
  const served = flags.identity || flags['identity-file'] !== undefined;
  if (auth === 'keystone' && url === undefined && !served) return '--auth keystone needs --identity or an --auth-url';
  return served || flags['identity-token-ms'] === undefined ? undefined : '--identity-token-ms needs --identity';
}

/** Throws `cannot read flags: ...` if the flags contradict each other. */
export function accessOf(flags: AccessFlags): AccessSettings {
  const contradiction = contradictionIn(flags);
  if (contradiction !== undefined) throw new Error(`cannot read flags: ${contradiction}`);
  const file = flags['identity-file'];
  return {
    grants: flags.token.map(parseGrant),
    tokenFile: flags['token-file'],
    keystone: flags.auth === 'keystone' ? { authUrl: flags['auth-url'], cacheMs: flags['auth-cache-ms'] } : undefined,
    identity: flags.identity || file !== undefined ? { file, tokenMs: flags['identity-token-ms'] } : undefined,
  };
}
