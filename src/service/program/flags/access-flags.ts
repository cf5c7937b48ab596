// The flags for who may call: authentication, host names, and limits on requests and connections. PURE.
import { z } from 'zod';
import { type HttpLimits, usualLimits } from '../../../lib/http-limits.ts';
import { type Grant, parseGrant } from '../../api/authentication/authentication.ts';

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

export const exposureHelp = `\
  --allowed-host NAME  accept this name in Host, such as that of an Ingress. Can be repeated.
                       Default: localhost and the own address; any name with authentication
  --request-timeout-ms N  ms in which a request must arrive; then it is answered 408. Who reads
                       nothing of an answer for as long is disconnected (60000)
  --max-connections N  maximum number of connections of each port; further ones are closed at once
                       (4000)
`;

const name = z
  .string()
  .regex(/^([\w-]+\.)*[\w-]+$|^[\da-f:]+$/i, { error: 'is neither a name nor an address; leave out scheme and port' })
  .toLowerCase();

const count = (max: number, usual: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, { error: 'is not a whole number above 0' })
    .transform(Number)
    .pipe(z.int().max(max))
    .default(usual);

export const exposureFields = {
  'allowed-host': z.array(name).default([]),
  'request-timeout-ms': count(3_600_000, usualLimits.requestMs),
  'max-connections': count(1_000_000, usualLimits.connections),
};

type ExposureFlags = z.output<z.ZodObject<typeof exposureFields>>;

interface Exposure {
  readonly allowedHosts: readonly string[];
  readonly limits: HttpLimits;
}

export const exposureOf = (flags: ExposureFlags): Exposure => ({
  allowedHosts: flags['allowed-host'],
  limits: { requestMs: flags['request-timeout-ms'], connections: flags['max-connections'] },
});
