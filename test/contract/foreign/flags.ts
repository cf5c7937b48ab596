// The command line of `npm run contract`: parsed, checked, explained. PURE.
import { parseArgs } from 'node:util';
import { dialects, type Target } from './description.ts';

export const help = `Usage: npm run contract -- --endpoint URL [flags]

Sends the requests of the contract suite to a service and compares its answers with the interface.
What it creates has names of its own and is deleted after each test; nothing else is changed.

  --endpoint URL       base address of the service, without version and tenant
  --dialect WORD       its vocabulary: neutral, sahara, savanna       (neutral)
  --token T            sent in X-Auth-Token
  --tenant X           the tenant to work in                          (contract)
  --other-tenant X     another one that the token is good for; tests of tenants need it
  --image ID           an image to start clusters from, registered, with the tags of the plugins
  --keypair NAME       a key pair of the cloud, in the place of my-key
  --network ID         the network of clusters
  --section N          only the tests of this section: 4.3; upstream: of what the releases of
                       the dialect do besides. May be repeated
  --timeout-s N        seconds that one test may take                 (120)
  --help               this text

Ends with a line that sums up, and with 1 when a test failed or none passed.
`;

export interface Order {
  readonly target: Target;
  readonly sections: readonly string[];
  readonly timeoutMs: number;
}

const text = { type: 'string' } as const;
const options = {
  endpoint: text,
  dialect: { ...text, default: 'neutral' },
  token: text,
  tenant: { ...text, default: 'contract' },
  'other-tenant': text,
  image: text,
  keypair: text,
  network: text,
  section: { ...text, multiple: true, default: [] as string[] },
  'timeout-s': { ...text, default: '120' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const bad = (problem: string): Error => new Error(`cannot read flags: ${problem}`);

function readEndpoint(endpoint = ''): string {
  if (endpoint === '') throw bad('--endpoint is missing: the base address of the service');
  const { protocol = '', search, hash } = URL.parse(endpoint) ?? {};
  if (!['http:', 'https:'].includes(protocol) || search || hash)
    throw bad('--endpoint is no http or https address without query and fragment');
  return endpoint.replace(/\/+$/, '');
}

/** Undefined: only help is wanted. Throws `cannot read flags: ...`. */
export function readOrder(args: readonly string[]): Order | undefined {
  const { values } = parseArgs({ args: [...args], options, strict: true });
  if (values.help) return undefined;
  const { token, tenant, 'other-tenant': otherTenant, image, keypair, network } = values;
  const dialect = dialects.find((word) => word === values.dialect);
  if (dialect === undefined) throw bad(`--dialect is none of ${dialects.join(', ')}`);
  const seconds = Number(values['timeout-s']);
  if (!(seconds > 0)) throw bad('--timeout-s is no positive number');
  const mark = `t${Date.now().toString(36).slice(-6)}`;
  const endpoint = readEndpoint(values.endpoint);
  const target = { endpoint, dialect, tenant, token, otherTenant, image, keypair, network, mark };
  return { target, sections: values.section, timeoutMs: seconds * 1000 };
}
