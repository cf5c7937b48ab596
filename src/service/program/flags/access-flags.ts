// The flags for who may call: authentication, host names, and limits on requests and connections. PURE.
import { z } from 'zod';
import { flagsWith, numberFlag, oneOf } from '../../../lib/flags.ts';
import { usualLimits } from '../../../lib/http/http-limits.ts';
import { parseGrant } from '../../api/authentication/authentication.ts';
import { usualCacheMs } from '../options.ts';

export const authFlags = {
  auth: {
    schema: oneOf(['none', 'token', 'keystone']),
    value: 'WORD',
    help: 'how callers authenticate: none, token or keystone; default: token if there is a --token or a --token-file, otherwise none',
  },
  token: {
    schema: z.string().regex(/^[^=]/, { error: 'has no token; write TOKEN or TOKEN=TENANT' }).transform(parseGrant),
    value: 'TOKEN',
    repeatable: true,
    help: 'require this token in X-Auth-Token. TOKEN=TENANT: valid only for that tenant',
  },
  'token-file': {
    value: 'FILE',
    help: 'the same for the tokens in this file, one on each line. Unlike flags, a file is not visible to everybody on the machine',
  },
  ...flagsWith(
    { flag: 'auth', values: ['keystone'] },
    {
      'auth-url': {
        schema: z.url({ protocol: /^https?$/, error: 'must be a URL at http or https' }),
        value: 'URL',
        help: 'the Keystone that validates tokens, ending with /v3. --auth keystone needs it',
      },
      'auth-cache-ms': numberFlag(
        0,
        1e10 - 1,
        'milliseconds for which a valid token is not validated again',
        usualCacheMs,
      ),
    },
  ),
} as const;

const hostName = z
  .string()
  .regex(/^([\w-]+\.)*[\w-]+$|^[\da-f:]+$/i, { error: 'must be a name or an address; leave out scheme and port' })
  .toLowerCase();

export const exposureFlags = {
  'allowed-host': {
    schema: hostName,
    value: 'NAME',
    repeatable: true,
    help: 'accept this name in Host, such as that of an Ingress; default: localhost and the own address; any name with authentication',
  },
  'web-page': {
    help: 'show the clusters and runs of a tenant on a read-only page at /page, to those who sign in with a token. It has no TLS',
  },
  'request-timeout-ms': numberFlag(
    1,
    3_600_000,
    'milliseconds in which a request must arrive; then it is answered 408. A client that reads nothing of an answer for as long is disconnected',
    usualLimits.requestMs,
  ),
  'max-connections': numberFlag(
    1,
    1_000_000,
    'maximum number of connections of each port; further ones are closed at once',
    usualLimits.connections,
  ),
} as const;
